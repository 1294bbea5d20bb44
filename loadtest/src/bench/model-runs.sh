#!/usr/bin/env bash
# Measures the runs to which the model of `sluice plan` is fitted. Starts a broker, a node without and
# one with TLS, and warms both up. Reads one run per line of the standard input, and prints a CSV row for it.
#
#   model-runs.sh [PORT] [fit|held-out] [SERIES] <RUNS >>model-runs.csv     (ports up to PORT + 4)
#
# A run is: plain|tls TOPICS RATE BYTES CLIENTS. Rows with the same SERIES, a name, share their processes.
# Without arguments, the names of the columns are printed and nothing is measured.
#
#   SETTLE, SECONDS_MEASURED   seconds before and of each measurement (2, 5)
set -euo pipefail
if [ $# -lt 3 ]; then
  echo 'use,series,mode,topics,rate,bytes,clients,frames_per_s,node_cores'
  exit
fi
# shellcheck source=rig.sh
source "${BASH_SOURCE[0]%/*}/rig.sh"
# shellcheck source=model-rig.sh
source "${BASH_SOURCE[0]%/*}/model-rig.sh"

port=$1 use=$2 series=$3
settle=${SETTLE:-2} measured=${SECONDS_MEASURED:-5}

# Prints a number of a line of statistics: NAME LINE
number() {
  sed -n "s/.*\"$1\": *\([0-9.]*\).*/\1/p" <<<"$2"
}

# Prints the row of a run: MODE TOPICS RATE BYTES CLIENTS
measure() {
  local mode=$1 topics=$2 rate=$3 bytes=$4 clients=$5 line i=0
  local first='' cpu_first=0
  select_node "$mode"
  feed "$topics" "$rate" "$bytes"
  exec 4< <("$sluice" load --url "$url" --insecure --clients "$clients" --topics "$topics" \
    --connect-rate 4000 --duration $((settle + measured + 2)) 2>&1 </dev/null)
  while read -r line <&4; do
    case $line in *'"second"'*) ;; *) continue ;; esac
    [ "$(number subscribed "$line")" = "$clients" ] || continue
    i=$((i + 1))
    if [ "$i" -eq "$settle" ]; then
      first=$line cpu_first=$(cpu "$node")
    elif [ "$i" -eq $((settle + measured)) ]; then
      row "$first" "$cpu_first" "$line"
      break
    fi
  done
  exec 4<&-
}

row() {
  awk -v t0="$(number time "$1")" -v t1="$(number time "$3")" -v f0="$(number frames "$1")" -v f1="$(number frames "$3")" \
    -v c0="$2" -v c1="$(cpu "$node")" -v head="$use,$series,$mode,$topics,$rate,$bytes,$clients" \
    'BEGIN {s = (t1 - t0) / 1000; printf "%s,%.0f,%.4f\n", head, (f1 - f0) / s, (c1 - c0) / s}'
}

start_nodes
warm_up
while read -r run; do
  # shellcheck disable=SC2086
  [ -z "$run" ] || measure $run
done
