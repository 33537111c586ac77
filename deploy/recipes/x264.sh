# x264: H.264 encoding, for cameras that do not encode themselves. 8 bits in 4:2:0, no command line program. GPL 2 or
# later.
./configure --prefix=/usr --host="$TRIPLE" --enable-static --disable-cli --disable-opencl \
  --bit-depth=8 --chroma-format=420 --disable-avs --disable-swscale --disable-lavf --disable-ffms --disable-gpac \
  --disable-lsmash --extra-cflags="$CFLAGS" --extra-ldflags="$LDFLAGS"
make -j"$JOBS" lib-static
make install-lib-static DESTDIR="$STAGE"
