#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks the rules of the source tree that no compiler knows; prints file:line: what, exits with 1.
#
# Usage: check_tree.sh [ROOT]
#   layers     kernels <- mesh <- io <- app <- tests: includes go to the left only; inside kernels
#              those of the list `inside_kernels`, and nobody includes matcore
#   libraries  MPI not in kernels; HDF5 in io alone; GPU headers in kernels/platform alone, from where
#              .hip files have gpu.h; no HIP in app, mesh, io
#   tests      every test file has a name that tests.cmake registers
#   contracts  a header that names a communicator says what is collective
#   form       two-line heads, at most 600 lines a file, 100 columns a line of C, nothing left over
set -euo pipefail
root=${1:-$(dirname "${BASH_SOURCE[0]}")/..}
cd "$root"
export LC_ALL=C.UTF-8
layers=(kernels mesh io app tests)
# Folder of kernels (. is kernels itself): the folders that it may include, beside itself.
declare -A inside_kernels=(
  [.]=platform
  [platform]=.
  [element]='. platform'
  [vectors]='. platform'
  [geometry]='. platform element vectors'
  [helmholtz]='. platform element vectors geometry'
  [tune]='. platform element vectors geometry helmholtz'
  [matcore]='. platform element helmholtz'
)
max_lines=600 max_columns=100
found=0

report() { # FILE:LINE WORDS
  printf '%s: %s\n' "$1" "$2"
  found=$((found + 1))
}

# WORDS: reports every line of grep -n's output on standard input.
report_matches() {
  local file line
  while IFS=: read -r file line _; do report "$file:$line" "$1"; done
}

# Files of the project, without what was built.
list() { # FIND-OPTION...
  find . \( -path ./.git -o -path './build*' -o -name __pycache__ \) -prune -o -type f "$@" -print |
    sed 's|^\./||' | sort
}

layer_of() { # FOLDER: its place, or -1
  local i
  for i in "${!layers[@]}"; do
    if [[ ${layers[i]} == "$1" ]]; then
      echo "$i"
      return
    fi
  done
  echo -1
}

kernels_folder() { # PATH in kernels: its folder, . for kernels itself
  local rest=${1#kernels/}
  if [[ $rest == */* ]]; then echo "${rest%%/*}"; else echo .; fi
}

check_kernels_include() { # FILE LINE PATH, both in kernels
  local own other
  own=$(kernels_folder "$1") other=$(kernels_folder "$3")
  if [[ ! -v inside_kernels[$own] ]]; then
    report "$1:$2" "kernels/$own is no folder that the rules of layers know"
  elif [[ $own != "$other" && " ${inside_kernels[$own]} " != *" $other "* ]]; then
    report "$1:$2" "kernels/$own includes kernels/$other, which is not below it"
  fi
}

check_project_include() { # FILE LINE PATH
  local own other
  own=$(layer_of "${1%%/*}") other=$(layer_of "${3%%/*}")
  if [[ $3 == build_info.h && $1 == app/* ]]; then return; fi # written by CMake
  if [[ $3 != */* || $other == -1 ]]; then
    report "$1:$2" "include \"$3\" is not written from the root"
  elif [[ ! -f $3 ]]; then
    report "$1:$2" "include \"$3\" does not exist"
  elif ((other > own)); then
    report "$1:$2" "layer ${1%%/*} includes ${3%%/*}, which is above it"
  elif [[ $3 == kernels/platform/* && $3 != */gpu.h && $1 != kernels/platform/* ]]; then
    report "$1:$2" "include \"$3\": only gpu.h of kernels/platform is for others"
  elif [[ $3 == kernels/platform/* && $1 != kernels/* ]]; then
    report "$1:$2" "HIP does not belong in ${1%%/*}"
  elif [[ $1 == kernels/* && $3 == kernels/* ]]; then
    check_kernels_include "$@"
  fi
}

check_system_include() { # FILE LINE PATH
  case $3 in
  mpi.h) [[ $1 != kernels/* ]] || report "$1:$2" "MPI does not belong in kernels" ;;
  hdf5*.h | H5*.h)
    [[ $1 == io/* || $1 == tests/* ]] || report "$1:$2" "HDF5 does not belong in ${1%%/*}" ;;
  hip/* | cuda*.h | cuda/*)
    [[ $1 == kernels/platform/* || $1 == tests/amdgpu/* ]] ||
      report "$1:$2" "GPU headers belong in kernels/platform" ;;
  kernels/* | mesh/* | io/* | app/* | tests/*)
    report "$1:$2" "include <$3>: files of the project stand in double quotes" ;;
  esac
}

check_includes() {
  local file line text
  local pattern='^[[:space:]]*#[[:space:]]*include[[:space:]]*([<"])([^>"]+)[>"]'
  while IFS=: read -r file line text; do
    [[ $text =~ $pattern ]] || continue
    if [[ ${BASH_REMATCH[1]} == '"' ]]; then
      check_project_include "$file" "$line" "${BASH_REMATCH[2]}"
    else
      check_system_include "$file" "$line" "${BASH_REMATCH[2]}"
    fi
  done < <(list -regex '.*\.\(c\|h\|hip\|cpp\)' | xargs -r -d '\n' grep -HnE "$pattern" || true)
}

# HIP's names in other layers, and .hip files there.
check_hip() {
  local file
  while read -r file; do report "$file:1" "HIP does not belong in ${file%%/*}"; done \
    < <(list -name '*.hip' ! -path './kernels/*' ! -path './tests/*')
  report_matches "HIP does not belong here" < <(list -regex './\(app\|mesh\|io\)/.*\.[ch]' |
    xargs -r -d '\n' grep -HnE '\b(hip|cuda)[A-Z][A-Za-z0-9]*(_t\b|\()' || true)
}

# The patterns are those of the file(GLOB ...) lines in tests.cmake.
check_test_names() {
  local file pattern patterns=() known
  mapfile -t patterns < <(grep -F 'file(GLOB' tests/tests.cmake |
    grep -oE 'tests/[A-Za-z0-9_*/]+\.(c|py|sh)')
  while read -r file; do
    known=no
    [[ $file != tests/check_tree.sh && $file != tests/*support.py ]] || known=yes
    for pattern in "${patterns[@]}"; do
      # shellcheck disable=SC2053 # a pattern on purpose
      [[ $file != $pattern ]] || known=yes
    done
    [[ $known == yes ]] || report "$file:1" "no pattern in tests.cmake registers this file"
  done < <(list -path './tests/*' -regex '.*\.\(c\|py\|sh\)' ! -path './tests/amdgpu/*')
}

check_contracts() {
  local file
  while read -r file; do
    if grep -qE 'MPI_Comm\b|struct hb_comm\b' "$file" && ! grep -qi 'collective' "$file"; then
      report "$file:1" "names a communicator, but never says \"Collective\" or \"Not collective\""
    fi
  done < <(list -name '*.h')
}

check_head() { # FILE
  local comment='# ' first='' second=''
  local lines=()
  mapfile -t -n 3 lines <"$1"
  [[ ${lines[0]:-} != '#!'* ]] || lines=("${lines[@]:1}")
  first=${lines[0]:-} second=${lines[1]:-}
  case $1 in
  *.c | *.h | *.hip | *.cpp)
    comment=' * '
    [[ $first == '/* SPDX-License-Identifier: BSD-3-Clause' ]] || first=''
    ;;
  *) [[ $first == '# SPDX-License-Identifier: BSD-3-Clause' ]] || first='' ;;
  esac
  if [[ -z $first ]]; then
    report "$1:1" "the first line is not SPDX-License-Identifier: BSD-3-Clause"
  elif [[ $second != "$comment"*' '*' '* ]]; then
    report "$1:2" "the second line does not say what the file is for"
  fi
}

check_form() {
  local file lines
  while read -r file; do
    check_head "$file"
    lines=$(wc -l <"$file")
    ((lines <= max_lines)) || report "$file:$lines" "more than $max_lines lines"
  done < <(list -regex '.*\.\(c\|h\|hip\|cpp\|py\|sh\|cmake\)\|.*/CMakeLists.txt\|.*/run')
  report_matches "more than $max_columns columns" < <(list -regex '.*\.\(c\|h\|hip\|cpp\)' |
    xargs -r -d '\n' grep -HnE "^.{$((max_columns + 1)),}" || true)
}

# Brackets in the patterns keep this file from matching them.
check_left_over() {
  report_matches "left over: a note to finish something" < <(list |
    xargs -r -d '\n' grep -IHnE '\b(T[O]DO|F[I]XME|X[X]X)\b' || true)
  report_matches "left over: a path of somebody's machine" < <(list |
    xargs -r -d '\n' grep -IHnE '(^|[^A-Za-z0-9_.}])/([w]ork|[h]ome|[r]oot|[U]sers)/' || true)
}

check_includes
check_hip
check_test_names
check_contracts
check_form
check_left_over
((found == 0)) || { printf 'tree: %d violations\n' "$found" && exit 1; }
echo "tree: all rules hold"
