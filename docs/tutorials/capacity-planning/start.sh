#!/usr/bin/env bash
# Starts a broker, a node and a feed. Ctrl-C stops them.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. docs/tutorials/capacity-planning/settings.sh
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT

gateway/bin/sluice broker --port "$BROKER_PORT" &
gateway/bin/sluice run --anonymous --broker "tcp://127.0.0.1:$BROKER_PORT" \
  --config docs/tutorials/capacity-planning/node.yaml \
  --port "$PORT" --admin-port "$ADMIN_PORT" &
gateway/bin/sluice feed --broker "tcp://127.0.0.1:$BROKER_PORT" \
  --topics "$TOPICS" --rate "$RATE" --bytes "$SIZE" &
wait
