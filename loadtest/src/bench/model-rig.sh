# Functions of the scripts that measure runs for the model of `sluice plan`. They need rig.sh and $port.

# Starts a broker at PORT + 4, a node without TLS at PORT and one with TLS at PORT + 2. LINE...: their configuration
start_nodes() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
    -keyout "$folder/key.pem" -out "$folder/certificate.pem" 2>/dev/null
  start_broker $((port + 4))
  start_node plain "$port" $((port + 4)) "$@"
  plain=$pid
  start_node tls $((port + 2)) $((port + 4)) "$@" \
    "server.tls: {certificate: $folder/certificate.pem, key: $folder/key.pem}"
  tls=$pid
}

# Sets node and url for a mode: plain or tls.
select_node() {
  node=$plain url=ws://127.0.0.1:$port/ws
  case $1 in tls*) node=$tls url=wss://127.0.0.1:$((port + 2))/ws ;; esac
}

# Replaces the feed, unless it has the same parameters: TOPICS RATE BYTES
feed() {
  [ "${feed_now:-}" != "$*" ] || return 0
  [ -z "${feed_pid:-}" ] || kill "$feed_pid" 2>/dev/null || true
  feed_now="$*"
  start feed "$sluice" feed --broker "tcp://127.0.0.1:$((port + 4))" --topics "$1" --rate "$2" --bytes "$3"
  feed_pid=$pid
  sleep 1
}

# With --duration, the load generator reads no commands; its input belongs to the caller.
# Loads both nodes in each mode, so that the compiler of their virtual machines has finished.
warm_up() {
  local mode
  feed 100 10 512
  for mode in plain tls; do
    select_node "$mode"
    "$sluice" load --url "$url" --insecure --clients 1500 --connect-rate 1000 \
      --duration "${WARM_UP:-8}" </dev/null >>"$folder/warm-up" 2>&1 ||
      tail -n 1 "$folder/warm-up" >&2
  done
  kill "$feed_pid"
  feed_now=
  echo ready >&2
}
