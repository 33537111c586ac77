#!/bin/sh
# Makes an authority of its own and servers' certificates: certificates.sh FOLDER
set -eu
cd "$1"
new_key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key" 2>/dev/null; }
new_key authority
openssl req -x509 -new -key authority.key -subj "/CN=Test authority" -days 30 -out authority.pem 2>/dev/null
new_key stranger
openssl req -x509 -new -key stranger.key -subj "/CN=A stranger" -days 30 -out stranger.pem 2>/dev/null

# Certificates are valid from $3 to $4.
mkdir issued
printf '%s\n' '[ca]' 'default_ca=a' '[a]' 'database=issued/index' 'serial=issued/serial' 'new_certs_dir=issued' \
  'default_md=sha256' 'policy=p' 'certificate=authority.pem' 'private_key=authority.key' 'copy_extensions=copy' \
  'unique_subject=no' '[p]' 'commonName=supplied' >issued/conf
: >issued/index
echo 01 >issued/serial
certificate() {
  new_key "$1"
  openssl req -new -key "$1.key" -subj "/CN=$1" -addext "subjectAltName=$2" -out "$1.csr" 2>/dev/null
  openssl ca -batch -notext -config issued/conf -in "$1.csr" -out "$1.pem" -startdate "$3" -enddate "$4" 2>/dev/null
}
certificate good "IP:127.0.0.1,DNS:localhost" 20200101000000Z 20491231000000Z
certificate expired "IP:127.0.0.1,DNS:localhost" 20200101000000Z 20210101000000Z
certificate future "IP:127.0.0.1,DNS:localhost" 20480101000000Z 20491231000000Z
certificate other "DNS:another.example" 20200101000000Z 20491231000000Z
