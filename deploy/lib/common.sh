# shellcheck shell=bash
# What all scripts of deploy/ share: messages, pins, the cache. Sourced from the root of the repository.

say() { echo "deploy: $*"; }
fail() {
  echo "deploy: $*" >&2
  exit 1
}

# Where what was downloaded and built is kept. Everything in it can be deleted, and is made again.
cache=${MYNAH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/mynah}/deploy
pins=deploy/pins.txt
jobs=$(nproc)

# The lines of pins.txt of kind $1 (and name $2, if given), without the kind: NAME VERSION FILE SHA256.
pins_of() {
  awk -v kind="$1" -v name="${2:-}" '$1 == kind && (name == "" || $2 == name) { print $2, $3, $4, $5 }' "$pins"
}

# A short name for everything on standard input.
digest() { sha256sum | cut -c 1-16; }

# Makes a folder of the cache by a function, or finds it there: made FOLDER FUNCTION ARGUMENT…
# The function is given the folder to fill as its first argument. Half-made folders are never found.
made() {
  local folder=$1 maker=$2
  shift 2
  [ -e "$folder" ] && return
  local unfinished=$folder.unfinished
  rm -rf "$unfinished"
  mkdir -p "$unfinished"
  "$maker" "$unfinished" "$@"
  mv "$unfinished" "$folder"
}
