#!/bin/sh
# Compiles the library, its tests and the examples with Mono: sh mono-build.sh FOLDER
# On Debian: apt-get install mono-mcs libmono-cil-dev libnewtonsoft-json5.0-cil
set -eu
cd "$(dirname "$0")"
out=$1
json=${NEWTONSOFT_JSON:-/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll}

compile() {
  mcs -nologo -langversion:7.2 -warn:4 -warnaserror -r:System.Net.Http -r:"$json" "$@"
}

mkdir -p "$out"
cp "$json" "$out"
compile -target:library -out:"$out/Sluice.Client.dll" -doc:"$out/Sluice.Client.xml" -recurse:'src/*.cs'
compile -r:"$out/Sluice.Client.dll" -out:"$out/Sluice.Client.Tests.exe" -recurse:'tests/*.cs'
for example in Show Consume Request; do
  compile -r:"$out/Sluice.Client.dll" -out:"$out/$example.exe" "examples/$example.cs"
done
