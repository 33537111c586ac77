# zlib: deflate for PNG, inflate for the voices. Its configure script knows neither --host nor build folders.
CFLAGS="$CFLAGS" ./configure --static --prefix=/usr
make -j"$JOBS" libz.a
mkdir -p "$STAGE/usr/include" "$STAGE/usr/lib/pkgconfig"
install -m 644 zlib.h zconf.h "$STAGE/usr/include"
install -m 644 libz.a "$STAGE/usr/lib"
install -m 644 zlib.pc "$STAGE/usr/lib/pkgconfig"
