# libgpiod 2: keys and LEDs. Its configure script would try malloc(0) on the build machine.
ac_cv_func_malloc_0_nonnull=yes ac_cv_func_realloc_0_nonnull=yes \
  ./configure --host="$TRIPLE" --prefix=/usr --disable-shared --enable-static
make -j"$JOBS" -C lib
make -C lib install DESTDIR="$STAGE"
make -C include install DESTDIR="$STAGE"
