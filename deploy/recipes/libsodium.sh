# libsodium: signatures, hashes of passwords, what takes are sealed with. Its sources carry no configure script, and need none
# here: portable C everywhere, of which the linker keeps what is called. The program starts no threads that use it before
# sodium_init, and asks the kernel for random bytes.
sed -e "s/@VERSION@/$VERSION/" -e 's/@SODIUM_LIBRARY_VERSION_MAJOR@/10/' -e 's/@SODIUM_LIBRARY_VERSION_MINOR@/3/' \
  -e '/@SODIUM_LIBRARY_MINIMAL_DEF@/d' src/libsodium/include/sodium/version.h.in >src/libsodium/include/sodium/version.h
flags="-DCONFIGURED=1 -DSODIUM_STATIC -DHAVE_TI_MODE=1 -DNATIVE_LITTLE_ENDIAN=1 -DHAVE_INLINE_ASM=1 -DHAVE_WEAK_SYMBOLS=1
  -DHAVE_PTHREAD=1 -DHAVE_SYS_RANDOM_H=1 -DHAVE_LINUX_COMPATIBLE_GETRANDOM=1 -DHAVE_SYS_MMAN_H=1 -DHAVE_MMAP=1 -DHAVE_MLOCK=1
  -DHAVE_MPROTECT=1 -DHAVE_MADVISE=1 -DHAVE_EXPLICIT_BZERO=1 -DHAVE_POSIX_MEMALIGN=1 -DHAVE_RAISE=1 -DHAVE_C11_MEMORY_FENCES=1
  -Isrc/libsodium/include/sodium -Isrc/libsodium/include"
number=0
for file in $(find src/libsodium -name '*.c' | sort); do
  number=$((number + 1))
  $CC $CFLAGS $flags -c "$file" -o "sodium-$number.o"
done
mkdir -p "$STAGE/usr/include" "$STAGE/usr/lib"
$AR rcs "$STAGE/usr/lib/libsodium.a" sodium-*.o
cp -R src/libsodium/include/sodium.h src/libsodium/include/sodium "$STAGE/usr/include"
rm -f "$STAGE"/usr/include/sodium/*.in "$STAGE"/usr/include/sodium/*/*.in
