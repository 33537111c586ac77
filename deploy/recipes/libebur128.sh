# libebur128: loudness. One C file; its build system (CMake) is larger than the library.
$CC $CFLAGS -Iebur128/queue -c ebur128/ebur128.c -o ebur128.o
mkdir -p "$STAGE/usr/include" "$STAGE/usr/lib/pkgconfig"
$AR rcs "$STAGE/usr/lib/libebur128.a" ebur128.o
install -m 644 ebur128/ebur128.h "$STAGE/usr/include"
cat >"$STAGE/usr/lib/pkgconfig/libebur128.pc" <<PC
prefix=/usr
libdir=/usr/lib
includedir=/usr/include

Name: libebur128
Description: EBU R 128 loudness
Version: $VERSION
Libs: -L\${libdir} -lebur128 -lm
Cflags: -I\${includedir}
PC
