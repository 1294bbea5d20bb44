#!/usr/bin/env bash
# Replaces the nodes one by one by the version in the folder $SLUICE.
set -euo pipefail
cd "$(dirname "$0")"

for number in 1 2 3; do
  ./node.sh stop "$number"
  ./node.sh start "$number"
done
