# SPDX-License-Identifier: BSD-3-Clause
# Writes the layout table of the matrix instructions as C++: cmake -DTABLE=... -DOUTPUT=... -P FILE
file(STRINGS ${TABLE} rows REGEX "^v_mfma_")
list(JOIN rows "\n" text)
string(REGEX REPLACE
       "(v_mfma_[a-z0-9_]+)[ \t]+([ABD])[ \t]+([0-9]+)[ \t]+([0-9]+)[ \t]+([0-9]+)[ \t]+([0-9]+)[ \t]+([0-9]+)"
       "  {\"\\1\", '\\2', \\3, \\4, \\5, \\6, \\7}," text "${text}")
file(WRITE ${OUTPUT} "#include \"tests/amdgpu/mfma.h\"
namespace isarun {
const MfmaRow mfma_rows[] = {
${text}
};
const size_t num_mfma_rows = sizeof mfma_rows / sizeof mfma_rows[0];
}
")
