# Sonic: speech faster without another pitch. One C file; without the spectrograms of its command line program. Most of its
# time is one loop, the search for the pitch period.
$CC $CFLAGS -O3 -c sonic.c -o sonic.o
mkdir -p "$STAGE/usr/include" "$STAGE/usr/lib"
$AR rcs "$STAGE/usr/lib/libsonic.a" sonic.o
install -m 644 sonic.h "$STAGE/usr/include"
