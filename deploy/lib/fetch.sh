# shellcheck shell=bash
# Files of Debian's archive by checksum, through apt. Needs common.sh.

# The root of Debian's archive that this machine's apt uses; MYNAH_MIRROR names another one.
archive_root() {
  local root=${MYNAH_MIRROR:-}
  # shellcheck disable=SC2016 # the dollars are apt's
  [ -n "$root" ] || root=$(apt-get indextargets --format '$(ORIGIN) $(RELEASE) $(REPO_URI)' 2>/dev/null |
    awk '$1 == "Debian" && $2 !~ /-/ && !found { print $3; found = 1 }')
  [ -n "$root" ] || fail "apt has no lists of Debian here: run apt-get update, or set MYNAH_MIRROR to a mirror's address"
  echo "${root%/}"
}

# Where the cache has, or would have, the file $1 of the archive with SHA-256 $2.
kept_at() { echo "$cache/files/$2/${1##*/}"; }

# Prints where the file $1 of the archive with SHA-256 $2 is, and fetches it if it is not there yet.
fetched() {
  local file=$1 sum=$2 kept
  kept=$(kept_at "$file" "$sum")
  if [ ! -e "$kept" ]; then
    local root
    root=$(archive_root)
    mkdir -p "${kept%/*}"
    say "fetching ${file##*/}" >&2
    # apt-helper checks the sum, and takes the proxies and methods that apt is set up with.
    /usr/lib/apt/apt-helper -q -o APT::Sandbox::User=root -o Acquire::Retries=3 \
      download-file "$root/$file" "$kept.part" "SHA256:$sum" >"$kept.log" 2>&1 || {
      cat "$kept.log" >&2
      fail "$file could not be had from $root. If the archive has a newer version, move the pin: deploy/pin"
    }
    mv "$kept.part" "$kept"
    rm "$kept.log"
  fi
  echo "$kept"
}

# Fetches every file of pins.txt that is not there yet.
fetch_pinned() {
  local kind file sum
  for kind in target copyright source patches headers; do
    while read -r _ _ file sum; do fetched "$file" "$sum" >/dev/null; done < <(pins_of "$kind")
  done
}

# What Debian signs its archive with.
debian_key=/usr/share/keyrings/debian-archive-keyring.gpg

# Makes folder $1 a home of apt's own, as if nothing were installed: nothing of this machine is changed. Its sources are
# read from standard input; $2 are the architectures, the first of them its own; further arguments are lines of apt.conf.
make_apt_home() {
  local home=$1 architectures=$2
  shift 2
  [ -e $debian_key ] || fail "$debian_key is missing: apt-get install debian-archive-keyring"
  mkdir -p "$home/lists/partial" "$home/archives/partial"
  touch "$home/status"
  cat >"$home/sources.list"
  # shellcheck disable=SC2086 # One word for each of them.
  {
    cat <<APT
Dir::Etc::SourceList "$home/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State "$home";
Dir::State::Lists "$home/lists";
Dir::State::Status "$home/status";
Dir::Cache "$home";
Dir::Cache::Archives "$home/archives";
APT::Architecture "${architectures%% *}";
APT::Architectures { $(printf '"%s"; ' $architectures)};
APT::Sandbox::User "root";
APT::Update::Post-Invoke-Success "";
Acquire::Languages "none";
Acquire::Retries "3";
#clear DPkg::Post-Invoke;
APT
    [ $# = 0 ] || printf '%s\n' "$@"
  } >"$home/apt.conf"
}
