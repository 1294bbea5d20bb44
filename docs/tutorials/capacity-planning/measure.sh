#!/usr/bin/env bash
# Adds clients stepwise until the limit of the latency is exceeded.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. docs/tutorials/capacity-planning/settings.sh

mvn -pl loadtest gatling:test -Dgatling.simulationClass=io.sluice.loadtest.Ramp \
  -Durl="ws://127.0.0.1:$PORT/ws" -Dmetrics="http://127.0.0.1:$ADMIN_PORT/metrics" \
  -Dtopics="$TOPICS" -Drate="$RATE" -Dsize="$SIZE" -Dobjective="$P99" \
  -Dfrom="$FROM" -Dto="$TO" -Dstep="$STEP" -Dwarmup="$WARMUP" -Dduration="$DURATION"
