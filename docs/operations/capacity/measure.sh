#!/usr/bin/env bash
# Adds clients stepwise until the limit of the latency is exceeded. Options are those of `sluice simulate`.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. docs/operations/capacity/settings.sh

gateway/bin/sluice simulate Ramp -Dfolder="$FOLDER" \
  -Durl="ws://127.0.0.1:$PORT/ws" -Dmetrics="http://127.0.0.1:$ADMIN_PORT/metrics" \
  -Dtopics="$TOPICS" -Drate="$RATE" -Dsize="$SIZE" -Dobjective="$P99" \
  -Dfrom="$FROM" -Dto="$TO" -Dstep="$STEP" -Dwarmup="$WARMUP" -Dduration="$DURATION" "$@"
