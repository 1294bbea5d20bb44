#!/usr/bin/env bash
# Compares the CPU time per frame of a node with TLS and of HAProxy and nginx with TLS in front of a
# plain node: the same messages to the same clients, in alternating rounds. Prints CSV. The first
# round includes the compilation of both nodes.
#
#   tls-peers.sh [ROUNDS] [CLIENTS] [RATE] [PORT]      (3, 2000, 10, 21440; ports up to PORT + 9)
#
#   HAPROXY, NGINX    programs; without one, its rows are omitted
#   NGINX_MODULES     lines of nginx's configuration that load its stream module
#   BYTES             size of a message (200)
#   SLUICE_JAVA_OPTS  options of all virtual machines
#
# All servers have one thread for clients and use TLS 1.3 with TLS_AES_128_GCM_SHA256. The column
# tls is the process that encrypts, node the plain node behind a proxy.
set -euo pipefail
# shellcheck source=rig.sh
source "${BASH_SOURCE[0]%/*}/rig.sh"

rounds=${1:-3} clients=${2:-2000} rate=${3:-10} port=${4:-21440} bytes=${BYTES:-200}
plain=$port tls=$((port + 2)) broker=$((port + 4)) haproxy=$((port + 5)) nginx=$((port + 6))

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
  -keyout "$folder/key.pem" -out "$folder/certificate.pem" 2>/dev/null
cat "$folder/certificate.pem" "$folder/key.pem" >"$folder/both.pem"

start_haproxy() {
  cat >"$folder/haproxy.cfg" <<END
global
  nbthread 1
  maxconn $((clients + 100))
  ssl-default-bind-options ssl-min-ver TLSv1.3
  ssl-default-bind-ciphersuites TLS_AES_128_GCM_SHA256
defaults
  mode tcp
  timeout connect 10s
  timeout client 1h
  timeout server 1h
listen sluice
  bind 127.0.0.1:$haproxy ssl crt $folder/both.pem
  server node 127.0.0.1:$plain
END
  start haproxy "$HAPROXY" -db -f "$folder/haproxy.cfg"
}

start_nginx() {
  cat >"$folder/nginx.conf" <<END
${NGINX_MODULES:-}
daemon off;
master_process off;
pid $folder/nginx.pid;
error_log stderr warn;
events { worker_connections $((2 * clients + 200)); }
stream {
  server {
    listen 127.0.0.1:$nginx ssl backlog=4096;
    ssl_certificate $folder/certificate.pem;
    ssl_certificate_key $folder/key.pem;
    ssl_protocols TLSv1.3;
    ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
    proxy_pass 127.0.0.1:$plain;
    tcp_nodelay on;
    proxy_timeout 1h;
  }
}
END
  start nginx "$NGINX" -p "$folder" -c nginx.conf
}

# Measures one server: NAME URL TLS_PID [NODE_PID]; TLS_PID 0 if nothing is encrypted
measure() {
  local before after load
  "$sluice" load --url "$2" --insecure --clients "$clients" --duration 60 >"$folder/measured" 2>&1 &
  load=$!
  processes+=("$load")
  await '"ready"' measured
  sleep 5
  before=$(sample "$3" "${4:-0}")
  sleep 8
  after=$(sample "$3" "${4:-0}")
  kill "$load" 2>/dev/null || true
  wait "$load" 2>/dev/null || true
  echo "$before $after" | awk -v name="$1" '{
    frames = $6 - $3; tls = ($4 - $1) * 1e6 / frames; node = ($5 - $2) * 1e6 / frames
    printf "%s,%.2f,%.2f,%.2f,%d\n", name, tls, node, tls + node, frames}'
}

# Prints the CPU times of two processes and the frames received, at the next report of the clients.
sample() {
  local reports try
  reports=$(grep -ac '"second"' "$folder/measured" || true)
  for ((try = 0; try < 250; try++)); do
    [ "$(grep -ac '"second"' "$folder/measured" || true)" = "$reports" ] || break
    sleep 0.02
  done
  echo "$(seconds "$1") $(seconds "$2") $(grep -a '"second"' "$folder/measured" | tail -n 1 | sed 's/.*"frames": *\([0-9]*\).*/\1/')"
}

seconds() {
  if [ "$1" = 0 ]; then echo 0; else cpu "$1"; fi
}

start_broker "$broker"
start_node plain "$plain" "$broker" 'server.event-loops: 1'
plain_pid=$pid
start_node tls "$tls" "$broker" 'server.event-loops: 1' \
  "server.tls: {certificate: $folder/certificate.pem, key: $folder/key.pem}"
tls_pid=$pid
[ -z "${HAPROXY:-}" ] || { start_haproxy; haproxy_pid=$pid; }
[ -z "${NGINX:-}" ] || { start_nginx; nginx_pid=$pid; }
start feed "$sluice" feed --broker "tcp://127.0.0.1:$broker" --rate "$rate" --bytes "$bytes"

echo 'server,tls_us,node_us,us_per_frame,frames'
for ((round = 1; round <= rounds; round++)); do
  measure plain "ws://127.0.0.1:$plain/ws" 0 "$plain_pid"
  measure sluice "wss://127.0.0.1:$tls/ws" "$tls_pid"
  [ -z "${HAPROXY:-}" ] || measure haproxy "wss://127.0.0.1:$haproxy/ws" "$haproxy_pid" "$plain_pid"
  [ -z "${NGINX:-}" ] || measure nginx "wss://127.0.0.1:$nginx/ws" "$nginx_pid" "$plain_pid"
done
