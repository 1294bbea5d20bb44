# Functions of the measuring scripts in this folder, which source it. Processes end with the script.
#
# Requires a built clone, Linux, and an open-files limit above the number of clients.

sluice=${SLUICE:-$(cd "${BASH_SOURCE[0]%/*}/../../../gateway/bin" && pwd)/sluice}
folder=$(mktemp -d)
processes=()

stop_all() {
  local i
  for ((i = ${#processes[@]} - 1; i >= 0; i--)); do
    kill "${processes[i]}" 2>/dev/null || true
    wait "${processes[i]}" 2>/dev/null || true
  done
  rm -rf "$folder"
}
trap stop_all EXIT

# Starts a process: NAME COMMAND... Its output is the file NAME; sets pid.
start() {
  local name=$1
  shift
  "$@" >>"$folder/$name" 2>&1 &
  pid=$!
  processes+=("$pid")
}

# Waits for a line in the output of a process: PATTERN NAME
await() {
  local try
  : >>"$folder/$2"
  for ((try = 0; try < 600; try++)); do
    ! grep -aq "$1" "$folder/$2" || return 0
    sleep 0.1
  done
  echo "no '$1' in the output of $2:" >&2
  tail -n 5 "$folder/$2" >&2
  return 1
}

# Compiles a C program of this folder: NAME OPTION...
compile() {
  cc -O2 "${@:2}" -o "$folder/$1" "${BASH_SOURCE[0]%/*}/$1.c"
}

start_broker() {
  start broker "$sluice" broker --port "$1"
  await 'BROKER READY' broker
}

# Starts a node and sets pid: NAME PORT BROKER_PORT [LINE...]; its admin port is PORT + 1.
start_node() {
  local name=$1 port=$2 broker=$3
  shift 3
  cat >"$folder/$name.yaml" <<EOF
server.port: $port
admin.port: $((port + 1))
broker.url: tcp://127.0.0.1:$broker
auth.anonymous: true
history.memory: 8MiB
limits.per-address: {connections: 0, handshake-rate: 0, subscriptions: 0, topics: 0}
$(printf '%s\n' "$@")
EOF
  start "$name" "$sluice" run --config "$folder/$name.yaml"
  await 'node.started' "$name"
}

# Starts a load generator with one client, whose commands are read from descriptor 3: OPTION...
start_load() {
  mkfifo "$folder/commands"
  "$sluice" load --clients 1 --connect-rate 4000 "$@" <"$folder/commands" >>"$folder/load" 2>&1 &
  processes+=($!)
  exec 3>"$folder/commands"
  await '"ready"' load
}

# Changes the number of clients and waits until all are subscribed.
resize() {
  : >"$folder/load"
  echo "clients $1" >&3
  await '"ready"' load
}

# Prints the user and system time of a process in seconds.
cpu() {
  sed 's/.*) //' "/proc/$1/stat" | awk -v hz="$(getconf CLK_TCK)" '{printf "%.2f", ($12 + $13) / hz}'
}

# Prints the resident memory of a process in MiB.
resident() {
  awk '/^VmRSS/ {printf "%.1f", $2 / 1024}' "/proc/$1/status"
}
