# SPDX-License-Identifier: BSD-3-Clause
# Format, lint and layer rules: a part of `run`, which sources it.
# shellcheck shell=bash disable=SC2154 # the names are run's

sources() { # all, or those that differ from the last commit
  cd "$root"
  if [[ $1 == changed ]]; then
    { git diff --name-only --diff-filter=d HEAD && git ls-files --others --exclude-standard; } |
      grep -E '^(app|io|kernels|mesh|tests)/.*\.(c|cpp|h|hip)$' || true
  else
    find app io kernels mesh tests -regex '.*\.\(c\|cpp\|h\|hip\)'
  fi
}

# NAME COMMAND...: quiet if all is well.
verdict() {
  local name=$1 log
  shift
  log=$(mktemp)
  if "$@" >"$log" 2>&1; then
    note "$name: passed"
  else
    cat "$log" >&2
    note "$name: FAILED"
    failed=$((failed + 1))
  fi
  rm -f "$log"
}

check_format() {
  local file code=0
  while read -r file; do
    if ! clang-format --dry-run -Werror "$root/$file" >/dev/null 2>&1; then
      echo "$file: clang-format -i would change it"
      code=1
    fi
  done < <(sources "$1")
  return "$code"
}

# Files are compiled differently in each build; the first that has them counts.
check_lint() {
  local file folder files=() looked_at=0 code=0
  local -A seen=()
  for folder in "$build_root"/{host,amd,nvidia}; do
    [[ -r $folder/compile_commands.json ]] || continue
    files=()
    while read -r file; do
      if [[ -z ${seen[$file]:-} ]] &&
        grep -qF "\"file\": \"$root/$file\"" "$folder/compile_commands.json"; then
        files+=("$root/$file")
        seen[$file]=yes
      fi
    done < <(sources "$1" | grep '\.[ch]$')
    ((${#files[@]} > 0)) || continue
    looked_at=$((looked_at + ${#files[@]}))
    printf '%s\n' "${files[@]}" | xargs -d '\n' -n 2 -P "$cores" \
      clang-tidy -p "$folder" --quiet --warnings-as-errors='*' \
      --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-ignored-optimization-argument || code=1
  done
  if ((looked_at == 0)); then
    echo "no C file to look at"
    [[ $1 == changed ]] || code=1
  fi
  return "$code"
}

check_scripts() {
  (cd "$root" && shellcheck -x -a run .ci/run .ci/launcher.sh .ci/fresh.sh tests/*.sh)
}

verb_check() {
  local which=${1:-all} failed=0
  [[ $which == all || $which == changed ]] || fail 2 "check: '$which'; allowed: all, changed"
  set_up "${check_packages[@]}"
  configure host || exit 3
  logged "$build_root/host/build_info.log" cmake --build "$build_root/host" --target hb_build_info ||
    exit 3
  verdict tree bash "$root/tests/check_tree.sh"
  verdict format check_format "$which"
  verdict scripts check_scripts
  verdict lint check_lint "$which"
  ((failed == 0))
}
