#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What the MPI launcher of this machine wants in its environment: the one place that knows versions.
#
# Usage: launcher.sh [MPIRUN [RANKS]]
# Prints NAME=VALUE lines.  Without RANKS they suit tests: any number of ranks, several programs side
# by side, and ranks that do not read each other's memory, which containers often forbid.
# `run` sources this file and calls launcher_settings itself.

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
  if ((EUID == 0)); then
    printf '%s\n' OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
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
  launcher_settings "${1:-mpirun}" "${2:-}"
fi
