#!/usr/bin/env bash
# Calculates the number of nodes from a measurement, by default the latest one.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. docs/operations/capacity/settings.sh
measurement=${1:-$(ls -t "$FOLDER"/ramp-*.json | head -n 1)}

gateway/bin/sluice plan "$measurement" --clients "$CLIENTS" --p99 "$P99" \
  --headroom 30 --spare 1 --accept-one-process
