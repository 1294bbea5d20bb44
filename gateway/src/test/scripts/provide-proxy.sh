#!/usr/bin/env bash
# Prints the path of an HAProxy or an nginx that runs: the machine's own, or one made in a folder out
# of the packages of Debian or Ubuntu, which takes no root. Ends with 1 and one line on standard
# error that says what to install where there is none to be had. Quick once it has been done.
# Usage: provide-proxy.sh haproxy|nginx FOLDER
set -euo pipefail

name=${1:?haproxy or nginx?}
folder=${2:?which folder?}
limits=(-o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20)

case $name in
  haproxy) title=HAProxy needed=2.4 ;;
  nginx) title=nginx needed=1.20 ;;
  *) echo "$name is neither haproxy nor nginx" >&2 && exit 2 ;;
esac

fail() {
  echo "$1; install $title $needed or newer (Debian, Ubuntu: sudo apt-get install $name)" >&2
  exit 1
}

# Only a version that is new enough runs what docs/OPERATIONS.md configures.
is_good() {
  local version
  version=$("$1" -v 2>&1 | sed -n 's#^[A-Za-z-]* version:* [a-z/]*\([0-9]*\.[0-9]*\).*#\1#p')
  [ -n "$version" ] && printf '%s\n' "$needed" "$version" | sort -V -C
}

find_installed() {
  local place
  # Debian's place is not on the path of those who are not root.
  for place in "$(command -v "$name" || true)" "/usr/sbin/$name" "/usr/local/sbin/$name"; do
    if [ -n "$place" ] && is_good "$place"; then
      echo "$place"
      return
    fi
  done
  return 1
}

# The program's package and those that it needs that the machine lacks, one name a line.
list_packages() {
  apt-get -s install --no-install-recommends "$name" 2>/dev/null | sed -n 's/^Inst \([^ ]*\).*/\1/p'
}

fetch() {
  local packages
  packages=$(list_packages || true)
  if [ -z "$packages" ] && [ "$(id -u)" = 0 ]; then
    apt-get -q "${limits[@]}" update >&2 || true
    packages=$(list_packages || true)
  fi
  [ -n "$packages" ] || fail "apt-get knows no package $name, perhaps for want of an update"
  # shellcheck disable=SC2086
  (cd "$1" && apt-get -q "${limits[@]}" download $packages >fetched.log 2>&1) ||
    fail "the packages of $title can't be fetched ($(grep -m 1 '^E:' "$1/fetched.log"))"
}

# Its libraries lie beside it, where the loader has to be told of them.
write_launcher() {
  sed "s/@name@/$name/" >"$1" <<'LAUNCHER'
#!/usr/bin/env bash
here=$(cd "$(dirname "$0")" && pwd)
libraries=$(find "$here" -name '*.so.*' -printf '%h\n' | sort -u | paste -s -d :)
LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec "$here/usr/sbin/@name@" "$@"
LAUNCHER
  chmod +x "$1"
}

if installed=$(find_installed); then
  echo "$installed"
  exit
fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
if ! is_good "$folder/root/$name"; then
  command -v apt-get >/dev/null && command -v dpkg >/dev/null || fail "this machine has no $title"
  rm -rf "$folder/packages" "$folder/root"
  mkdir -p "$folder/packages" "$folder/root"
  fetch "$folder/packages"
  for package in "$folder"/packages/*.deb; do
    dpkg -x "$package" "$folder/root"
  done
  write_launcher "$folder/root/$name"
  is_good "$folder/root/$name" || fail "the $title of this machine's packages does not run"
fi
echo "$folder/root/$name"
