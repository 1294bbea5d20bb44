#!/usr/bin/env bash
# Writes the OCI image of the gateway: layers by dpkg-deb and tar from Debian packages and the gateway's
# archive, the image by umoci. It needs no root rights and no container daemon. Maintainer scripts of
# packages do not run. Run in the module's folder, after its classes are compiled.
# If the machine lacks a prerequisite, the script writes the reason to no-image.txt instead, and fails
# only if an image is required.
# Usage: build-image.sh VERSION TIME ARCHITECTURE REQUIRED [TARGET]
#
#   TIME          time of all files, which makes the digest reproducible
#   ARCHITECTURE  amd64 or arm64; machine: the machine's
#   REQUIRED      true or false
set -euo pipefail
umask 022
export LC_ALL=C

# Packages that Java and the launcher require: no package manager, no shell tools. Only the maintainer
# scripts of Java's package require more.
readonly JAVA=openjdk-25-jre-headless
readonly BASE=(base-files bash ca-certificates gcc-14-base libc-bin libc6 libgcc-s1 libstdc++6 libtinfo6
  netbase zlib1g)
# User and group of the gateway, as in the Helm chart.
readonly USER_ID=65532

version=${1:?which version?} time=${2:?which time?} architecture=${3:?which architecture?}
required=${4:?required?} target=${5:-target}
scripts=$PWD/src/main/scripts
archive=$PWD/../target/sluice-$version.tar.gz
[ "$architecture" != machine ] || architecture=$(uname -m)
case $architecture in
  amd64 | x86_64) architecture=amd64 ;;
  arm64 | aarch64) architecture=arm64 ;;
  *) echo "sluice.image.architecture is $architecture; allowed are amd64 and arm64" >&2 && exit 2 ;;
esac
# A snapshot has the tag of its release.
tag=${version%-SNAPSHOT}
java_home=/usr/lib/jvm/java-25-openjdk-$architecture
fetched=$PWD/target/debian-$architecture

mkdir -p "$target"
target=$(cd "$target" && pwd)
image=$target/sluice-image-$version-$architecture.tar
work=$target/image
rm -rf "$target"/sluice-image-*.tar "$target/SHA256SUMS" "$target/no-image.txt" "$work"
mkdir -p "$work"

# Ends without an image, because the machine lacks a prerequisite.
missing() {
  echo "The image was not built: $1" >&2
  printf '%s' "$1" >"$target/no-image.txt"
  if [ "$required" = true ]; then exit 1; else exit 0; fi
}

# Adds a package's files to a folder, without documentation and programs for administration.
unpack() {
  local package=$1 root=$2 name
  name=$(dpkg-deb --field "$package" Package)
  dpkg-deb --extract "$package" "$work/package"
  (
    cd "$work/package"
    [ "$name" != libc-bin ] || find . -mindepth 1 ! -path './usr*' -delete
    [ "$name" != libc-bin ] || find usr -mindepth 1 ! -path 'usr/lib' ! -path 'usr/lib/locale*' -delete
    rm -rf etc/skel etc/update-motd.d tmp usr/bin/{bashbug,clear_console,rbash} usr/lib/debug
    rm -rf usr/sbin/update-ca-certificates
    rm -rf usr/share/{base-files,bash-completion,debianutils,gcc,gdb,info,lintian,locale,man,menu}
    if [ -d usr/share/doc ]; then
      find usr/share/doc ! -type d ! -name copyright -delete
      find usr/share/doc -type d -empty -delete
    fi
  )
  mkdir -p "$root/var/lib/dpkg/status.d"
  cp -a "$work/package/." "$root/"
  rm -rf "$work/package"
  # Vulnerability scanners read this folder in images without a package manager.
  dpkg-deb --field "$package" >"$root/var/lib/dpkg/status.d/$name"
}

# Adds files that maintainer scripts and an administrator would create.
add_settings() {
  mkdir -p etc/sluice etc/ssl/certs
  printf '%s\n' root:x:0:0:root:/root:/usr/sbin/nologin \
    "sluice:x:$USER_ID:$USER_ID:Sluice:/var/lib/sluice:/usr/sbin/nologin" >etc/passwd
  printf '%s\n' root:x:0: "sluice:x:$USER_ID:" >etc/group
  printf '%s\n' 'passwd: files' 'group: files' 'hosts: files dns' 'services: files' \
    'protocols: files' >etc/nsswitch.conf
  # awk ends each file with a line break.
  find usr/share/ca-certificates -name '*.crt' | sort | xargs awk 1 >etc/ssl/certs/ca-certificates.crt
}

# Splits the gateway's archive: libraries, which seldom change, and the files of each release.
add_gateway() {
  local home=$work/Sluice/opt/sluice libraries=$work/libraries/opt/sluice
  mkdir -p "$home" "$libraries/lib" "$libraries/amqp"
  tar -xzf "$archive" -C "$home" --strip-components=1 --no-same-owner
  local bom
  for bom in sbom.json amqp/sbom.json; do
    [ -f "$home/$bom" ] ||
      missing "the gateway's archive contains no $bom; only an online build generates it"
  done
  find "$home/lib" -type f ! -name 'sluice-*' -exec mv -t "$libraries/lib" {} +
  find "$home/amqp" -name '*.jar' -exec mv -t "$libraries/amqp" {} +
  # The image contains no env.
  sed -i '1s,.*,#!/bin/bash,' "$home/bin/sluice"
  mkdir "$home/sbom"
  node "$scripts/sbom.mjs" "$home/sbom.json" "$home/amqp/sbom.json" "$version" "$time" \
    "$architecture" "$fetched"/packages/*.deb >"$home/sbom/sluice.cdx.json"
  rm -rf "$home/sbom.json" "$home/amqp" "$home/deploy"
  chmod -R u=rwX,go=rX "$work/Sluice" "$work/libraries"
}

# Runs tar with everything that would differ between two builds fixed.
reproducible_tar() {
  tar --sort=name --format=gnu --mtime="$time" --numeric-owner "$@"
}

# Adds a folder to the image as a layer. Files belong to root, have no set-user-id, set-group-id or
# sticky bits, and are writable by root only.
add_layer() {
  local name=$1 file="$work/$1.tar"
  (cd "$work/$name" && reproducible_tar --owner=0 --group=0 --mode=a-st,go-w -cf "$file" -- *)
  if [ "$name" = base ]; then
    mkdir -p "$work/state/tmp" "$work/state/var/lib/sluice"
    reproducible_tar -C "$work/state" --owner=0 --group=0 --mode=1777 -rf "$file" tmp
    reproducible_tar -C "$work/state" --owner=$USER_ID --group=$USER_ID --mode=0700 -rf "$file" \
      var/lib/sluice
  fi
  "$umoci" raw add-layer --image "$work/oci:$tag" --history.created "$time" \
    --history.created_by "umoci, layer $name" "$file"
}

configure() {
  local options=(--config.user "$USER_ID:$USER_ID" --config.workingdir / --config.stopsignal SIGTERM)
  options+=(--config.entrypoint /opt/sluice/bin/sluice)
  options+=(--config.cmd run --config.cmd --config --config.cmd /etc/sluice/sluice.yaml)
  options+=(--config.env "PATH=/opt/sluice/bin:$java_home/bin:/usr/bin" --config.env LANG=C.UTF-8)
  options+=(--config.env "SLUICE_JAVA=$java_home" --config.exposedports 8080/tcp)
  options+=(--architecture "$architecture" --os linux --created "$time" --author Sluice --no-history)
  local label
  for label in title=Sluice 'description=Fans topics of a message broker out over WebSocket' \
    "version=$version" "created=$time" licenses=Apache-2.0; do
    options+=(--config.label "org.opencontainers.image.$label")
    options+=(--manifest.annotation "org.opencontainers.image.$label")
  done
  "$umoci" config --image "$work/oci:$tag" "${options[@]}"
  "$umoci" gc --layout "$work/oci"
}

for tool in dpkg-deb tar node; do
  command -v "$tool" >/dev/null || missing "'$tool' is not on the PATH"
done
[ -f "$archive" ] || missing "the gateway's archive is missing: build it first at $archive"
umoci=$(../src/test/scripts/provide-program.sh umoci target/umoci 2>"$work/errors") ||
  missing "$(tail -n 1 "$work/errors")"
timeout 300 "$scripts/fetch-packages.sh" "$fetched" "$architecture" "${BASE[@]}" "$JAVA" \
  2>"$work/errors" || missing "$(cat "$work/errors")"

mkdir "$work/base" "$work/Java"
for package in "$fetched"/packages/*.deb; do
  case $package in
    */"$JAVA"_*) unpack "$package" "$work/Java" ;;
    *) unpack "$package" "$work/base" ;;
  esac
done
(cd "$work/base" && add_settings)
# The trust store of Java's package is a symbolic link to this file.
mkdir -p "$work/Java/etc/ssl/certs/java"
"${JAVA_HOME:?}/bin/java" -cp target/classes io.sluice.image.TrustStore \
  "$work/base/etc/ssl/certs/ca-certificates.crt" "$work/Java/etc/ssl/certs/java/cacerts"
add_gateway

"$umoci" init --layout "$work/oci"
"$umoci" new --image "$work/oci:$tag"
for layer in base Java libraries Sluice; do
  add_layer "$layer"
done
configure
node "$scripts/docker-manifest.mjs" "$work/oci" "sluice:$tag" "$architecture"
(cd "$work/oci" && reproducible_tar --owner=0 --group=0 --mode=go-w -cf "$image" \
  oci-layout index.json manifest.json blobs)
(cd "$target" && sha256sum --binary "${image##*/}" >SHA256SUMS)
rm -rf "$work"
echo "$image: sluice:$tag"
