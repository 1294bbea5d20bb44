#!/usr/bin/env bash
# Measures the latency of clients while operators watch the console: alternating rounds without and with them.
# Prints CSV: operators, and the columns of storm.c.
#
#   operators.sh [PORT] [PAIRS] [OPERATORS] [CLIENTS]     (21600, 4, 10, 2000; PORT to PORT + 2 are used)
#
# A first round, in which the node compiles, is not printed.
set -euo pipefail
# shellcheck source=rig.sh
source "${BASH_SOURCE[0]%/*}/rig.sh"

port=${1:-21600} pairs=${2:-4} operators=${3:-10} clients=${4:-2000}
rounds=$((2 * pairs + 1))
compile storm -pthread
start_broker $((port + 2))
# The clients of storm answer no pings.
start_node node "$port" $((port + 2)) 'timeouts.ping: 10m'
node=$pid
start feed "$sluice" feed --broker "tcp://127.0.0.1:$((port + 2))" --topics 100 --rate 10
start latency "$folder/storm" -x "$node" -p "$port" -n "$clients" -j 0 -k "$rounds" -w 12

watch=
await '^label,' latency
echo "operators,$(grep '^label,' "$folder/latency")"
for ((round = 1; round <= rounds; round++)); do
  await "^server,$round,idle" latency
  [ "$round" = 1 ] || echo "$((watch ? operators : 0)),$(grep "^server,$round,idle" "$folder/latency")"
  if [ -n "$watch" ]; then
    kill "$watch"
    watch=
  elif [ "$round" != "$rounds" ]; then
    start operators node "${BASH_SOURCE[0]%/*}/operators.mjs" "http://127.0.0.1:$((port + 1))" "$operators"
    watch=$pid
  fi
done
! grep . "$folder/operators" | grep -v READY >&2
