#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Which GPU architectures a configuration takes, from which variable, and what it refuses.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
script=$(mktemp)
trap 'rm -f "$script"' EXIT
passed=0 failed=0
cat >"$script" <<EOF
cmake_policy(VERSION 3.21)
include($root/kernels/platform/wanted.cmake)
hb_wanted_architectures(\${platform} wanted)
message("wanted: '\${wanted}'")
EOF

# PLATFORM CODE WORDS -DNAME=VALUE...: the words are in what cmake says, a line or more.
expect() {
  local platform=$1 wanted_code=$2 words=$3 output code=0
  shift 3
  output=$(cmake "-Dplatform=$platform" "$@" -P "$script" 2>&1) || code=$?
  output=$(tr -s '\n ' ' ' <<<"$output")
  if ((code == wanted_code)) && [[ $output == *"$words"* ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $platform $*: exit code $code, '$words' is not in: $output"
  fi
}

expect amd 0 "wanted: ''"
expect amd 0 "wanted: 'gfx90a;gfx942'" '-DHELMBONE_GPU_ARCHITECTURES=gfx90a;gfx942'
expect amd 0 "wanted: 'gfx90a:xnack+'" '-DHELMBONE_GPU_ARCHITECTURES=gfx90a:xnack+'
for variable in CMAKE_HIP_ARCHITECTURES GPU_TARGETS AMDGPU_TARGETS; do
  expect amd 0 "wanted: 'gfx942'" "-D$variable=gfx942"
  expect amd 0 "architectures of $variable: gfx942" "-D$variable=gfx942"
  expect amd 0 "$variable=gfx942 is not taken: HELMBONE_GPU_ARCHITECTURES=gfx90a is" \
    "-D$variable=gfx942" -DHELMBONE_GPU_ARCHITECTURES=gfx90a
  expect amd 1 "$variable: 'gfx1100' has waves of 32 lanes" "-D$variable=gfx90a;gfx1100"
done
expect amd 1 "HELMBONE_GPU_ARCHITECTURES: 'gfx9-4-generic' is a generic target" \
  -DHELMBONE_GPU_ARCHITECTURES=gfx9-4-generic
expect amd 1 "CMAKE_HIP_ARCHITECTURES: 'native' is no architecture" -DCMAKE_HIP_ARCHITECTURES=native
expect amd 1 "'sm_90' is no architecture like gfx90a" -DHELMBONE_GPU_ARCHITECTURES=sm_90
expect amd 0 "wanted: ''" -DCMAKE_CUDA_ARCHITECTURES=90
expect nvidia 0 "wanted: '90;100'" '-DCMAKE_CUDA_ARCHITECTURES=90-real;100'
expect nvidia 0 "wanted: '90'" '-DCMAKE_CUDA_ARCHITECTURES=90-real;90-virtual'
expect nvidia 1 "CMAKE_CUDA_ARCHITECTURES: 'native' is no number" -DCMAKE_CUDA_ARCHITECTURES=native
expect nvidia 1 "'gfx90a' is no number" -DHELMBONE_GPU_ARCHITECTURES=gfx90a
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
