#!/usr/bin/env bash
# Makes the schemas in src/test/resources/schemas anew. It needs Go, which fetches the sources, and
# Maven. Kubernetes, the Prometheus operator and the Gateway API are under Apache-2.0.
set -euo pipefail

KUBERNETES=v1.36.3
PROMETHEUS_OPERATOR=v0.85.0
GATEWAY_API=v1.6.2

command -v go >/dev/null || {
  printf 'vendor-schemas: go is missing; install Go 1.24 or later\n' >&2
  exit 1
}

module=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT

# fetch NAME MODULE@VERSION
fetch() {
  local folder
  folder=$(cd "$sources" && go mod download -json "$2" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  [ -n "$folder" ] || {
    printf 'vendor-schemas: %s could not be fetched\n' "$2" >&2
    exit 1
  }
  ln -s "$folder" "$sources/$1"
}

fetch kubernetes "k8s.io/kubernetes@$KUBERNETES"
fetch prometheus-operator "github.com/prometheus-operator/prometheus-operator@$PROMETHEUS_OPERATOR"
fetch gateway-api "sigs.k8s.io/gateway-api@$GATEWAY_API"

cd "$module"
mvn -B -ntp test -Dtest=SchemasTest "-Dsluice.schemas.sources=$sources"
# Again, with what is new on the class path.
mvn -B -ntp test -Dtest=SchemasTest
