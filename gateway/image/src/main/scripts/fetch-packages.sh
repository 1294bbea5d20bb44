#!/usr/bin/env bash
# Fetches packages of Debian 13 into a folder, from the mirror that this Debian machine uses, without
# root and without touching the machine's own lists. Quick once it has been done for the same names.
# Ends with 1 and one line on standard error that says what is missing where there are none to be had.
# Usage: fetch-packages.sh FOLDER ARCHITECTURE NAME...
#
#   SLUICE_IMAGE_SOURCES  a file of apt sources to take instead, where the machine is no Debian
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

# One line for each suite of the machine's own mirror, with the release exchanged.
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
    [ -r "$SLUICE_IMAGE_SOURCES" ] || fail "SLUICE_IMAGE_SOURCES cannot be read: $SLUICE_IMAGE_SOURCES"
    sources=$folder/apt/$(basename "$SLUICE_IMAGE_SOURCES")
    cp "$SLUICE_IMAGE_SOURCES" "$sources"
    return
  fi
  sources=$folder/apt/sources.list
  sources_of_this_machine >"$sources"
  [ -s "$sources" ] ||
    fail "this machine has no sources of Debian packages; name a file of apt sources in SLUICE_IMAGE_SOURCES"
}

for tool in apt-get dpkg-deb; do
  command -v "$tool" >/dev/null ||
    fail "'$tool' is not on the PATH; an image is made of Debian packages, on Debian or where apt is installed"
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
# The lists of package names alone.
options+=(-o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false)
options+=(-o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture")
# The user who drops root's rights for downloads can't read everybody's folders.
options+=(-o "APT::Sandbox::User=$(id -un)")
options+=(-o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20)

apt-get "${options[@]}" -o APT::Update::Error-Mode=any update >"$folder/fetched.log" 2>&1 ||
  fail "the lists of packages can't be fetched ($(grep -m 1 '^[EW]:' "$folder/fetched.log"))"
# shellcheck disable=SC2086
(cd "$folder/packages" && apt-get "${options[@]}" download $names >>"$folder/fetched.log" 2>&1) ||
  fail "packages can't be fetched ($(grep -m 1 '^E:' "$folder/fetched.log"))"
rm -rf "${folder:?}/apt/lists" "${folder:?}/apt/cache"
echo "$request" >"$folder/complete"
