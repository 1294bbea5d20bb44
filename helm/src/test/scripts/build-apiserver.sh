#!/usr/bin/env bash
# Builds kube-apiserver and its etcd in a folder, and puts those definitions beside them that the
# chart's objects need (folder crds). It needs Go, which fetches the sources; some minutes, once.
# Kubernetes, etcd, the Prometheus operator and the Gateway API are under Apache-2.0.
# Usage: build-apiserver.sh FOLDER
set -euo pipefail

KUBERNETES=v1.36.3
PROMETHEUS_OPERATOR=v0.85.0
GATEWAY_API=v1.6.2

folder=$(mkdir -p "${1:?which folder?}" && cd "$1" && pwd)
made=$folder/made-$KUBERNETES-$PROMETHEUS_OPERATOR-$GATEWAY_API
[ ! -e "$made" ] || exit 0

command -v go >/dev/null || {
  printf 'build-apiserver: go is missing; install Go 1.26 or later\n' >&2
  exit 1
}
sources=$folder/sources
rm -rf "$sources" "$folder/crds"
mkdir -p "$sources/kube-apiserver" "$sources/etcd" "$folder/crds"
cd "$sources"

# field NAME MODULE@VERSION: of what Go says of a module that it has fetched
field() {
  local value
  value=$(go mod download -json "$2" | sed -n 's/^\t"'"$1"'": "\(.*\)",$/\1/p')
  [ -n "$value" ] || {
    printf 'build-apiserver: %s could not be fetched\n' "$2" >&2
    exit 1
  }
  printf '%s\n' "$value"
}

# Kubernetes' own modules name each other without versions; they are published as v0 of the same.
mod=$(field GoMod "k8s.io/kubernetes@$KUBERNETES")
{
  printf 'module sluice.test/apiserver\n\n'
  grep '^go ' "$mod"
  printf '\nrequire k8s.io/kubernetes %s\n\nreplace (\n' "$KUBERNETES"
  sed -n 's#^\t\(k8s\.io/[a-z-]*\) v0\.0\.0\( .*\)\{0,1\}$#\t\1 => \1 v0.'"${KUBERNETES#v1.}"'#p' "$mod"
  printf ')\n'
} >go.mod

cat >kube-apiserver/main.go <<'GO'
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() {
	os.Exit(cli.Run(app.NewAPIServerCommand()))
}
GO
cat >etcd/main.go <<'GO'
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}
GO

minor=${KUBERNETES#v1.}
version=k8s.io/component-base/version
go build -mod=mod -o "$folder/kube-apiserver" \
  -ldflags "-s -w -X $version.gitVersion=$KUBERNETES -X $version.gitMajor=1 -X $version.gitMinor=${minor%%.*}" \
  ./kube-apiserver
go build -mod=mod -o "$folder/etcd" -ldflags '-s -w' ./etcd

operator=$(field Dir "github.com/prometheus-operator/prometheus-operator@$PROMETHEUS_OPERATOR")
gateway=$(field Dir "sigs.k8s.io/gateway-api@$GATEWAY_API")
cp "$operator/example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml" \
  "$operator/example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml" \
  "$gateway/config/crd/standard/gateway.networking.k8s.io_httproutes.yaml" \
  "$gateway/config/crd/standard/gateway.networking.k8s.io_tlsroutes.yaml" "$folder/crds"
touch "$made"
