#!/usr/bin/env bash
# Compares a node with a bridge between the broker and µWebSockets (bridge.ts) by "sluice ab-test". Prints the
# comparison as Markdown, and writes both measurements with their reports to FOLDER.
#
#   bridge.sh FOLDER [PORT] [OPTION...]     (21450; ports up to PORT + 5 are used; options of "sluice ab-test")
#
#   BUN      executable of Bun; that on the PATH otherwise
#   TOPICS   topics of the feed (100), each with 10 messages/s
#
# Both read the same broker and send JSON to clients without TLS. The bridge uses STOMP, for which the script gives
# the embedded broker a protocol handler.
set -euo pipefail
# shellcheck source=rig.sh
source "${BASH_SOURCE[0]%/*}/rig.sh"

output=${1:?the folder of the results is missing} port=${2:-21450}
shift $(($# < 2 ? $# : 2))
broker=$((port + 2)) bridge=$((port + 3)) topics=${TOPICS:-100}
clone=$(cd "${BASH_SOURCE[0]%/*}/../../.." && pwd)

# The handler has not been published for the broker's own version.
mkdir -p "$output"
cp -r "$clone/gateway/embedded-broker/target" "$folder/embedded-broker"
mvn -q -B -ntp dependency:copy -Dartifact=org.apache.artemis:artemis-stomp-protocol:2.50.0 \
  -DoutputDirectory="$folder/embedded-broker/lib" >&2
SLUICE_JAVA_OPTS=-Dsluice.embedded-broker=$folder/embedded-broker start_broker "$broker"
start feed "$sluice" feed --broker "tcp://127.0.0.1:$broker" --topics "$topics" --rate 10

cat >"$folder/node.yaml" <<EOF
server.port: $port
admin.port: $((port + 1))
broker.url: tcp://127.0.0.1:$broker
auth.anonymous: true
limits.per-address: {connections: 0, handshake-rate: 0, subscriptions: 0, topics: 0}
EOF
"$sluice" ab-test --encoding json --topics "$topics" --folder "$output" \
  --a "${BUN:-bun} '$clone/loadtest/src/bench/bridge.ts' $bridge $broker $topics" \
  --url "ws://127.0.0.1:$bridge/ws" --metrics "http://127.0.0.1:$bridge/metrics" \
  --b "'$sluice' run --config '$folder/node.yaml'" \
  --b-url "ws://127.0.0.1:$port/ws" --b-metrics "http://127.0.0.1:$((port + 1))/metrics" "$@"
for measurement in "$output"/*.json; do
  "$sluice" report "$measurement" >&2
done
