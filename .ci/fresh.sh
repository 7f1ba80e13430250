#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tries both commands of README on Debian systems where nothing was installed before; as root.
#
# Usage: fresh.sh FOLDER [MIRROR [COMMAND]]
#   FOLDER   made if need be; keeps an image of each release by debootstrap, and logs
#   MIRROR   of Debian's packages; without it debootstrap's own
#   COMMAND  for ./run, in place of both: "" (build and solve), test, "test amd", "build host", ...
# RELEASES="bookworm trixie" chooses.  Prints a line a release and command, ends with 1 if one fails.
# Each command starts in a fresh copy of the image: what the one before installed is gone.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
releases=${RELEASES:-bookworm trixie}
mounted=() failed=0

note() { printf '%s\n' "$*" >&2; }

# FOLDER: never through a mount that is still there.
remove() {
  if grep -qF " $1" /proc/self/mountinfo; then
    note "fresh: something is still mounted below $1: unmount it by hand"
    exit 3
  fi
  rm -rf --one-file-system "${1:?}"
}

unmount() {
  local i
  for ((i = ${#mounted[@]} - 1; i >= 0; i--)); do umount -R "${mounted[i]}" || umount -Rl "${mounted[i]}"; done
  mounted=()
}

image() { # RELEASE: FOLDER/RELEASE.tar, made once
  [[ ! -s $folder/$1.tar ]] || return 0
  note "$1: debootstrap"
  remove "${folder:?}/$1"
  debootstrap --variant=minbase "$1" "$folder/$1" ${mirror:+"$mirror"} >"$folder/$1.log" 2>&1
  tar -C "$folder/$1" -cf "$folder/$1.tar.new" .
  mv "$folder/$1.tar.new" "$folder/$1.tar"
  remove "${folder:?}/$1"
}

# RELEASE WORD...: ./run WORD... in a fresh copy of the image, with the tree as it is committed and
# changed here.
try() {
  local system=$folder/$1-system release=$1 log code=0 started=$SECONDS place last
  shift
  log=$folder/$release${1:+-${*// /-}}-run.log
  remove "$system"
  mkdir -p "$system"
  tar -C "$system" -xf "$folder/$release.tar"
  mkdir -p "$system/srv/helmbone"
  (cd "$root" && git ls-files -z --cached --others --exclude-standard |
    xargs -0 -r ls -d 2>/dev/null | tar -cf - -T -) | tar -C "$system/srv/helmbone" -xf -
  cp /etc/resolv.conf /etc/hosts "$system/etc/" # launchers look up the host by its name
  for place in proc sys dev; do
    mount --rbind "/$place" "$system/$place"
    mount --make-rslave "$system/$place"
    mounted+=("$system/$place")
  done
  # shellcheck disable=SC2016 # the inner shell expands it
  env -i HOME=/srv PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    chroot "$system" bash -c 'cd /srv/helmbone && exec ./run "$@"' run "$@" </dev/null \
    >"$log" 2>&1 || code=$?
  unmount
  remove "$system"
  last=$(grep -E '^RESULT |passed, [0-9]+ failed' "$log" | tail -n 1 | cut -c1-60) || true
  printf '%s: ./run %s: code %d after %d s: %s\n' "$release" "$*" "$code" $((SECONDS - started)) \
    "${last:-see $log}"
  ((code == 0)) || failed=$((failed + 1))
}

if (($# < 1 || $# > 3)); then
  sed -n '3,/^set /{/^set /!p}' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
((EUID == 0)) || { note "fresh: needs root, for chroot" && exit 3; }
command -v debootstrap >/dev/null || { note "fresh: needs debootstrap" && exit 3; }
mkdir -p "$1"
folder=$(cd "$1" && pwd -P) mirror=${2:-}
trap unmount EXIT
for release in $releases; do
  image "$release"
  if (($# == 3)); then
    read -ra words <<<"$3"
    try "$release" ${words[@]+"${words[@]}"}
  else
    try "$release"
    try "$release" test
  fi
done
((failed == 0))
