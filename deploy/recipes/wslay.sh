# wslay: frames of WebSockets. Four C files, of the sources of aria2, which carry it: Debian's own package of it is not to be
# had from every mirror. Nothing else of aria2 is used.
find . -mindepth 1 -maxdepth 1 ! -name deps ! -name '.*' -exec rm -rf {} +
mv deps/wslay/* .
rm -rf deps
for file in event frame net queue; do
  $CC $CFLAGS -Os -DHAVE_ARPA_INET_H -DHAVE_NETINET_IN_H -DWSLAY_VERSION="\"$VERSION\"" -Ilib/includes -c lib/wslay_$file.c -o wslay_$file.o
done
mkdir -p "$STAGE/usr/include/wslay" "$STAGE/usr/lib"
$AR rcs "$STAGE/usr/lib/libwslay.a" wslay_*.o
install -m 644 lib/includes/wslay/wslay.h "$STAGE/usr/include/wslay"
sed "s/@PACKAGE_VERSION@/$VERSION/" lib/includes/wslay/wslayver.h.in >"$STAGE/usr/include/wslay/wslayver.h"
