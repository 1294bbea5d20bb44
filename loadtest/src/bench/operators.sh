#!/usr/bin/env bash
# Measures the latency of clients while operators watch the console, in rounds that alternate: without operators,
# with operators of an idle node, and with operators of the clients' node. The operators' process and the idle node
# use the same cores as the clients' node, so the second kind is the control of the third.
# Prints CSV: operators, the node that they query (none, idle, clients), and the columns of storm.c; then the ratio of
# the p99 to that of the preceding control for each round, on standard error.
#
#   operators.sh [PORT] [ROUNDS] [OPERATORS] [CLIENTS]     (21600, 4, 10, 2000; PORT to PORT + 4 are used)
#
# ROUNDS is the number of rounds of each kind. A first round, in which the node compiles, is not printed.
set -euo pipefail
# shellcheck source=rig.sh
source "${BASH_SOURCE[0]%/*}/rig.sh"

port=${1:-21600} each=${2:-4} operators=${3:-10} clients=${4:-2000}
kinds=(none idle clients)
rounds=$((3 * each + 1))
compile storm -pthread
start_broker $((port + 2))
# The clients of storm answer no pings.
start_node node "$port" $((port + 2)) 'timeouts.ping: 10m'
node=$pid
start_node idle $((port + 3)) $((port + 2))
start feed "$sluice" feed --broker "tcp://127.0.0.1:$((port + 2))" --topics 100 --rate 10
start latency "$folder/storm" -x "$node" -p "$port" -n "$clients" -j 0 -k "$rounds" -w 12

watch=
# Starts the operators of a kind of round, after those of the previous one have ended.
change_operators() {
  local admin=$((port + 1))
  if [ -n "$watch" ]; then
    kill "$watch"
    watch=
  fi
  [ "$1" != idle ] || admin=$((port + 4))
  if [ "$1" != none ]; then
    start operators node "${BASH_SOURCE[0]%/*}/operators.mjs" "http://127.0.0.1:$admin" "$operators"
    watch=$pid
  fi
}

await '^label,' latency
echo "operators,queried,$(grep '^label,' "$folder/latency")" | tee "$folder/results"
kind=none
for ((round = 1; round <= rounds; round++)); do
  await "^server,$round,idle" latency
  if [ "$round" != 1 ]; then
    count=$operators
    [ "$kind" != none ] || count=0
    echo "$count,$kind,$(grep "^server,$round,idle" "$folder/latency")" | tee -a "$folder/results"
  fi
  kind=${kinds[round % 3]}
  [ "$round" = "$rounds" ] || change_operators "$kind"
done
awk -F, '$2 == "idle" {control = $9}
  $2 == "clients" && control > 0 {printf "p99 %.2f ms, control %.2f ms, ratio %.2f\n", $9, control, $9 / control}' \
  "$folder/results" >&2
! grep . "$folder/operators" | grep -v READY >&2
