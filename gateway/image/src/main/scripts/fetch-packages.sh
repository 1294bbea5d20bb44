#!/usr/bin/env bash
# Downloads Debian 13 packages into a folder, from the apt mirror of this Debian machine. It needs no
# root rights and does not change the machine's package lists. A second run for the same packages
# returns at once. If the packages cannot be downloaded, the script exits with 1 and prints one line
# with the reason to standard error.
# Usage: fetch-packages.sh FOLDER ARCHITECTURE NAME...
#
#   SLUICE_IMAGE_SOURCES  file of apt sources to use instead, e.g. on a system other than Debian
set -euo pipefail

readonly RELEASE=trixie
readonly KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

folder=${1:?which folder?}
architecture=${2:?which architecture?}
shift 2
names=$*

fail() {
  echo "$1" >&2
  exit 1
}

# Prints one line for each suite of the machine's mirror, with the release replaced.
sources_of_this_machine() {
  local id codename signed=''
  # shellcheck source=/dev/null
  id=$(. /etc/os-release && echo "${ID:-}")
  # shellcheck source=/dev/null
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  [ "$id" = debian ] && [ -n "$codename" ] || return 0
  [ ! -r "$KEYRING" ] || signed="[signed-by=$KEYRING] "
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    while read -r mirror suite component; do
      case $suite in
        "$codename" | "$codename-security" | "$codename-updates")
          echo "deb $signed$mirror $RELEASE${suite#"$codename"} $component"
          ;;
      esac
    done | sort -u
}

use_sources() {
  if [ -n "${SLUICE_IMAGE_SOURCES:-}" ]; then
    [ -r "$SLUICE_IMAGE_SOURCES" ] || fail "cannot read SLUICE_IMAGE_SOURCES: $SLUICE_IMAGE_SOURCES"
    sources=$folder/apt/$(basename "$SLUICE_IMAGE_SOURCES")
    cp "$SLUICE_IMAGE_SOURCES" "$sources"
    return
  fi
  sources=$folder/apt/sources.list
  sources_of_this_machine >"$sources"
  [ -s "$sources" ] ||
    fail "this machine has no Debian package sources; set SLUICE_IMAGE_SOURCES to a file of apt sources"
}

for tool in apt-get dpkg-deb; do
  command -v "$tool" >/dev/null ||
    fail "'$tool' is not on the PATH; the image is built from Debian packages and needs apt"
done

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
request="$architecture $names ${SLUICE_IMAGE_SOURCES:-}"
if [ -r "$folder/complete" ] && [ "$(cat "$folder/complete")" = "$request" ]; then
  exit
fi
rm -rf "${folder:?}"/*
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/packages"
touch "$folder/apt/status"
use_sources

options=(-q -o "Dir::State=$folder/apt" -o "Dir::State::status=$folder/apt/status")
options+=(-o "Dir::Cache=$folder/apt/cache" -o "Dir::Etc::sourcelist=$sources")
options+=(-o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferences=/dev/null)
options+=(-o Dir::Etc::preferencesparts=/dev/null)
# Only the package lists.
options+=(-o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false)
options+=(-o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture")
# apt's unprivileged download user cannot read private folders.
options+=(-o "APT::Sandbox::User=$(id -un)")
options+=(-o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20)

apt-get "${options[@]}" -o APT::Update::Error-Mode=any update >"$folder/fetched.log" 2>&1 ||
  fail "cannot download the package lists ($(grep -m 1 '^[EW]:' "$folder/fetched.log"))"
# shellcheck disable=SC2086
(cd "$folder/packages" && apt-get "${options[@]}" download $names >>"$folder/fetched.log" 2>&1) ||
  fail "cannot download the packages ($(grep -m 1 '^E:' "$folder/fetched.log"))"
rm -rf "${folder:?}/apt/lists" "${folder:?}/apt/cache"
echo "$request" >"$folder/complete"
