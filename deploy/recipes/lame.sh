# LAME: MP3. The encoder alone, without its program and its decoder.
./configure --prefix=/usr --host="$TRIPLE" --disable-shared --enable-static --disable-frontend --disable-decoder \
  --disable-gtktest --disable-dependency-tracking
make -j"$JOBS" -C libmp3lame
make -C libmp3lame install DESTDIR="$STAGE"
make -C include install DESTDIR="$STAGE"
