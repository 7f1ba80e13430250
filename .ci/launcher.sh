#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# How MPI programs are launched, and what launchers want in their environment: the one place that
# knows launchers and their versions.
#
# Usage: launcher.sh [MPIRUN [RANKS]]
# Prints NAME=VALUE lines.  Without RANKS they suit tests: any number of ranks, several programs side
# by side, and ranks that do not read each other's memory, which containers often forbid.
#
#        launcher.sh --launch auto|mpirun|hydra|srun|flux RANKS [RANKS_A_NODE]
# Prints `kind KIND`, lines `setting NAME=VALUE`, and the words before the program as lines `word WORD`.
# auto: flux inside a Flux instance, srun inside a Slurm job, else the mpirun that is there.
# `run` sources this file and calls its functions.

# Open MPI, and from 5 on its launcher prterun, has settings; others (MPICH and its like) need none.
launcher_settings() { # MPIRUN [RANKS]
  local version binding=none idle=1 separate=no cores
  version=$("$1" --version 2>/dev/null) || true
  [[ $version =~ \((Open\ MPI|OpenRTE)\)\ ([0-9]+) ]] || return 0
  version=${BASH_REMATCH[2]}
  cores=$(nproc 2>/dev/null || echo 1)
  if [[ -n ${2:-} ]]; then
    (($2 > $(physical_cores "$cores"))) || binding=core
    (($2 > cores)) || idle=0
    ! in_container || separate=yes
  else
    separate=yes
  fi
  root_settings
  [[ $idle == 0 ]] || echo OMPI_MCA_mpi_yield_when_idle=1
  # The layer for such networks measures the clock for 0.2 s in every process; no test leaves the machine.
  [[ -n ${2:-} ]] || echo 'OMPI_MCA_pml=^cm'
  if ((version >= 5)); then # all ranks are on this machine, so it need not look for networks
    printf '%s\n' PRTE_MCA_hwloc_default_binding_policy=$binding 'OMPI_MCA_btl=^tcp'
    [[ $binding == core ]] || echo PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    [[ $separate == no ]] || echo 'OMPI_MCA_smsc=^cma,knem,xpmem'
  else # quiet: not a page of its own after the program's error
    printf '%s\n' OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=$binding \
      OMPI_MCA_orte_execute_quiet=1
    [[ $separate == no ]] || echo OMPI_MCA_btl_vader_single_copy_mechanism=none
  fi
}

find_mpirun() { # the name of it; empty if there is none
  local name
  for name in mpirun mpiexec mpiexec.hydra; do
    ! command -v "$name" >/dev/null 2>&1 || { echo "$name" && return; }
  done
}

# MPICH's launcher and its like (Intel's, Cray's PALS aside), by what they say of themselves.
is_hydra() { # MPIRUN
  local version
  [[ ${1##*/} != mpiexec.hydra ]] || return 0
  version=$("$1" --version 2>/dev/null) || true
  [[ $version == *HYDRA* || $version == *"Intel(R) MPI"* ]]
}

is_open_mpi() { # MPIRUN
  [[ $("$1" --version 2>/dev/null) =~ \((Open\ MPI|OpenRTE)\)\ [0-9] ]]
}

launcher_kind() { # auto or a kind: the kind, which must be there
  local kind=$1 mpirun
  mpirun=$(find_mpirun)
  if [[ $kind == auto ]]; then
    if [[ -n ${FLUX_URI:-} ]] && command -v flux >/dev/null; then
      kind=flux
    elif [[ -n ${SLURM_JOB_ID:-} ]] && command -v srun >/dev/null; then
      kind=srun
    elif [[ -z $mpirun ]]; then
      echo "no launcher of MPI programs here: mpirun, mpiexec, srun in a Slurm job, flux in its own" >&2
      return 3
    elif is_hydra "$mpirun"; then
      kind=hydra
    else
      kind=mpirun
    fi
  fi
  echo "$kind"
}

# Open MPI's settings suit ranks on this machine alone.
several_machines() { # RANKS RANKS_A_NODE
  ((${2:-0} > 0 && $1 > ${2:-0})) || ((${SLURM_JOB_NUM_NODES:-1} > 1)) ||
    { [[ -r ${PBS_NODEFILE:-} ]] && (($(sort -u "$PBS_NODEFILE" | wc -l) > 1)); } ||
    [[ -n ${LSB_DJOB_HOSTFILE:-} ]]
}

launcher_words() { # KIND RANKS RANKS_A_NODE
  local mpirun nodes
  mpirun=$(find_mpirun)
  nodes=$((${3:-0} > 0 ? ($2 + ${3:-0} - 1) / ${3:-1} : 0))
  case $1 in
  mpirun)
    printf '%s\n' "${mpirun:-mpirun}" -n "$2"
    if ((nodes > 0)) && is_open_mpi "$mpirun"; then
      printf '%s\n' --map-by "ppr:$3:node"
    elif ((nodes > 0)); then # PALS and others
      printf '%s\n' --ppn "$3"
    fi
    ;;
  hydra)
    if command -v mpiexec.hydra >/dev/null; then mpirun=mpiexec.hydra; fi
    printf '%s\n' "${mpirun:-mpiexec.hydra}" -n "$2"
    ((nodes == 0)) || printf '%s\n' -ppn "$3"
    ;;
  srun) # a rank that dies must not leave the others waiting
    printf '%s\n' srun -n "$2" --kill-on-bad-exit=1
    ((nodes == 0)) || printf '%s\n' -N "$nodes" "--ntasks-per-node=$3"
    ;;
  flux)
    printf '%s\n' flux run -n "$2"
    ((nodes == 0)) || printf '%s\n' -N "$nodes"
    ;;
  esac
}

launch_lines() { # auto or a kind, RANKS [RANKS_A_NODE]
  local kind
  kind=$(launcher_kind "$1") || return 3
  echo "kind $kind"
  if [[ $kind == mpirun ]]; then
    if several_machines "$2" "${3:-0}"; then
      root_settings
    else
      launcher_settings "$(find_mpirun)" "$2"
    fi | sed 's/^/setting /'
  fi
  launcher_words "$kind" "$2" "${3:-0}" | sed 's/^/word /'
}

root_settings() {
  ((EUID != 0)) || printf '%s\n' OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
}

physical_cores() { # CORES: those without hyper-threads
  local active=/sys/devices/system/cpu/smt/active
  if [[ -r $active && $(<"$active") == 1 ]]; then echo $((($1 + 1) / 2)); else echo "$1"; fi
}

in_container() {
  [[ -e /.dockerenv || -e /run/.containerenv || -n ${container:-} ]] ||
    grep -qE 'docker|lxc|kubepods|containerd' /proc/1/cgroup 2>/dev/null
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  set -euo pipefail
  if [[ ${1:-} == --launch ]]; then
    launch_lines "${@:2}"
  else
    launcher_settings "${1:-mpirun}" "${2:-}"
  fi
fi
