#!/usr/bin/env bash
# Builds the image on a Debian machine that has no container engine: the base from Debian's packages and the Node of
# this project, then the Dockerfile on it. Needs root, `npm install` and the packages buildah and mmdebstrap.
#   deploy/build-image.sh FOLDER      makes storage/ with the image, root/ with its files, and image.json with its settings
set -euo pipefail
# In a mount namespace of its own: the mounts of the storage end with the script.
[ -n "${IN_NAMESPACE:-}" ] || IN_NAMESPACE=1 exec unshare --mount "$0" "$@"
folder=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/.."
export BUILDAH_ISOLATION=chroot
image() { buildah --root "$folder/storage" --runroot "$folder/run" "$@"; }

mmdebstrap --quiet --variant=extract --include=base-files,bash,coreutils,dash,libc-bin,libstdc++6,util-linux \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' bookworm "$folder/base.tar" >&2
printf 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n' >"$folder/passwd"
printf 'root:x:0:\nnode:x:1000:\n' >"$folder/group"
base=$(image from scratch)
image add --quiet "$base" "$folder/base.tar" / >&2
image add --quiet "$base" "$folder/passwd" "$folder/group" /etc/ >&2
image add --quiet "$base" "node_modules/node-linux-$(node --print process.arch)/bin/node" /usr/local/bin/node >&2
image add --quiet "$base" "$(npm root --global)/npm" /usr/local/lib/node_modules/npm >&2
image run "$base" -- ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
image commit --quiet --rm "$base" localhost/karba-base >&2

# npm trusts what this machine trusts. Neither file is part of the image.
echo 'cafile=/etc/ssl/certs/ca-certificates.crt' >"$folder/npmrc"
image build --quiet --format docker --layers=false --build-arg BASE=localhost/karba-base \
  --volume /etc/ssl/certs:/etc/ssl/certs:ro --volume "$folder/npmrc:/root/.npmrc:ro" --tag localhost/karba . >&2
cp --archive "$(image mount "$(image from localhost/karba)")" "$folder/root"
image inspect --type image localhost/karba >"$folder/image.json"
