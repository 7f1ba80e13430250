# SPDX-License-Identifier: BSD-3-Clause
# The tests' builds, what is run of each, and the sums of it: a part of `run`, which sources it.
# shellcheck shell=bash disable=SC2154 # the names are run's

passed=0 failed=0 skipped=0 device_timeout=1200 left_to_full=(-LE '^full$')
device_target=device_tests
device_pattern='^(device|mpi_device|isa|amdgpu|end_to_end_device)_?'

# FOLDER CTEST-OPTION...: adds the outcome to the sums.
count_tests() {
  local folder=$1 log=$1/ctest.log line not_passed=0 of=0 left_out=0 code=0 started=$SECONDS
  shift
  (cd "$folder" && ctest --output-on-failure --no-tests=error -j"$((cores + 1))" \
    ${left_to_full[@]+"${left_to_full[@]}"} "$@" </dev/null 2>&1) |
    tee "$log" || code=1
  rm -rf "$folder"/amdgpu/cache/* # disassembled kernels, a hundred megabytes
  line=$(grep -E 'tests passed, [0-9]+ tests failed out of [0-9]+' "$log" | tail -n 1) || true
  if [[ $line =~ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]]; then
    not_passed=${BASH_REMATCH[1]} of=${BASH_REMATCH[2]}
    left_out=$(grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*Skipped' "$log") || true
  fi
  if ((code != 0 && not_passed == 0)); then not_passed=1 of=$((of + 1)); fi
  passed=$((passed + of - not_passed - left_out))
  failed=$((failed + not_passed)) skipped=$((skipped + left_out))
  note "${folder#"$root"/}: tested in $((SECONDS - started)) s"
}

# A suite X is X_build, which configures and compiles, and X_suite, which does that and tests.
release_build() { configure host HELMBONE_WERROR=ON && compile host; }
sanitizer_build() { configure host-sanitize HELMBONE_WERROR=ON && compile host-sanitize; }

# Of this build the tests of the file alone, and what they need; full: those of errors too.
serial_hdf5_build() {
  configure host-serial-hdf5 HELMBONE_WERROR=ON &&
    compile host-serial-hdf5 helmbone helmbone-inspect mpi_field_file unit_field_file
}

# Sets amd_presets to those that are configured.
amd_configure() {
  local settings=(HELMBONE_WERROR=ON "HELMBONE_DEVICE_TIMEOUT=$device_timeout")
  [[ -e /dev/kfd ]] || settings+=(HELMBONE_HOST_ISA=v3) # one set builds sooner
  # Of geometry that is not stored the orders 3, 4, 5, 8, 12 and 14 are of all kinds.
  local orders=0x5138
  [[ -z ${HB_TEST_ALL:-} && ! -e /dev/kfd ]] || orders=
  settings+=("HELMBONE_RECOMPUTED_ORDERS=$orders")
  configure_amd release "${settings[@]}"
}

amd_compile() { # PRESET
  if [[ $1 == amd ]]; then
    compile amd "$device_target" amdgpu_tests
  else
    compile "$1" "$device_target"
  fi
}

# Sets nvidia_preset.  Without a GPU a few orders, but in full, show that the kernels compile.
nvidia_build() {
  local gpu num_gpus settings=(HELMBONE_WERROR=ON "HELMBONE_DEVICE_TIMEOUT=$device_timeout")
  [[ -n $(find_nvcc) ]] || return 1
  find_gpus
  nvidia_preset=nvidia
  if [[ $gpu == nvidia ]]; then
    settings+=(HELMBONE_REQUIRE_GPU=ON)
  elif ((${#left_to_full[@]} > 0)); then
    nvidia_preset=nvidia-few-orders
  else
    settings+=(HELMBONE_GPU_ARCHITECTURES=90 HELMBONE_HOST_ISA=v3) # less builds sooner
  fi
  configure "$nvidia_preset" "${settings[@]}" && compile "$nvidia_preset" "$device_target"
}

# SUITE PRESET CTEST-OPTION...
host_suite() {
  if "$1_build"; then
    shift
    count_tests "$build_root/$1" "${@:2}"
  else
    failed=$((failed + 1))
  fi
}

release_suite() { host_suite release host "$@"; }
sanitizer_suite() { host_suite sanitizer host-sanitize -E end_to_end; }
serial_hdf5_suite() {
  local pattern='field_file|end_to_end_file'
  [[ -z ${HB_TEST_ALL:-} ]] || pattern+='|end_to_end_errors'
  host_suite serial_hdf5 host-serial-hdf5 -R "$pattern"
}

# CTEST-OPTION...: on this machine's AMD GPU, or on the interpreter.
amd_suites() {
  local preset
  if ! (set_up "${amd_packages[@]}"); then
    leave_out "tests of AMD's machine code: what they need is missing"
    return
  fi
  if ! amd_configure; then
    failed=$((failed + 1))
    return
  fi
  for preset in "${amd_presets[@]}"; do
    # The interpreter's own tests are of all architectures, and the program's words are the same:
    # once is enough.
    if [[ $preset != amd && ${2:-} == amdgpu* ]]; then
      continue
    elif ! amd_compile "$preset"; then
      failed=$((failed + 1))
    elif [[ $preset == amd ]]; then
      count_tests "$build_root/amd" "$@"
    else
      count_tests "$build_root/$preset" "$@" -E '^(amdgpu|end_to_end)_'
    fi
  done
  [[ ${#amd_presets[@]} -gt 1 ]] || makes amd gfx942 ||
    leave_out "tests of AMD's machine code for gfx942: no compiler"
}

# CTEST-OPTION...: on this machine's NVIDIA GPU; without one the build alone counts.
nvidia_suite() {
  local gpu num_gpus nvidia_preset
  find_gpus
  if [[ -z $(find_nvcc) ]]; then
    leave_out "build for NVIDIA: no nvcc"
  elif ! nvidia_build; then
    failed=$((failed + 1))
  elif [[ $gpu == nvidia ]]; then
    count_tests "$build_root/nvidia" "$@"
  else
    note "build/$nvidia_preset: compiled; there is no NVIDIA GPU to run its tests"
    passed=$((passed + 1))
  fi
}

# WORDS: counted as skipped.  In continuous integration all that AMD needs has to be there.
leave_out() {
  note "skipped: $1"
  if [[ -n ${CI:-} && $1 == *AMD* ]]; then failed=$((failed + 1)); else skipped=$((skipped + 1)); fi
}

# All faults of tests/plants in all cases, with their table; they build what they run.
plants_build() { configure host HELMBONE_WERROR=ON; }
plants_suite() { host_suite plants host -V -R '^plants_all$'; }

# Readers of the output file, beside the VTK that is installed: what pip is asked for, a line each.
reader_packages=(
  "vtk==9.2.6 pyvista==0.44.2"
  "vtk==9.3.1 pyvista==0.46.5"
  "vtk==9.5.2 pyvista==0.49.1"
  "vtk==9.7.2 pyvista==0.49.1"
)

# Sets readers to this machine's Python with VTK and those of folders below build/, one a line above;
# what pip does not find for this Python is left out by name.
readers_build() {
  local line words folder program
  configure host HELMBONE_WERROR=ON && compile host helmbone mpi_field_file || return 1
  readers=("$(python_with vtkmodules)")
  program=$(python_with ensurepip)
  for line in "${reader_packages[@]}"; do
    folder=$build_root/readers/${line//[^a-z0-9.]/-}
    read -ra words <<<"$line"
    if [[ ! -e $folder/ready ]]; then
      note "build/readers: installing $line by pip"
      rm -rf "$folder"
      mkdir -p "$build_root/readers"
      if ! { "$program" -m venv "$folder" &&
        "$folder/bin/python" -m pip install --disable-pip-version-check "${words[@]}"; } \
        </dev/null >"$folder.log" 2>&1; then
        leave_out "reader $line: pip does not get it (its words: $folder.log)"
        continue
      fi
      touch "$folder/ready"
    fi
    readers+=("$folder/bin/python")
  done
}

# The end-to-end test of VTK with every reader, for which it prints what it read with.
readers_suite() {
  local readers=()
  if readers_build; then
    HB_TEST_READERS=$(IFS=: && echo "${readers[*]}") \
      count_tests "$build_root/host" -V -R '^end_to_end_vtk$'
  else
    failed=$((failed + 1))
  fi
}

tree_suite() {
  if bash "$root/tests/check_tree.sh"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

verb_test() {
  local which=${1:-all}
  (($# <= 1)) || fail 2 "test: one FILTER at most; given: $*"
  case $which in
  nvidia) set_up "${build_packages[@]}" g++ python3 python3-h5py ;;
  amd) set_up "${build_packages[@]}" g++ python3 python3-h5py ;;
  sanitize) set_up "${build_packages[@]}" ;;
  readers) set_up "${test_packages[@]}" python3-venv ;;
  *) set_up "${test_packages[@]}" ;;
  esac
  case $which in
  all | full)
    # Tests of a device read this: every case instead of a part that covers.
    if [[ $which == full ]]; then
      export HB_TEST_ALL=1
      device_timeout=28800 left_to_full=() device_target=device_tests_full
    fi
    tree_suite
    release_suite
    sanitizer_suite
    serial_hdf5_suite
    amd_suites -R "$device_pattern"
    nvidia_suite -R "$device_pattern"
    ;;
  sanitize) sanitizer_suite ;;
  plants)
    left_to_full=()
    plants_suite
    ;;
  readers) readers_suite ;;
  amd) amd_suites -R "$device_pattern" ;;
  nvidia) nvidia_suite -R "$device_pattern" ;;
  device* | mpi_device* | isa* | amdgpu* | end_to_end_device*) amd_suites -R "^($which)" ;;
  *)
    left_to_full=() # who names a test means it
    release_suite -R "$which"
    ;;
  esac
  local left_out=''
  ((skipped == 0)) || left_out=", $skipped skipped"
  printf '%d passed, %d failed%s\n' "$passed" "$failed" "$left_out"
  ((failed == 0 && passed > 0))
}

# Lines and branches that the tests of the host reach, of a build that counts them.
verb_coverage() {
  (($# == 0)) || fail 2 "coverage: takes no words; given: $*"
  set_up "${test_packages[@]}"
  configure host-coverage || exit 3
  compile host-coverage || exit 3
  find "$build_root/host-coverage" -name '*.gcda' -delete
  count_tests "$build_root/host-coverage"
  "$(python)" "$root/.ci/coverage.py" "$build_root/host-coverage"
  ((failed == 0))
}
