# c-ares: names for libcurl. A static glibc would need shared modules of the very same glibc to resolve a name; c-ares reads
# /etc/resolv.conf and /etc/hosts itself.
CFLAGS="$CFLAGS -Os" ./configure --host="$TRIPLE" --prefix=/usr --disable-shared --enable-static --disable-tests --disable-cares-threads
make -j"$JOBS" -C src/lib
make -C src/lib install DESTDIR="$STAGE"
make -C include install DESTDIR="$STAGE"
