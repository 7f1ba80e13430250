#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tree follows check_tree.sh's rules, and check_tree.sh finds a planted fault of every class.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
copy=$work/tree expectations=$work/expectations
passed=0 failed=0

verdict() { # EXIT-CODE WORDS
  if (($1 == 0)); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $2"
  fi
}

c_head() { printf '/* SPDX-License-Identifier: BSD-3-Clause\n * A file for a test. */\n'; }
script_head() { printf '# SPDX-License-Identifier: BSD-3-Clause\n# A file for a test.\n'; }

# FILE EXPECTED: standard input becomes FILE of the copy, numbered; the report must have a line that
# begins with FILE:EXPECTED, or with EXPECTED "nothing" no line about FILE.
plant() {
  local number file
  number=$(wc -l <"$expectations")
  file=${1/planted/planted_$number}
  mkdir -p "$copy/$(dirname "$file")"
  cat >"$copy/$file"
  printf '%s\t%s\n' "$file" "$2" >>"$expectations"
}

check_report() { # REPORT
  local file expected
  while IFS=$'\t' read -r file expected; do
    if [[ $expected == nothing ]]; then
      verdict "$(grep -cF "$file:" "$1" || true)" "a report on the faultless $file"
    else
      verdict "$(if grep -qF "$file:$expected" "$1"; then echo 0; else echo 1; fi)" \
        "not found: $file:$expected"
    fi
  done <"$expectations"
}

# FILE INCLUDE EXPECTED, the include being line 3.
plant_include() { { c_head && printf '#include %s\n' "$2"; } | plant "$1" "$3"; }

check_layers() {
  plant_include kernels/planted.h '"mesh/box.h"' '3: layer kernels includes mesh'
  plant_include kernels/planted.c '"io/schema.h"' '3: layer kernels includes io'
  plant_include mesh/planted.c '"io/schema.h"' '3: layer mesh includes io'
  plant_include io/planted.c '"app/options.h"' '3: layer io includes app'
  plant_include app/planted.c '"tests/check.h"' '3: layer app includes tests'
  plant_include app/planted.c '"mesh/box.h"' nothing
  plant_include tests/unit_planted.c '"kernels/base.h"' nothing
  plant_include kernels/element/planted.h '"kernels/helmholtz/helmholtz.h"' \
    '3: kernels/element includes kernels/helmholtz, which is not below it'
  plant_include kernels/geometry/planted.c '"kernels/helmholtz/variants.h"' \
    '3: kernels/geometry includes kernels/helmholtz'
  plant_include kernels/planted.c '"kernels/element/element.h"' '3: kernels/. includes kernels/element'
  plant_include kernels/tune/planted.c '"kernels/matcore/roof.h"' \
    '3: kernels/tune includes kernels/matcore'
  plant_include kernels/matcore/planted.c '"kernels/tune/autotune.h"' \
    '3: kernels/matcore includes kernels/tune'
  plant_include kernels/gradient/planted.c '"kernels/base.h"' '3: kernels/gradient is no folder'
  plant_include kernels/matcore/planted.c '"kernels/helmholtz/chained_layout.h"' nothing
  plant_include kernels/tune/planted.c '"kernels/geometry/geometry.h"' nothing
  plant_include kernels/planted.c '"base.h"' '3: include "base.h" is not written from the root'
  plant_include app/planted.c '"../mesh/box.h"' '3: include "../mesh/box.h" is not written from'
  plant_include mesh/planted.c '"mesh/no_such.h"' '3: include "mesh/no_such.h" does not exist'
  plant_include app/planted.c '<mesh/box.h>' '3: include <mesh/box.h>: files of the project'
}

check_libraries() {
  plant_include kernels/planted.h '<mpi.h>' '3: MPI does not belong in kernels'
  plant_include mesh/planted.c '<hdf5.h>' '3: HDF5 does not belong in mesh'
  plant_include app/planted.c ' <hdf5_hl.h>' '3: HDF5 does not belong in app'
  plant_include io/planted.c '<hdf5.h>' nothing
  plant_include app/planted.c '<hip/hip_runtime.h>' '3: GPU headers belong in kernels/platform'
  plant_include kernels/planted.hip '<cuda_runtime.h>' '3: GPU headers belong in kernels/platform'
  plant_include kernels/platform/planted.h '<hip/hip_runtime.h>' nothing
}

# HIP stays in kernels, and behind gpu.h there.
check_hip() {
  local call='void planted(void);  /* hipMalloc(0, 0) */'
  plant_include kernels/planted.hip '"kernels/platform/gpu.h"' nothing
  plant_include kernels/planted.hip '"kernels/platform/cuda_names.h"' \
    '3: include "kernels/platform/cuda_names.h": only gpu.h of kernels/platform is for others'
  plant_include app/planted.c '"kernels/platform/gpu.h"' '3: HIP does not belong in app'
  { c_head && printf '%s\n' "$call"; } | plant mesh/planted.c '3: HIP does not belong here'
  c_head | plant app/planted.hip '1: HIP does not belong in app'
}

check_names() {
  c_head | plant tests/planted.c '1: no pattern in tests.cmake'
  c_head | plant tests/unit/planted.c '1: no pattern in tests.cmake'
  script_head | plant tests/planted.py '1: no pattern in tests.cmake'
  script_head | plant tests/unit_planted.sh '1: no pattern in tests.cmake'
  c_head | plant tests/mpi_planted.c nothing
  script_head | plant tests/end_to_end_planted.py nothing
}

check_contracts() {
  { c_head && echo 'void hb_f(MPI_Comm comm);'; } | plant mesh/planted.h '1: names a communicator'
  { c_head && echo 'void hb_f(struct hb_comm *comm);'; } |
    plant app/planted.h '1: names a communicator'
  { c_head && printf '/* Not collective. */\nvoid hb_f(MPI_Comm comm);\n'; } |
    plant mesh/planted.h nothing
}

# COUNT WORD: the word so often.
repeat() { for ((i = 0; i < $1; i++)); do printf '%b' "$2"; done; }

check_form() {
  echo 'int x;' | plant kernels/planted.c '1: the first line is not SPDX'
  printf '/* SPDX-License-Identifier: MIT\n * A file for a test. */\n' |
    plant kernels/planted.c '1: the first line is not SPDX'
  printf '/* SPDX-License-Identifier: BSD-3-Clause */\n' |
    plant kernels/planted.c '1: the first line is not SPDX'
  printf '/* SPDX-License-Identifier: BSD-3-Clause\n */\n' |
    plant kernels/planted.c '2: the second line does not say'
  printf '#!/bin/sh\nexit 0\n' | plant tests/end_to_end_planted.sh '1: the first line is not SPDX'
  { echo '#!/bin/sh' && script_head; } | plant tests/end_to_end_planted.sh nothing
  { c_head && repeat 599 '\n'; } | plant io/planted.c '601: more than 600 lines'
  { c_head && repeat 598 '\n'; } | plant io/planted.c nothing
  { c_head && repeat 101 x; } | plant app/planted.h '3: more than 100 columns'
  { c_head && repeat 99 x && printf '\xc3\xa4'; } | plant app/planted.h nothing
}

# The words are put together here, so that this file does not hold them.
check_left_over() {
  local word
  for word in 'TO''DO' 'FIX''ME' 'XX''X'; do
    { c_head && echo "/* $word */"; } | plant mesh/planted.c '3: left over: a note'
    { script_head && echo "$word"; } | plant inputs/planted.ini '3: left over: a note'
  done
  for word in 'wo''rk' 'ho''me' 'ro''ot' 'Us''ers'; do
    { script_head && echo "file = /$word/planted.vtkhdf"; } |
      plant inputs/planted.ini '3: left over: a path'
  done
  { script_head && echo 'mktemp planted.XXXXXX'; } | plant inputs/planted.ini nothing
}

code=0
bash "$root/tests/check_tree.sh" || code=$?
verdict "$code" "the tree itself"
mkdir "$copy"
: >"$expectations"
tar -C "$root" --exclude='./build*' --exclude=./.git --exclude='*.vtkhdf*' -cf - . |
  tar -C "$copy" -xf -
check_layers
check_libraries
check_hip
check_names
check_contracts
check_form
check_left_over
code=0
bash "$copy/tests/check_tree.sh" "$copy" >"$work/report" || code=$?
verdict "$((code == 1 ? 0 : 1))" "exit code $code instead of 1 on a faulty tree"
check_report "$work/report"
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
