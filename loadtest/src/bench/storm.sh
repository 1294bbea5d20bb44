#!/usr/bin/env bash
# Measures a reconnect storm: 10,000 clients connect within 5 s, while 5,000 others receive messages.
# Prints CSV, which the head of storm.c describes. The peer is µWebSockets, as embedded in Bun.
#
#   storm.sh [PORT] [OPTION...]      (21200; PORT to PORT + 3 are used; options of storm.c)
#
#   BUN       executable of Bun; without it, only the node is measured
#   RATE      messages per second and topic (4)
#   SLUICE    launcher of the node, instead of that of this clone
set -euo pipefail
# shellcheck source=rig.sh
source "${BASH_SOURCE[0]%/*}/rig.sh"

port=${1:-21200} rate=${RATE:-4}
shift || true
from='{"epoch":"0000000000000000","offset":0,"since":{ago:60000},"time":{ago:4000}}'
compile storm -pthread

if [ -n "${BUN:-}" ]; then
  start peer "$BUN" "${BASH_SOURCE[0]%/*}/upgrade.ts" $((port + 3)) 100 "$rate" 512
  sleep 1
  "$folder/storm" -L uws -x "$pid" -p $((port + 3)) -P '' -s '{"subscribe":"stocks.{t}"}' "$@"
  kill "$pid"
fi
start_broker $((port + 2))
start_node node "$port" $((port + 2)) 'resume.margin: 1s'
node=$pid
start feed "$sluice" feed --broker "tcp://127.0.0.1:$((port + 2))" --rate "$rate"
sleep 8
"$folder/storm" -L sluice -x "$node" -p "$port" "$@"
"$folder/storm" -L sluice-resumed -x "$node" -p "$port" \
  -S '{"type":"subscribe","ref":1,"topic":"stocks.{t}","from":'"$from"'}' "$@"
