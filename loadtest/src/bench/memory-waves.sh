#!/usr/bin/env bash
# Measures whether a node's memory is stable: waves of clients connect, receive messages and leave.
# Prints CSV with the node's resident memory and CPU time, also in the minute after the last wave.
#
#   memory-waves.sh [WAVES] [CLIENTS] [PORT]          (7, 15000, 21400; PORT + 2 is the broker's)
#
#   SLUICE_JAVA_OPTS  options of the node's virtual machine
#   RATE              messages per second and client (2)
#   OPEN_SECONDS      duration of each step after all clients are subscribed (5)
#   TLS_CERTIFICATE, TLS_KEY   PEM files: clients connect by TLS
set -euo pipefail
# shellcheck source=rig.sh
source "${BASH_SOURCE[0]%/*}/rig.sh"

waves=${1:-7} clients=${2:-15000} port=${3:-21400}
few=$((clients * 2 / 15))
options=${SLUICE_JAVA_OPTS:-}
unset SLUICE_JAVA_OPTS

sample() {
  echo "$1,$2,$(resident "$node"),$(cpu "$node")"
}

start_broker $((port + 2))
lines=() scheme=ws
if [ -n "${TLS_CERTIFICATE:-}" ]; then
  lines=("server.tls: {certificate: $TLS_CERTIFICATE, key: $TLS_KEY}")
  scheme=wss
fi
SLUICE_JAVA_OPTS=$options start_node node "$port" $((port + 2)) "${lines[@]}"
node=$pid
start feed "$sluice" feed --broker "tcp://127.0.0.1:$((port + 2))" --rate "${RATE:-2}"
start_load --url "$scheme://127.0.0.1:$port/ws" --insecure

echo 'step,clients,resident_mib,cpu_s'
sample start 1
for ((wave = 1; wave <= waves; wave++)); do
  for size in "$few" "$clients"; do
    resize "$size"
    sleep "${OPEN_SECONDS:-5}"
    sample "wave $wave" "$size"
  done
  resize 1
  sleep 1
  sample "left $wave" 1
done
for after in 15 30 45 60; do
  sleep 15
  sample "left for $after s" 1
done
