# libcurl: HTTP/1.1 with and without TLS, proxies, CURLOPT_CONNECT_ONLY for WebSockets. Whatever else it can do is left out,
# WebSockets of its own as well: those of Debian 12's libcurl are missing, and both builds are to behave alike. gzip by zlib,
# which is in the program anyhow. See Sources/Network.
needed_flags=""
needed_libraries=""
for folder in $(echo "$NEEDED" | tr : ' '); do
  needed_flags="$needed_flags -I${folder%/lib/pkgconfig}/include"
  needed_libraries="$needed_libraries -L${folder%/pkgconfig}"
done
CFLAGS="$CFLAGS -Os" CPPFLAGS="$needed_flags" LDFLAGS="$LDFLAGS $needed_libraries" PKG_CONFIG=false \
  ./configure --host="$TRIPLE" --prefix=/usr --disable-shared --enable-static \
  --with-mbedtls --with-zlib --enable-ares --without-ca-bundle --without-ca-path \
  --without-brotli --without-zstd --without-libpsl --without-libidn2 --without-nghttp2 --without-librtmp --without-libgsasl \
  --disable-ftp --disable-file --disable-ipfs --disable-ldap --disable-ldaps --disable-rtsp --disable-dict --disable-telnet \
  --disable-tftp --disable-pop3 --disable-imap --disable-smb --disable-smtp --disable-gopher --disable-mqtt --disable-manual \
  --disable-docs --disable-libcurl-option --disable-verbose --disable-bearer-auth --disable-digest-auth \
  --disable-kerberos-auth --disable-negotiate-auth --disable-aws --disable-ntlm --disable-tls-srp --disable-unix-sockets \
  --disable-cookies --disable-doh --disable-mime --disable-bindlocal --disable-form-api --disable-dateparse --disable-netrc \
  --disable-progress-meter --disable-sha512-256 --disable-dnsshuffle --disable-get-easy-options --disable-alt-svc \
  --disable-headers-api --disable-hsts --disable-websockets --disable-httpsrr --disable-ech
make -j"$JOBS" -C lib libcurl.la
make -C lib install DESTDIR="$STAGE"
make -C include install DESTDIR="$STAGE"
mkdir -p "$STAGE/usr/lib/pkgconfig"
cat >"$STAGE/usr/lib/pkgconfig/libcurl.pc" <<PC
prefix=/usr
libdir=/usr/lib
includedir=/usr/include

Name: libcurl
Description: HTTP and TLS
Version: $VERSION
Libs: -L\${libdir} -lcurl -lmbedtls -lmbedx509 -lmbedcrypto -lcares -lz
Cflags: -I\${includedir}
PC
