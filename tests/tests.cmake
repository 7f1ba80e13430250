# SPDX-License-Identifier: BSD-3-Clause
# Registers tests by file name: unit_X.c runs alone, mpi_X.c on several rank counts, X.py and X.sh
# get the build folder as their argument.  A file of another name is an error of tests/check_tree.sh.
set(mpi_ranks 1 2 3 5 8)
set(test_environment
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
    ASAN_OPTIONS=detect_leaks=0 PYTHONDONTWRITEBYTECODE=1)

file(GLOB unit_tests CONFIGURE_DEPENDS tests/unit_*.c)
foreach(source IN LISTS unit_tests)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE hb_app)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600
                       ENVIRONMENT "${test_environment}")
endforeach()

file(GLOB mpi_tests CONFIGURE_DEPENDS tests/mpi_*.c)
foreach(source IN LISTS mpi_tests)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE hb_app)
  foreach(ranks IN LISTS mpi_ranks)
    add_test(NAME ${name}_${ranks}
             COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} $<TARGET_FILE:${name}>)
    set_tests_properties(${name}_${ranks} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600
                         PROCESSORS ${ranks} ENVIRONMENT "${test_environment}")
  endforeach()
endforeach()

find_package(Python3 REQUIRED COMPONENTS Interpreter)
file(GLOB script_tests CONFIGURE_DEPENDS tests/end_to_end*.py tests/end_to_end*.sh)
foreach(source IN LISTS script_tests)
  get_filename_component(name ${source} NAME_WE)
  if(source MATCHES "\\.py$")
    set(interpreter ${Python3_EXECUTABLE})
  else()
    set(interpreter bash)
  endif()
  add_test(NAME ${name} COMMAND ${interpreter} ${source} ${PROJECT_BINARY_DIR})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1200 RUN_SERIAL ON
                       ENVIRONMENT "${test_environment}")
endforeach()
