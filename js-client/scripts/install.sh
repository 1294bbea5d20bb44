#!/bin/sh
# Installs the pinned packages, unless those of the package-lock.json are there already.
# Usage: install.sh [FOLDER], by default that of the client.
set -eu
cd "${1:-$(dirname "$0")/..}"

fail() {
  echo "The JavaScript client is built with Node.js 20.11 or later and its npm: $1." >&2
  exit 1
}

command -v node >/dev/null || fail "there is no node on the PATH"
command -v npm >/dev/null || fail "there is no npm on the PATH"
node -e 'const [major, minor] = process.versions.node.split(".").map(Number);
  process.exit(major > 20 || (major === 20 && minor >= 11) ? 0 : 1)' ||
  fail "node is $(node --version)"

# Two modules of one build may install the same folder's packages at the same time.
lock=target/install-lock
mkdir -p target
until mkdir "$lock" 2>/dev/null; do
  holder=$(cat "$lock/pid" 2>/dev/null || true)
  if [ -n "$holder" ] && ! kill -0 "$holder" 2>/dev/null; then
    rm -rf "$lock"
  else
    sleep 1
  fi
done
echo $$ >"$lock/pid"
trap 'rm -rf "$lock"' EXIT

installed=node_modules/.installed-package-lock.json
if cmp -s package-lock.json "$installed"; then
  exit 0
fi
# Cached packages need no request: the lock has their hashes.
npm ci --prefer-offline --no-audit --no-fund --ignore-scripts --loglevel=error
cp package-lock.json "$installed"
