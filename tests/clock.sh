#!/usr/bin/env bash
# Prints the cost of all checks: makes both builds of `./dev test` anew, runs every row of its tests, and prints for
# each step the processor seconds (user and system, all children) and the wall time. `./dev clock` calls it. Figures of two commits
# can be compared where both were taken on the same machine, in the same session, with nothing else running.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LC_NUMERIC=C PELT_REQUIRE_GL=1 PELT_REQUIRE_WINDOW=1
[ ! -d ../shared/corpus ] || export PELT_REQUIRE_CORPUS=1
log=build/clock
rm -rf build/release build/asan build/shaders "$log"
mkdir -p "$log"

# measure NAME COMMAND...: one line; what the command says is kept under build/clock.
measure() {
  local name=$1 took status TIMEFORMAT='%U %S %R'
  shift
  { time "$@" >"$log/$name" 2>&1; } 2>"$log/$name.time"
  status=$?
  took=$(tail -n 1 "$log/$name.time")
  rm "$log/$name.time"
  awk -v name="$name" -v status=$status '{
    printf "%-36s %8.1f s processor %8.1f s wall%s\n", name, $1 + $2, $3, status == 0 ? "" : "   failed: build/clock/" name }' <<<"$took"
  return $status
}
row() { measure "$1" ctest --test-dir build/asan --output-on-failure -R "^${1//./\\.}\$"; }
export -f measure row
export log

measure release ./dev build || exit
measure release_tests ./dev clock release_tests || exit
measure sanitized ./dev clock sanitized || exit
# One program more than cores, as in ./dev test; and as there the release first, whose pictures compile the shaders.
rows=$(ctest --test-dir build/asan --show-only | sed -n 's/^ *Test *#[0-9]*: //p')
run_rows() { xargs -P "$(($(nproc) + 1))" -I '{}' bash -c 'row {}' || failed=yes; }
failed=no
{
  run_rows < <(grep '^render\.plain\.' <<<"$rows")
  run_rows < <(grep -v '^render\.plain\.' <<<"$rows")
} >"$log/rows"
sort -k 2,2 -n -r "$log/rows"
awk '{ processor += $2 } END { printf "%-36s %8.1f s processor\n", "all rows", processor }' "$log/rows"
[ $failed = no ]
