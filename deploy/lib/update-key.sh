# shellcheck shell=bash
# Keys that updates are signed with: folders with key.pem and certificate.pem. Needs common.sh.

# What the certificates of keys for trials say; releases refuse it.
test_key_name="Mynah test key, not for releases"

# Makes folder $1 with a key and a certificate for 30 years in the name $2, unless there is one.
make_update_key() {
  [ ! -e "$1/key.pem" ] || return 0
  command -v openssl >/dev/null || fail "openssl is missing: Scripts/setup deploy"
  mkdir -p "$1"
  chmod 700 "$1"
  (umask 077 && openssl req -x509 -newkey rsa:3072 -nodes -days 10950 -sha256 -subj "/CN=$2" -keyout "$1/key.part" \
    -out "$1/certificate.pem" -addext keyUsage=digitalSignature -addext extendedKeyUsage=emailProtection 2>/dev/null)
  mv "$1/key.part" "$1/key.pem"
}

# Whether the certificate of folder $1 is one for trials.
is_test_key() { openssl x509 -in "$1/certificate.pem" -noout -subject | grep -q -F "$test_key_name"; }

# The folder of the key to sign with: $1, or MYNAH_UPDATE_KEY, or one for trials of this person's own.
update_key_folder() {
  local folder=${1:-${MYNAH_UPDATE_KEY:-}}
  if [ -z "$folder" ]; then
    folder=${XDG_DATA_HOME:-$HOME/.local/share}/mynah/update-key-test
    make_update_key "$folder" "$test_key_name"
  fi
  [ -f "$folder/key.pem" ] && [ -f "$folder/certificate.pem" ] ||
    fail "$folder has no key.pem and certificate.pem: deploy/update-key makes them"
  echo "$folder"
}
