#!/usr/bin/env bash
# Replaces itself with a program in an unpacked image, as a container runtime would start it: process 1
# of a PID namespace, with separate mounts that are read-only except /tmp, as user 65532, without
# capabilities or a way to gain any. The network is the machine's.
# Usage: run-container.sh FOLDER CONFIGURATION ENVIRONMENT PROGRAM [ARGUMENT...]
#
# FOLDER contains the image. CONFIGURATION is mounted at /etc/sluice. ENVIRONMENT is a file with one
# variable per line.
set -euo pipefail

readonly USER_ID=65532

if [ "${1:-}" != --inside ]; then
  rootless=()
  [ "$EUID" = 0 ] || rootless=(--map-root-user)
  exec unshare "${rootless[@]}" --mount --pid --fork --kill-child -- "$0" --inside "$EUID" "$@"
fi

outside=$2 image=$3 configuration=$4 environment=$5
shift 5

mount --rbind "$image" "$image"
mount --bind "$configuration" "$image/etc/sluice"
mount -o remount,bind,ro "$image/etc/sluice"
for file in hosts resolv.conf; do
  mount --bind "/etc/$file" "$image/etc/$file"
done
mount --rbind /dev "$image/dev"
mount -t proc proc "$image/proc"
mount -t tmpfs -o mode=1777,size=64m tmpfs "$image/tmp"
mount -o remount,bind,ro "$image"

mapfile -t variables <"$environment"
# Absolute paths, because PATH is the image's from here on.
command=(env -i "${variables[@]}" "$(command -v setpriv)" --no-new-privs)
if [ "$outside" = 0 ]; then
  command+=("$(PATH=$PATH:/usr/sbin command -v chroot)" "--userspec=$USER_ID:$USER_ID" "$image")
else
  command+=("$(command -v unshare)" --user "--map-user=$USER_ID" "--map-group=$USER_ID")
  command+=("--root=$image" --)
fi
exec "${command[@]}" "$@"
