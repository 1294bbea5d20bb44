#!/usr/bin/env bash
# Archives the classes that a node and an embedded broker load (class data sharing), so that the
# hundreds of processes of the integration tests start with less CPU time.
#
#   archive-classes.sh JAVA_HOME    the Java on which tests run embedded brokers
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
  -XX:TieredStopAtLevel=1 -cp "$broker/*:$broker/lib/*" io.sluice.broker.EmbeddedBroker \
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
SLUICE_JAVA_OPTS="-Xlog:cds*=off -XX:ArchiveClassesAtExit=$folder/node.jsa -XX:TieredStopAtLevel=1" \
  bin/sluice run --anonymous --port 0 --admin-port 0 --broker "$url" >"$folder/node.log" 2>&1 &
node_pid=$!
await "$folder/node.log" 'broker.connected' >/dev/null
kill "$node_pid"
wait "$node_pid"
exec 3>&-
wait "$broker_pid"
ls -l "$folder"/*.jsa
exit 0
