# Sonic: speech faster without another pitch. One C file; without the spectrograms of its command line program. Most of its
# time is the search for the pitch period, with differences of samples that it adds up one by one in 64 bits, and the mean of
# two channels that it divides by a number the compiler does not know. Here are both for eight samples at once: the same
# numbers, and with them the same sound, in half of the time.
cat >search.h <<'C'
/* The sum of the differences between count samples and as many others. Of some thousand samples it stays within 32 bits. */
static unsigned int differences(const short *s, const short *p, int count)
{
    typedef short Eight __attribute__((vector_size(16)));
    typedef unsigned short Distances __attribute__((vector_size(16)));
    typedef unsigned int Four __attribute__((vector_size(16)));
    Four sums = {0, 0, 0, 0};
    unsigned int sum;
    int i;

#pragma clang loop unroll_count(4)
    for(i = 0; i + 8 <= count; i += 8) {
        Eight a, b;
        __builtin_memcpy(&a, s + i, sizeof a);
        __builtin_memcpy(&b, p + i, sizeof b);
        Four pairs = (Four)((Distances)__builtin_elementwise_max(a, b) - (Distances)__builtin_elementwise_min(a, b));
        sums += (pairs & 0xffff) + (pairs >> 16);
    }
    sum = sums[0] + sums[1] + sums[2] + sums[3];
    for(; i < count; i++) sum += s[i] > p[i] ? s[i] - p[i] : p[i] - s[i];
    return sum;
}

static void means(const short *pairs, short *out, int count)
{
    int i;
    for(i = 0; i < count; i++) out[i] = (pairs[2*i] + pairs[2*i + 1])/2;
}
C
sed -i -e '/^#include "sonic.h"$/r search.h' \
  -e '/^\tdiff = 0;$/,/^\t}$/c\	diff = differences(samples, samples + period, period);' \
  -e '/^    short \*downSamples = stream->downSampleBuffer;$/a\    if(samplesPerValue == 2) { means(samples, downSamples, numSamples); return; }' sonic.c
[ "$(grep -c 'diff = differences(\|{ means(' sonic.c)" = 2 ] || { echo "sonic.c is not the one that is made faster here" >&2; exit 1; }
$CC $CFLAGS -O3 -c sonic.c -o sonic.o
mkdir -p "$STAGE/usr/include" "$STAGE/usr/lib"
$AR rcs "$STAGE/usr/lib/libsonic.a" sonic.o
install -m 644 sonic.h "$STAGE/usr/include"
