# SPDX-License-Identifier: BSD-3-Clause
# Writes build_info.h at every build, so that the commit it names is the one that is built.
execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=12
                OUTPUT_VARIABLE HB_GIT_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT HB_GIT_COMMIT)
  set(HB_GIT_COMMIT unknown)
endif()
configure_file(${SOURCE_DIR}/app/build_info.h.in ${BINARY_DIR}/build_info.h @ONLY)
