#!/usr/bin/env bash
# Prints the path of an HAProxy, an nginx, an MIT KDC, a promtool, a skopeo, an umoci, a nats-server or a RabbitMQ that
# runs: the machine's own, or one made in a folder out of the packages of Debian or Ubuntu, which takes no root. Other
# programs of the same packages lie beside it. Ends with 1 and one line on standard error that says what
# to install where there is none to be had. Quick once it has been done. Other modules use it, too.
# Usage: provide-program.sh haproxy|nginx|krb5kdc|promtool|skopeo|umoci|nats-server|rabbitmq-server FOLDER
set -euo pipefail

name=${1:?haproxy, nginx, krb5kdc, promtool, skopeo, umoci, nats-server or rabbitmq-server?}
folder=${2:?which folder?}
limits=(-o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20)

case $name in
  haproxy) title=HAProxy needed=2.4 packages=haproxy beside='' ;;
  nginx) title=nginx needed=1.20 packages=nginx beside='' ;;
  krb5kdc)
    title='MIT Kerberos' needed=1.18
    packages='krb5-kdc krb5-admin-server krb5-user'
    beside='kdb5_util kadmin.local kinit'
    ;;
  promtool) title=Prometheus needed=2.40 packages=prometheus beside='' ;;
  skopeo) title=skopeo needed=1.9 packages=skopeo beside='' ;;
  umoci) title=umoci needed=0.4 packages=umoci beside='' ;;
  nats-server) title='NATS server' needed=2.9 packages=nats-server beside='' ;;
  rabbitmq-server) title=RabbitMQ needed=3.10 packages=rabbitmq-server beside='' ;;
  *)
    echo "$name is none of haproxy, nginx, krb5kdc, promtool, skopeo, umoci, nats-server and rabbitmq-server" >&2
    exit 2
    ;;
esac

fail() {
  echo "$1; install $title $needed or newer (Debian, Ubuntu: sudo apt-get install $packages)" >&2
  exit 1
}

# Only a version that is new enough runs what docs/operations/reverse-proxies.md configures. The KDC tells none, but
# its usage, and those of the last ten years are all new enough.
is_good() {
  local version
  if [ "$name" = krb5kdc ]; then
    version=$("$1" '-?' 2>&1 || true)
    [[ $version == *'usage: krb5kdc'* ]]
    return
  fi
  case $name in
    promtool | skopeo | umoci) version=$("$1" --version 2>&1 || true) ;;
    rabbitmq-server) version=$(rabbitmq_version "$(dirname "$1")") ;;
    *) version=$("$1" -v 2>&1 || true) ;;
  esac
  version=${version/nats-server: v/nats-server version }
  version=$(sed -n 's#^[A-Za-z-]*,* version:* [a-z/]*\([0-9]*\.[0-9]*\).*#\1#p' <<<"$version")
  [ -n "$version" ] && printf '%s\n' "$needed" "$version" | sort -V -C
}

# RabbitMQ does not print its version without a start. The script of its package is for root alone, the one that it
# calls is not.
rabbitmq_version() {
  local home
  for home in "$1"/../lib/rabbitmq_server-* "$1"/usr/lib/rabbitmq/lib/rabbitmq_server-*; do
    [ ! -d "$home" ] || echo "rabbitmq version ${home##*-}"
  done
}

find_installed() {
  local place
  # Debian's place is not on the path of those who are not root.
  for place in "$(command -v "$name" || true)" "/usr/sbin/$name" "/usr/local/sbin/$name" \
    "/usr/lib/rabbitmq/bin/$name"; do
    if [ -n "$place" ] && is_good "$place" && has_others "$(dirname "$place")"; then
      echo "$place"
      return
    fi
  done
  return 1
}

# Debian has what is not for root alone in another folder.
has_others() {
  local other
  for other in $beside; do
    [ -x "$1/$other" ] || [ -x "${1%/sbin}/bin/$other" ] || return 1
  done
}

# The program's packages and those that it needs that the machine lacks, one name a line. Prometheus needs
# others for its pages only.
list_packages() {
  if [ "$packages" = prometheus ]; then
    apt-cache show --no-all-versions "$packages" 2>/dev/null | sed -n 's/^Package: //p'
    return
  fi
  # shellcheck disable=SC2086
  apt-get -s install --no-install-recommends $packages 2>/dev/null | sed -n 's/^Inst \([^ ]*\).*/\1/p'
}

fetch() {
  local wanted
  wanted=$(list_packages || true)
  if [ -z "$wanted" ] && [ "$(id -u)" = 0 ]; then
    apt-get -q "${limits[@]}" update >&2 || true
    wanted=$(list_packages || true)
  fi
  [ -n "$wanted" ] || fail "apt-get does not know $packages, perhaps for want of an update"
  # shellcheck disable=SC2086
  (cd "$1" && apt-get -q "${limits[@]}" download $wanted >fetched.log 2>&1) ||
    fail "the packages of $title can't be fetched ($(grep -m 1 '^E:' "$1/fetched.log"))"
}

# Its libraries lie beside it, where the loader has to be told of them.
write_launcher() {
  cat >"$1" <<'LAUNCHER'
#!/usr/bin/env bash
here=$(cd "$(dirname "$0")" && pwd)
libraries=$(find "$here" -name '*.so.*' -printf '%h\n' | sort -u | paste -s -d :)
for folder in lib/rabbitmq/bin sbin bin; do
  program=$here/usr/$folder/$(basename "$0")
  [ ! -x "$program" ] || break
done
export PATH=$here/usr/lib/erlang/bin:$PATH
LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec "$program" "$@"
LAUNCHER
  chmod +x "$1"
}

if installed=$(find_installed); then
  echo "$installed"
  exit
fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
# Tests that run at the same time want the same one; whoever comes second finds it there.
if command -v flock >/dev/null; then
  exec 9>"$folder/lock"
  flock -w 110 9 || fail "somebody else is fetching $title for too long"
fi
if ! is_good "$folder/root/$name"; then
  command -v apt-get >/dev/null && command -v dpkg >/dev/null || fail "this machine has no $title"
  rm -rf "$folder/packages" "$folder/root"
  mkdir -p "$folder/packages" "$folder/root"
  fetch "$folder/packages"
  for package in "$folder"/packages/*.deb; do
    dpkg -x "$package" "$folder/root"
  done
  # Erlang's launcher contains its place.
  erlang=$folder/root/usr/lib/erlang
  [ ! -f "$erlang/bin/erl" ] || sed -i "s#ROOTDIR=/usr/lib/erlang#ROOTDIR=$erlang#" "$erlang/bin/erl"
  for program in $name $beside; do
    write_launcher "$folder/root/$program"
  done
  is_good "$folder/root/$name" || fail "the $title of this machine's packages does not run"
fi
echo "$folder/root/$name"
