# Sonic: speech faster without another pitch. One C file; without the spectrograms of its command line program.
$CC $CFLAGS -c sonic.c -o sonic.o
mkdir -p "$STAGE/usr/include" "$STAGE/usr/lib"
$AR rcs "$STAGE/usr/lib/libsonic.a" sonic.o
install -m 644 sonic.h "$STAGE/usr/include"
