#!/usr/bin/env bash
# Archives the classes that a node and an embedded broker load (class data sharing), so that the
# hundreds of processes of the integration tests start with less CPU time.
#
#   archive-classes.sh JAVA_HOME FULL
#
#   JAVA_HOME  the Java on which tests run embedded brokers
#   FULL       true: also the node with other timeouts, which mostly tests of the profile full start
#
# A process starts without an archive, too: a failure here is reported and costs only time.
set -u
cd "$(dirname "$0")/../../.." || exit 1
folder=$PWD/target/class-archives
broker=embedded-broker/target
rm -rf "$folder"
mkdir -p "$folder"

mkfifo "$folder/stdin"
"$1/bin/java" -Xlog:cds*=off -XX:ArchiveClassesAtExit="$folder/broker.jsa" -Xmx512m \
  -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "$broker/*:$broker/lib/*" \
  io.sluice.broker.EmbeddedBroker \
  --until-stdin-closes --port 0 <"$folder/stdin" >"$folder/broker.log" 2>&1 &
broker_pid=$!
exec 3>"$folder/stdin"

# Prints what follows a word in the first line of a log that has it, as soon as there is one.
await() {
  local seconds
  for seconds in {1..60}; do
    if grep -q "$2" "$1"; then
      sed -n "s/.*$2//p" "$1" | head -1
      return
    fi
    sleep 0.5
  done
  echo "no '$2' in $1 after $((seconds / 2)) s" >&2
}

url=$(await "$folder/broker.log" 'BROKER READY ')
# Runs a command with further arguments until its node is connected to the broker and alone in a
# cluster, for which the archive contains JGroups.
#
#   run_node NAME ADDRESS COMMAND...
run_node() {
  local log=$folder/$1.log
  cat >"$folder/$1.yaml" <<END
auth.anonymous: true
broker.url: $url
server.port: 0
admin.port: 0
cluster:
  name: $1
  host: $2
  nodes: ["$2:7800"]
END
  "${@:3}" run --config "$folder/$1.yaml" >"$log" 2>&1 &
  local node_pid=$!
  await "$log" 'broker.connected' >/dev/null
  await "$log" 'cluster.state' >/dev/null
  kill "$node_pid"
  wait "$node_pid"
}

archive="-Xlog:cds*=off -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ArchiveClassesAtExit=$folder"
SLUICE_JAVA_OPTS="$archive/node.jsa" run_node node 127.0.0.83 bin/sluice &
node_run=$!

if [ "$2" = true ]; then
  # Archives contain classes of jars only.
  "$1/bin/jar" --create --file "$folder/tuned.jar" -C target/test-classes \
    io/sluice/gateway/cli/TunedNode.class
  gateway_jar=$(echo target/sluice-gateway-*.jar)
  # shellcheck disable=SC2086
  run_node tuned 127.0.0.84 "$1/bin/java" $archive/tuned.jsa \
    -cp "$folder/tuned.jar:$PWD/$gateway_jar:$PWD/target/lib/*" io.sluice.gateway.cli.TunedNode
fi
wait "$node_run"
exec 3>&-
wait "$broker_pid"
ls -l "$folder"/*.jsa
exit 0
