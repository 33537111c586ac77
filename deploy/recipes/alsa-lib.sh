# alsa-lib: sound in and out. Not --with-pic: it takes the table of built-in plugins out of a static library.
# The plugins are those for the kernel's devices, and file and null for tests; the program brings a configuration of
# its own where /usr/share/alsa is missing.
./configure --host="$TRIPLE" --prefix=/usr --disable-shared --enable-static \
  --with-configdir=/usr/share/alsa --with-libdl=no --with-versioned=no --without-debug \
  --disable-python --disable-topology --disable-alisp --disable-ucm --disable-rawmidi --disable-hwdep \
  --disable-seq --disable-aload --disable-old-symbols \
  --with-pcm-plugins=copy,linear,route,rate,plug,multi,file,null,empty,meter,hooks,lfloat,dmix,dshare,dsnoop,asym,softvol,extplug,ioplug,mmap_emul
make -j"$JOBS" -C include
make -j"$JOBS" -C src
# A plain make install would rewrite /usr/share/alsa.
make -C src install-libLTLIBRARIES DESTDIR="$STAGE"
make -C include install DESTDIR="$STAGE"
make -C utils install DESTDIR="$STAGE"
