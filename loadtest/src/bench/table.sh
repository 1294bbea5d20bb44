#!/usr/bin/env bash
# Compares servers: CPU of connecting clients, memory of receiving clients, CPU of deliveries.
# Prints CSV: server,quantity,step,value,failed.
#
#   table.sh [PORT] [SERVER...]     (21200; PORT to PORT + 3 are used; sluice uws centrifugo nats)
#
#   BUN, CENTRIFUGO, NATS   executables of the peers; those on the PATH otherwise
#   SLUICE                  launcher of the node, instead of that of this clone
#
# connect_us      waves of 15,000 clients connect to a new process, subscribe and leave: CPU per client in µs
# memory_kib      resident memory per client, growth of a new process from 2,000 to 15,000 clients that receive
#                 one message/s each
# delivery_us     1,000 clients of one topic, three times 5 s: CPU per delivery in µs; the step is the deliveries per
#                 second
set -euo pipefail
# shellcheck source=rig.sh
source "${BASH_SOURCE[0]%/*}/rig.sh"

port=${1:-21200}
shift || true
[ $# -gt 0 ] || set -- sluice uws centrifugo nats
compile waves
compile storm -pthread
compile publish

# Waits until a port accepts connections.
await_port() {
  local try
  for ((try = 0; try < 100; try++)); do
    ! (exec 4<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null || return 0
    sleep 0.1
  done
  echo "nothing listens on port $1" >&2
  return 1
}

# Ends a process: PID
stop() {
  kill "$1"
  wait "$1" 2>/dev/null || true
}

# The functions of a server set client options, and start it (setting server) with a publisher of
# TOPICS and RATE; without RATE, only the server.
sluice() {
  client=(-p "$port" -P "$([ "$1" = 1 ] && echo sluice.v1.bin || echo sluice.v1.json)")
  start_node node "$port" $((port + 2))
  server=$pid
  [ -z "${2:-}" ] || start_feed "$1" "$2"
}

# Starts a publisher to the broker: TOPICS RATE
start_feed() {
  start feed "$sluice" feed --broker "tcp://127.0.0.1:$((port + 2))" --topics "$1" --rate "$2"
}

uws() {
  client=(-p "$port" -P '' -s '{"subscribe":"stocks.{t}"}')
  start uws "${BUN:-bun}" "${BASH_SOURCE[0]%/*}/upgrade.ts" "$port" "$1" "${2:-0}" 512
  server=$pid
  await_port "$port"
}

centrifugo() {
  client=(-p "$port" -P '' -u /connection/websocket -a '"id":2'
    -s '{"id":1,"connect":{}}'$'\n''{"id":2,"subscribe":{"channel":"stocks.{t}"}}')
  cat >"$folder/centrifugo.json" <<EOF
{"http_server": {"port": $port, "address": "127.0.0.1"}, "http_api": {"insecure": true},
 "client": {"insecure": true, "allowed_origins": ["*"]}, "log": {"level": "error"},
 "channel": {"without_namespace": {"allow_subscribe_for_client": true, "allow_subscribe_for_anonymous": true}}}
EOF
  start centrifugo "${CENTRIFUGO:-centrifugo}" -c "$folder/centrifugo.json"
  server=$pid
  await_port "$port"
  [ -z "${2:-}" ] || start feed "$folder/publish" centrifugo "$port" "$1" "$2" 512
}

nats() {
  client=(-p "$port" -P '' -u / -a PONG -s 'CONNECT {"verbose":false}'$'\n''SUB stocks.{t} 1'$'\n''PING'$'\n')
  printf 'listen: 127.0.0.1:%d\nmax_connections: 19000\nwebsocket {listen: "127.0.0.1:%d", no_tls: true}\n' \
    $((port + 1)) "$port" >"$folder/nats.conf"
  start nats "${NATS:-nats-server}" -c "$folder/nats.conf"
  server=$pid
  await_port "$port"
  [ -z "${2:-}" ] || start feed "$folder/publish" nats $((port + 1)) "$1" "$2" 512
}

# Ends the server and its publisher.
stop_server() {
  [ "$pid" = "$server" ] || stop "$pid"
  stop "$server"
}

connect() {
  "$1" 100
  "$folder/waves" -x "$server" "${client[@]}" |
    awk -F, -v OFS=, -v server="$1" 'NR > 1 {print server, "connect_us", $1, $3, $5}'
  stop_server
}

memory() {
  "$1" 100 1
  sleep 3
  "$folder/waves" -x "$server" "${client[@]}" -g 2000 -n 15000 -k 1 -H 4 |
    awk -F, -v OFS=, -v server="$1" 'NR == 2 {few = $6}
      NR == 3 {print server, "memory_kib", "2000-15000", ($6 - few) / 13000, $5}'
  stop_server
}

deliveries() {
  local name=$1 rate=$2
  # A node refuses new clients while it is overloaded, and a new process is at the full rate.
  if [ "$name" = sluice ]; then rate=; fi
  "$name" 1 "$rate"
  sleep 2
  local publisher=$pid
  start deliveries "$folder/storm" -x "$server" "${client[@]}" -n 1000 -j 0 -t 1 -k 3 -w 5
  local storm=$pid
  await '^label,' deliveries
  if [ "$name" = sluice ]; then
    start_feed 1 "$2"
    publisher=$pid
  fi
  wait "$storm" || echo "$name: deliveries were not measured" >&2
  awk -F, -v OFS=, -v server="$name" '/,idle,/ {print server, "delivery_us", $5, $10, 1000 - $4}' "$folder/deliveries"
  rm "$folder/deliveries"
  pid=$publisher
  stop_server
}

echo server,quantity,step,value,failed
for name; do
  [ "$name" != sluice ] || start_broker $((port + 2))
  connect "$name"
  memory "$name"
  # More than the other two can deliver here: they disconnect clients that are slow.
  case $name in sluice | uws) deliveries "$name" 1000 ;; *) deliveries "$name" 50 ;; esac
done
