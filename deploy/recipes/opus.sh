# Opus: takes of few bits. The encoder for FFmpeg to call; its decoder is FFmpeg's own.
./configure --prefix=/usr --host="$TRIPLE" --disable-shared --enable-static --disable-doc --disable-extra-programs \
  --disable-stack-protector
make -j"$JOBS"
make install DESTDIR="$STAGE"
