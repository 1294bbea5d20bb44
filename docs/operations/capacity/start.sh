#!/usr/bin/env bash
# Starts a broker, a node and a feed. Ctrl-C stops them; if one of them ends, so do the others.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. docs/operations/capacity/settings.sh
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT

broker="tcp://127.0.0.1:$BROKER_PORT"
gateway/bin/sluice broker --port "$BROKER_PORT" &
names[$!]=broker
gateway/bin/sluice run --anonymous --broker "$broker" \
  --config docs/operations/capacity/node.yaml \
  --port "$PORT" --admin-port "$ADMIN_PORT" &
names[$!]=node
gateway/bin/sluice feed --broker "$broker" --topics "$TOPICS" --rate "$RATE" --bytes "$SIZE" &
names[$!]=feed

wait -n || status=$?
for process in "${!names[@]}"; do
  kill -0 "$process" 2>/dev/null ||
    echo "start.sh: the ${names[$process]} ended with status ${status:-0}; see its log above" >&2
done
exit 1
