#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every broken kernel ends the program with a message that names it and the offence; mended it passes.
#
# Usage: faults.sh PROGRAM RUNTIME
set -euo pipefail
program=$1 runtime=$2
passed=0 failed=0

verdict() { # EXIT-CODE WORDS
  if (($1 == 0)); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $2"
  fi
}

# The program aborts; a subshell keeps the shell's own report of that out of the output.
run_faults() { # KERNEL broken|mended
  code=0
  output=$(LD_PRELOAD=$runtime "$program" "$1" "$2" 2>&1) || code=$?
}

check() { # KERNEL OFFENCE
  run_faults "$1" broken
  verdict $((code == 134 ? 0 : 1)) "$1 broken: exit code $code instead of 134"
  for words in "kernel fault" "$1<true>" "$2" "workgroup (0,0,0)"; do
    verdict "$(grep -qF "$words" <<<"$output" && echo 0 || echo 1)" \
      "$1 broken: '$words' is not in: $output"
  done
  run_faults "$1" mended
  verdict "$code" "$1 mended: exit code $code: $output"
}

check missing_barrier 'LDS race'
check stray_load 'out-of-bounds 8-byte load'
check unwritten_lds 'uninitialised LDS read'
check stray_store 'out-of-bounds 8-byte store'
export ISARUN_RACE=warn
run_faults missing_barrier broken
verdict "$(grep -qF 'LDS race' <<<"$output" && echo 0 || echo 1)" "no warning with ISARUN_RACE=warn"
verdict $((code == 134 ? 1 : 0)) "ISARUN_RACE=warn does not let the program go on"
export ISARUN_RACE=nonsense
run_faults missing_barrier mended
verdict "$(grep -qF 'ISARUN_RACE=nonsense' <<<"$output" && echo 0 || echo 1)" "nonsense is accepted"
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
