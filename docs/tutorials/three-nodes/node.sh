#!/usr/bin/env bash
# Starts or stops a node and waits until that is done: ./node.sh start|stop NUMBER
set -euo pipefail
cd "$(dirname "$0")"
export N=$2
health=http://127.0.0.1:909$N/health

case $1 in
  start)
    "$SLUICE/gateway/bin/sluice" run --config node.yaml >>"gw-$N.log" 2>&1 &
    echo $! >"gw-$N.pid"
    until curl -fs -o /dev/null "$health/ready"; do
      kill -0 $! || exit 1 # the node has ended, see its log
      sleep 0.5
    done
    echo "gw-$N is ready"
    ;;
  stop)
    kill "$(cat "gw-$N.pid")"
    while curl -s -o /dev/null "$health/live"; do
      sleep 0.5
    done
    echo "gw-$N has stopped"
    ;;
esac
