#!/usr/bin/env bash
# Compares the protocols of a node in turn, and other servers that speak them. Prints a table and
# writes CSV: server,protocol,rate,round,us_per_frame,p50_ms,p50_low,p50_high,p99_ms,p99_low,p99_high,
# lost,repeated,frames; in rows of memory, server,protocol,memory and KiB per idle client by resident
# memory and by heap.
#
#   protocols.sh [CSV] [PORT]          (protocols.csv, 21500; PORT to PORT + 8 are used)
#
#   PROTOCOLS      those of the node (sluice.v1.json sluice.v1.bin sse stomp mqtt); the first is the
#                  base of the ratios
#   PEERS          other servers (mosquitto artemis rabbitmq); those without program are skipped
#   CLIENTS, TOPICS, BYTES   load (10000, 100, 512)
#   RATE           messages per second and topic for the node (10)
#   PEER_RATE      the same for other servers, and for a second series of the node (0.5)
#   ROUNDS         measured rounds after one that warms up (3)
#   WARM_UP, MEASURED   seconds of each round that are not measured, and that are (15, 20)
#   MOSQUITTO, RABBITMQ, ARTEMIS_JAVA   programs of the peers
#
# The node runs once for all rounds, and the peers one after the other: they receive the messages
# from the load generator, in the protocol that is measured.
set -euo pipefail
# shellcheck source=rig.sh
source "${BASH_SOURCE[0]%/*}/rig.sh"

here=${BASH_SOURCE[0]%/*}
csv=${1:-protocols.csv} port=${2:-21500}
read -ra protocols <<<"${PROTOCOLS-sluice.v1.json sluice.v1.bin sse stomp mqtt}"
read -ra peers <<<"${PEERS-mosquitto artemis rabbitmq}"
clients=${CLIENTS:-10000} topics=${TOPICS:-100} bytes=${BYTES:-512}
rate=${RATE:-10} peer_rate=${PEER_RATE:-0.5}
rounds=${ROUNDS:-3} warm_up=${WARM_UP:-15} measured=${MEASURED:-20}
few=$((clients / 5))

# Ends a process of this script: PID
stop() {
  kill "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}

# Prints a figure of the last measurement: NAME [MEMBER]
figure() {
  local inner=
  [ $# = 1 ] || inner="{[^}]*\"$2\":"
  sed -n "s/.*\"event\":\"measured\".*\"$1\":$inner\([-0-9.E]*\).*/\1/p" "$folder/load" | tail -n 1
}

millis() {
  awk -v micros="$(figure "$@")" 'BEGIN {printf "%.2f", micros / 1000}'
}

# Measures one round: SERVER PROTOCOL RATE ROUND PID OPTION...
measure() {
  local server=$1 protocol=$2 messages=$3 round=$4 process=$5 load feed=
  shift 5
  : >"$folder/load"
  start load "$sluice" load --protocol "$protocol" --clients "$clients" --topics "$topics" --connect-rate 3000 \
    --measured 100 --seed "$round" --warm-up "$warm_up" --duration $((warm_up + measured)) \
    --server-pid "$process" "$@" </dev/null
  load=$pid
  # A node refuses clients while it is overloaded, so that messages follow the last client.
  if [ "$server" = sluice ] && await '"ready"' load; then
    start feed "$sluice" feed --broker "tcp://127.0.0.1:$((port + 2))" --topics "$topics" --rate "$messages" \
      --bytes "$bytes"
    feed=$pid
  fi
  if ! wait "$load"; then
    echo "$server, $protocol: $(grep -av '"second"' "$folder/load" | tail -n 1)" >&2
  fi
  [ -z "$feed" ] || stop "$feed"
  grep -a '"event":"error"' "$folder/load" | head -n 3 >&2 || true
  [ -n "$(figure frames)" ] || return 0
  echo "$server,$protocol,$messages,$round,$(figure serverMicrosPerFrame),$(millis p50Micros mean),$(millis p50Micros low),$(millis p50Micros high),$(millis p99Micros mean),$(millis p99Micros low),$(millis p99Micros high),$(figure lost),$(figure repeated),$(figure frames)" |
    tee -a "$csv" >&2
}

# Prints the URL of a node for a protocol.
url() {
  case $1 in
    sse) echo "http://127.0.0.1:$port/topics" ;;
    mqtt) echo "ws://127.0.0.1:$port/mqtt" ;;
    *) echo "ws://127.0.0.1:$port/ws" ;;
  esac
}

# Prints heap in use after a collection in KiB; nothing if the process is no Java.
heap() {
  local jcmd
  jcmd=$(dirname "$(readlink "/proc/$1/exe")")/jcmd
  [ -x "$jcmd" ] || return 0
  "$jcmd" "$1" GC.run >/dev/null
  "$jcmd" "$1" GC.run >/dev/null
  "$jcmd" "$1" GC.heap_info | sed -n 's/.* used \([0-9]*\)K.*/\1/p' | head -n 1
}

# Measures the memory of idle clients: SERVER PROTOCOL PID OPTION...
memory() {
  local server=$1 protocol=$2 process=$3 heap_few resident_few heap_all resident_all
  shift 3
  rm -f "$folder/commands"
  : >"$folder/load"
  if ! start_load --protocol "$protocol" "$@"; then
    echo "$server, $protocol: memory was not measured" >&2
    return
  fi
  local load=${processes[-1]}
  resize "$few"
  sleep 3
  heap_few=$(heap "$process")
  resident_few=$(resident "$process")
  resize "$clients"
  sleep 3
  heap_all=$(heap "$process")
  resident_all=$(resident "$process")
  exec 3>&-
  wait "$load" || true
  awk -v n=$((clients - few)) -v server="$server" -v protocol="$protocol" \
    -v r="$resident_few" -v s="$resident_all" -v h="$heap_few" -v i="$heap_all" \
    'BEGIN {printf "%s,%s,memory,%.2f,%s\n", server, protocol, (s - r) * 1024 / n,
      h == "" ? "" : sprintf("%.2f", (i - h) / n)}' | tee -a "$csv" >&2
}

node() {
  start_node node "$port" $((port + 2))
  node=$pid
}

measure_node() {
  local messages round protocol
  for protocol in "${protocols[@]}"; do
    : >"$folder/node"
    node
    memory sluice "$protocol" "$node" --url "$(url "$protocol")"
    stop "$node"
  done
  : >"$folder/node"
  node
  for messages in "$rate" $([ ${#peers[@]} = 0 ] || echo "$peer_rate"); do
    for ((round = 0; round <= rounds; round++)); do
      for protocol in "${protocols[@]}"; do
        measure sluice "$protocol" "$messages" "$round" "$node" --url "$(url "$protocol")"
      done
    done
  done
  stop "$node"
}

# Measures another server: SERVER PROTOCOL PID URL [PREFIX]
measure_peer() {
  local prefix=() round
  [ -z "${5:-}" ] || prefix=(--topic-prefix "$5")
  memory "$1" "$2" "$3" --url "$4" "${prefix[@]}"
  for ((round = 0; round <= rounds; round++)); do
    measure "$1" "$2" "$peer_rate" "$round" "$3" --url "$4" "${prefix[@]}" \
      --publish "$peer_rate" --publish-bytes "$bytes"
  done
}

# Waits until a port accepts connections.
await_port() {
  local try
  for ((try = 0; try < 300; try++)); do
    ! (exec 4<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null || return 0
    sleep 0.1
  done
  echo "nothing listens on port $1" >&2
  return 1
}

mosquitto() {
  local program
  program=$(type -P "${MOSQUITTO:-mosquitto}") || { echo 'mosquitto: no program' >&2 && return; }
  # Without a plain listener, version 2.0 does not start.
  printf '%s\n' "listener $((port + 3)) 127.0.0.1" "listener $((port + 4))" 'protocol websockets' \
    'allow_anonymous true' 'max_queued_messages 0' 'log_type error' >"$folder/mosquitto.conf"
  start mosquitto "$program" -c "$folder/mosquitto.conf"
  local server=$pid
  await_port $((port + 4))
  measure_peer mosquitto mqtt "$server" "ws://127.0.0.1:$((port + 4))/mqtt"
  stop "$server"
}

artemis() {
  if ! mvn -q -B -f "$here/artemis/pom.xml" dependency:build-classpath \
    "-Dmdep.outputFile=$folder/artemis.path" >"$folder/maven" 2>&1; then
    echo "artemis: $(grep -am 1 ERROR "$folder/maven")" >&2
    return
  fi
  local protocol prefix server
  for protocol in stomp mqtt; do
    : >"$folder/artemis"
    start artemis "${ARTEMIS_JAVA:-java}" -cp "$(<"$folder/artemis.path")" "$here/artemis/Acceptors.java" $((port + 5))
    server=$pid
    await 'ARTEMIS READY' artemis
    prefix=
    [ "$protocol" = mqtt ] || prefix=/topic/stocks.
    measure_peer artemis "$protocol" "$server" "ws://127.0.0.1:$((port + 6))/" "$prefix"
    stop "$server"
  done
}

rabbitmq() {
  local program protocol prefix server path
  program=$(type -P "${RABBITMQ:-/usr/lib/rabbitmq/bin/rabbitmq-server}") || { echo 'rabbitmq: no program' >&2 && return; }
  printf '%s\n' 'listeners.tcp = none' 'stomp.listeners.tcp = none' 'mqtt.listeners.tcp = none' \
    'web_stomp.tcp.ip = 127.0.0.1' "web_stomp.tcp.port = $((port + 7))" \
    'web_mqtt.tcp.ip = 127.0.0.1' "web_mqtt.tcp.port = $((port + 8))" \
    'stomp.default_user = guest' 'stomp.default_pass = guest' >"$folder/rabbitmq.conf"
  echo '[rabbitmq_web_stomp,rabbitmq_web_mqtt].' >"$folder/rabbitmq.plugins"
  # Otherwise RabbitMQ starts one that outlives it.
  ! type -P epmd >/dev/null || start epmd epmd -port $((port + 4))
  for protocol in stomp mqtt; do
    : >"$folder/rabbitmq"
    rm -f "$folder/rabbitmq.pid"
    start rabbitmq env "HOME=$folder" RABBITMQ_NODENAME=bench@localhost "RABBITMQ_CONFIG_FILE=$folder/rabbitmq.conf" \
      "RABBITMQ_ENABLED_PLUGINS_FILE=$folder/rabbitmq.plugins" "RABBITMQ_MNESIA_BASE=$folder/mnesia" \
      "RABBITMQ_LOG_BASE=$folder/rabbitmq.logs" "RABBITMQ_PID_FILE=$folder/rabbitmq.pid" \
      RABBITMQ_DIST_PORT=$((port + 3)) ERL_EPMD_PORT=$((port + 4)) "$program"
    await 'completed with' rabbitmq
    server=$(<"$folder/rabbitmq.pid")
    processes+=("$server")
    prefix='' path=$((port + 8))
    if [ "$protocol" = stomp ]; then prefix=/topic/stocks. path=$((port + 7)); fi
    measure_peer rabbitmq "$protocol" "$server" "ws://127.0.0.1:$path/ws" "$prefix"
    stop "$server"
  done
}

# Prints a table of the means of all rounds but the first; the ratio is that to the first protocol
# of the node within the same round and rate.
table() {
  awk -F, -v base="${protocols[0]:-}" '
    $3 == "memory" {resident[$1 "," $2] = $4; heap[$1 "," $2] = $5; next}
    NR == 1 || $4 == 0 {next}
    {
      key = $1 "," $2 "," $3
      if (!(key in n)) order[++keys] = key
      n[key]++; cost[key] += $5; p50[key] += $6; p99[key] += $9; lost[key] += $12; repeated[key] += $13
      if ($1 == "sluice" && $2 == base) reference[$3 "," $4] = $5
      each[key, n[key]] = $5; at[key, n[key]] = $3 "," $4
    }
    END {
      print "| server | protocol | rate | µs per frame | ratio | p50, ms | p99, ms | lost | repeated | resident, KiB | heap, KiB |"
      print "|---|---|---|---|---|---|---|---|---|---|---|"
      for (k = 1; k <= keys; k++) {
        key = order[k]; split(key, name, ","); sum = 0; pairs = 0
        for (i = 1; i <= n[key]; i++)
          if (reference[at[key, i]] > 0) {sum += each[key, i] / reference[at[key, i]]; pairs++}
        who = name[1] "," name[2]
        printf "| %s | %s | %s | %.2f | %s | %.1f | %.1f | %d | %d | %s | %s |\n", name[1], name[2], name[3],
          cost[key] / n[key], pairs ? sprintf("%.2f", sum / pairs) : "", p50[key] / n[key], p99[key] / n[key],
          lost[key], repeated[key], resident[who], heap[who]
      }
    }' "$csv"
}

echo 'server,protocol,rate,round,us_per_frame,p50_ms,p50_low,p50_high,p99_ms,p99_low,p99_high,lost,repeated,frames' >"$csv"
if [ ${#protocols[@]} -gt 0 ]; then
  start_broker $((port + 2))
  measure_node
fi
for peer in "${peers[@]}"; do
  "$peer"
done
table
