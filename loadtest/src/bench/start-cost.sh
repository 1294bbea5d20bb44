#!/usr/bin/env bash
# Measures new nodes with and without an AOT cache in turn. Prints CSV: time and CPU until a node listens, CPU per
# client of its first clients, and CPU per frame in the ten seconds after they have subscribed.
# The messages are 1,000/s on 100 topics; with 1,000 clients, each receives 10/s.
#
#   start-cost.sh [ROUNDS] [CLIENTS] [PORT]          (2, 1000, 21100; PORT + 2 is the broker's)
#
#   SLUICE_JAVA       Java home; its cache must exist (sluice aot-cache)
#   SLUICE_AOT_CACHE  folder of the cache
#   NO_FRAMES         1: only start and clients
set -euo pipefail
# shellcheck source=rig.sh
source "${BASH_SOURCE[0]%/*}/rig.sh"

rounds=${1:-2} clients=${2:-1000} port=${3:-21100}
cache=${SLUICE_AOT_CACHE:-}

# Waits for a line in a file, with a resolution of 10 ms: PATTERN FILE
await_line() {
  local try
  for ((try = 0; try < 6000; try++)); do
    ! grep -q "$1" "$2" || return 0
    sleep 0.01
  done
  echo "no '$1' in $2" >&2
  return 1
}

frames() {
  bash -c "exec 3<>/dev/tcp/127.0.0.1/$((port + 1)); printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3; cat <&3" |
    awk '/^sluice_frames_out_total/ {sum += $2} END {printf "%d", sum}'
}

# Ends the process started last.
end_last() {
  kill "${processes[-1]}"
  wait "${processes[-1]}" || true
  unset 'processes[-1]'
}

# Measures one node: CACHE ROUND, with CACHE yes or no.
measure() {
  local begin ready start_cpu client_cpu before after count line frame_cpu=
  : >"$folder/node"
  : >"$folder/waves"
  begin=$(date +%s%N)
  SLUICE_AOT_CACHE=$([ "$1" = yes ] && echo "$cache" || echo off) \
    start node "$sluice" run --config "$folder/node.yaml"
  await_line '^admin:' "$folder/node"
  ready=$((($(date +%s%N) - begin) / 1000000))
  local node=$pid
  start_cpu=$(cpu "$node")
  start waves "$folder/waves.bin" -x "$node" -p "$port" -n "$clients" -k 1 -H 60
  await_line '^1,' "$folder/waves"
  line=$(grep '^1,' "$folder/waves")
  client_cpu=$(cut -d, -f3 <<<"$line")
  if [ -z "${NO_FRAMES:-}" ]; then
    : >"$folder/feed"
    start feed "$sluice" feed --broker "tcp://127.0.0.1:$((port + 2))" --topics 100 --rate 10 --bytes 512
    await_line 'feed.connected' "$folder/feed"
    count=$(frames)
    before=$(cpu "$node")
    sleep 10
    after=$(cpu "$node")
    count=$(($(frames) - count))
    frame_cpu=$(awk -v s="$before" -v e="$after" -v n="$count" 'BEGIN {printf "%.1f", (e - s) * 1e6 / n}')
    end_last
  fi
  end_last
  end_last
  echo "$java,$1,$2,$clients,$ready,$start_cpu,$client_cpu,$frame_cpu"
}

cc -O2 -o "$folder/waves.bin" "${BASH_SOURCE[0]%/*}/waves.c"
cat >"$folder/node.yaml" <<EOF
server.port: $port
admin.port: $((port + 1))
broker.url: tcp://127.0.0.1:$((port + 2))
auth.anonymous: true
limits.per-address: {connections: 0, handshake-rate: 0, subscriptions: 0, topics: 0}
EOF
java=${SLUICE_JAVA:-newest}
java=${java##*/}
start_broker $((port + 2))
sleep 2
echo 'java,cache,round,clients,ready_ms,ready_cpu_s,us_per_client,us_per_frame'
for ((round = 1; round <= rounds; round++)); do
  measure no "$round"
  measure yes "$round"
done
