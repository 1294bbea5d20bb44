#!/usr/bin/env bash
# Archives the classes that a Kafka server loads (class data sharing): servers of the tests start with
# half of the CPU time. Keeps an archive that is newer than the class path.
#
#   archive-classes.sh JAVA_HOME    the Java on which tests run servers
#
# A server starts without an archive, too: a failure here is reported and costs only time.
set -u
cd "$(dirname "$0")/../../../target" || exit 1
folder=$PWD/class-archives
[ ! "$folder/kafka.jsa" -nt class-path.txt ] || exit 0
rm -rf "$folder"
mkdir -p "$folder"

host=127.0.0.85
is_open() {
  (exec 3<>"/dev/tcp/$host/$1") 2>"$folder/unreachable.log"
}

# Both ports are known before the server starts.
clients=$((20000 + RANDOM % 10000))
controller=$((clients + 1))
cat >"$folder/server.properties" <<END
process.roles=broker,controller
node.id=1
listeners=CLIENTS://$host:$clients,CONTROLLER://$host:$controller
listener.security.protocol.map=CLIENTS:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=CLIENTS
controller.listener.names=CONTROLLER
controller.quorum.voters=1@$host:$controller
log.dirs=$folder/data
offsets.topic.replication.factor=1
log.cleaner.dedupe.buffer.size=2097152
END

java=("$1/bin/java" "-Xlog:cds*=off" -Xmx512m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC)
class_path=$(<class-path.txt)
"${java[@]}" -cp "$class_path" kafka.tools.StorageTool format -t AAAAAAAAAAAAAAAAAAAAAQ \
  -c "$folder/server.properties" >"$folder/server.log" 2>&1
"${java[@]}" -XX:ArchiveClassesAtExit="$folder/kafka.jsa" -cp "$class_path" kafka.Kafka \
  "$folder/server.properties" >>"$folder/server.log" 2>&1 &
server=$!
for ((tries = 0; tries < 240; tries++)); do
  ! is_open "$clients" || break
  sleep 0.5
done
kill "$server"
wait "$server"
rm -rf "$folder/data"
ls -l "$folder/kafka.jsa"
exit 0
