# SPDX-License-Identifier: BSD-3-Clause
# Which packages are missing, and their installation: a part of `run`, which sources it.
# shellcheck shell=bash disable=SC2154 # the names are run's

debian() { [[ -r /etc/debian_version ]] && have apt-get; }

# Is what the Debian package would bring there, whoever brought it?
present() {
  case $1 in
  gcc) have "${CC:-cc}" || have gcc ;;
  g++) have "${CXX:-c++}" || have g++ ;;
  openmpi-bin) have mpirun || have mpiexec ;;
  libopenmpi-dev) have mpicc || [[ -n ${MPICH_DIR:-} ]] ;;
  libhdf5-openmpi-dev)
    have h5pcc || have h5cc || [[ -n ${HDF5_ROOT:-}${HDF5_DIR:-} ]] ;;
  libhdf5-dev)
    ! debian || have h5cc || [[ -n ${HDF5_ROOT:-}${HDF5_DIR:-} ]] ;;
  python3-h5py) python_with h5py >/dev/null ;;
  python3-matplotlib) python_with h5py matplotlib >/dev/null ;; # studies need both
  python3-vtk9) python_with vtkmodules >/dev/null ;;
  python3-venv) python_with ensurepip >/dev/null ;;
  hdf5-tools) have h5dump ;;
  hipcc) [[ -n $(find_hipcc) ]] ;;
  libamdhip64-dev) present_beside_hipcc include/hip/hip_runtime.h ;;
  llvm-19) have llvm-objdump-19 || present_beside_hipcc llvm/bin/llvm-objdump ;;
  clang-19) have clang++-19 ;;
  clang-tools-19) have clang-offload-bundler-19 || [[ -e /usr/lib/llvm-19/bin/clang-offload-bundler ]] ;;
  lld-19) have ld.lld-19 ;;
  python3) have "$(python)" ;;
  *) have "$1" ;;
  esac
}

purpose() {
  case $1 in
  gcc) echo "a C11 compiler" ;;
  cmake | make) echo "$1, to build" ;;
  openmpi-bin) echo "mpirun of any MPI-3" ;;
  libopenmpi-dev) echo "mpicc of any MPI-3" ;;
  libhdf5-openmpi-dev) echo "HDF5 with headers, best the parallel one (or set HDF5_ROOT)" ;;
  libhdf5-dev) echo "serial HDF5 with headers, for its test" ;;
  python3-matplotlib) echo "Python with matplotlib beside h5py, for plots" ;;
  python3*) echo "${1/python3-/Python with }, for studies and tests" ;;
  hdf5-tools) echo "h5dump, for the tests" ;;
  g++) echo "a C++17 compiler" ;;
  hipcc) echo "hipcc of ROCm 5.2 or newer, on the PATH or in ROCM_PATH" ;;
  libamdhip64-dev) echo "$1, of ROCm" ;;
  llvm-19) echo "llvm-objdump-19, to interpret machine code" ;;
  clang-19 | clang-tools-19 | lld-19) echo "$1, to compile for gfx942" ;;
  *) echo "$1, for ./run check" ;;
  esac
}

# Compilers of GPUs, where they are usually installed; empty if they are not.
find_hipcc() { find_program hipcc "${ROCM_PATH:-/opt/rocm}/bin" /opt/rocm/bin; }
find_nvcc() { find_program nvcc "${CUDA_HOME:-/usr/local/cuda}/bin" /usr/local/cuda/bin; }

find_program() { # NAME FOLDER...: beside the folders of the PATH
  local name=$1
  shift
  PATH=$PATH:$(IFS=: && echo "$*") command -v "$name" || true
}

present_beside_hipcc() { # FILE, from the folder that ROCm is installed in
  local hipcc
  hipcc=$(find_hipcc)
  [[ -n $hipcc && -e $(dirname "$(dirname "$(readlink -f "$hipcc")")")/$1 ]]
}

list_missing() {
  local package
  for package in "$@"; do present "$package" || echo "$package"; done
}

# Installs what is missing on Debian and its like; elsewhere says what is missing and stops.
set_up() {
  local missing package log=$build_root/setup.log as_root=()
  mapfile -t missing < <(list_missing "$@")
  ((${#missing[@]} > 0)) || return 0
  if ((EUID != 0)); then
    if have sudo && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; then as_root=(sudo); fi
  fi
  if ! debian || { ((EUID != 0)) && ((${#as_root[@]} == 0)); }; then
    for package in "${missing[@]}"; do
      note "missing: $(purpose "$package") [Debian: $package]"
    done
    fail 3 "install what is missing and try again"
  fi
  note "installing by apt: ${missing[*]}"
  mkdir -p "$build_root"
  as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -qq)
  if ! { "${as_root[@]}" update &&
    "${as_root[@]}" install -y --no-install-recommends "${missing[@]}"; } \
    </dev/null >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    fail 3 "apt could not install ${missing[*]} (all of its words: $log)"
  fi
  hash -r
  mapfile -t missing < <(list_missing "$@")
  ((${#missing[@]} == 0)) || fail 3 "still missing after the installation: ${missing[*]}"
}
