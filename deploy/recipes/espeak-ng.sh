# espeak-ng: speech from text, with the voices of seven languages inside the library. It plays nothing itself, starts no
# thread, and has no Klatt, MBROLA or speechPlayer voices. GPL 3 or later.
mkdir include
cat >include/config.h <<CONFIG
#define HAVE_MKSTEMP 1
#define USE_ASYNC 0
#define USE_KLATT 0
#define USE_LIBPCAUDIO 0
#define USE_LIBSONIC 0
#define USE_MBROLA 0
#define USE_SPEECHPLAYER 0
#define PACKAGE_VERSION "$VERSION"
CONFIG
cp -R src/include/espeak-ng src/include/espeak src/ucd-tools/src/include/ucd include
sources=$(ls src/ucd-tools/src/*.c && for file in common mnemonics error ieee80 compiledata compiledict dictionary encoding \
  intonation langopts numbers phoneme phonemelist readclause setlengths soundicon spect ssml synthdata synthesize tr_languages \
  translate translateword voices wavegen speech espeak_api; do echo src/libespeak-ng/$file.c; done)
flags="-fwrapv -w -DLIBESPEAK_NG_EXPORT=1 -Iinclude -Isrc/include/compat -Isrc/libespeak-ng -DPATH_ESPEAK_DATA='\"/usr/share/espeak-ng-data\"'"

# The voices' data, for both architectures alike: phonemes, dictionaries and languages as Debian has built them.
from=usr/lib/x86_64-linux-gnu/espeak-ng-data
mkdir -p data/espeak-ng-data/voices
for file in phontab phonindex phondata intonations en_dict es_dict de_dict fr_dict it_dict pt_dict ru_dict \
  lang/gmw/en lang/gmw/en-US lang/gmw/de lang/roa/es lang/roa/es-419 lang/roa/fr lang/roa/it lang/roa/pt lang/roa/pt-BR lang/zle/ru; do
  mkdir -p "data/espeak-ng-data/$(dirname $file)"
  cp "$from/$file" "data/espeak-ng-data/$file"
done
# Debian's Russian dictionary is 8.5 MB, nearly all of it a list of where words are stressed. This one is made of the rules
# and the short list: understood by everybody, stressed by rule. The compiler of dictionaries runs on the machine that builds.
mkdir host russian
# It would say so on standard error whenever a Russian voice is chosen.
sed -i '/Full dictionary is not installed/s/fprintf.*/{}/' src/libespeak-ng/dictionary.c
for file in $sources; do
  object=host/$(basename "$file" .c)-$(echo "$file" | cksum | cut -d ' ' -f 1).o
  echo "${CC%% *} -O1 $flags -c $file -o $object"
done | xargs -P "$JOBS" -d '\n' -n 1 sh -c
cat >host/main.c <<'MAIN'
#include <espeak-ng/espeak_ng.h>
#include <stdio.h>
int main(int count, char **words) {
  if (count < 3) return 2;
  espeak_ng_InitializePath(words[1]);
  espeak_ng_ERROR_CONTEXT context = NULL;
  espeak_ng_STATUS status = espeak_ng_Initialize(&context);
  if (status == ENS_OK) status = espeak_ng_SetVoiceByName("ru");
  if (status == ENS_OK) status = espeak_ng_CompileDictionary(words[2], "ru", stderr, 0, &context);
  if (status != ENS_OK) espeak_ng_PrintStatusCodeMessage(status, stderr, context);
  return status != ENS_OK;
}
MAIN
${CC%% *} -Iinclude host/main.c host/*.o -lm -o host/compile
cp dictsource/ru_rules dictsource/ru_list russian/
host/compile "$PWD/data" "$PWD/russian/"
[ "$(stat -c %s data/espeak-ng-data/ru_dict)" -lt 200000 ]

# As an archive in the library: packed by gzip (a half of it), always the same bytes. Sources/Speech unpacks it where it
# finds it.
(cd data && find espeak-ng-data -type f | LC_ALL=C sort |
  tar -c --format=ustar --owner=0 --group=0 --numeric-owner --mode=644 --mtime=@0 -T -) |
  perl -MIO::Compress::Gzip=gzip -e 'gzip "-" => "speech.tar.gz", -Level => 9, Minimal => 1 or die'
# In the same object as what everybody who speaks calls: nobody refers to it but weakly, and no linker would look for it.
cat >>src/libespeak-ng/espeak_api.c <<'DATA'
__asm__(".pushsection .rodata.mynah_speech_data,\"a\"\n"
        ".balign 16\n"
        ".global mynah_speech_data_start\n"
        "mynah_speech_data_start: .incbin \"speech.tar.gz\"\n"
        ".global mynah_speech_data_end\n"
        "mynah_speech_data_end: .byte 0\n"
        ".popsection\n");
DATA
mkdir objects
for file in $sources; do
  object=objects/$(basename "$file" .c)-$(echo "$file" | cksum | cut -d ' ' -f 1).o
  echo "$CC $CFLAGS -Os $flags -c $file -o $object"
done | xargs -P "$JOBS" -d '\n' -n 1 sh -c
mkdir -p "$STAGE/usr/include" "$STAGE/usr/lib/pkgconfig"
$AR rcs "$STAGE/usr/lib/libespeak-ng.a" objects/*.o
cp -R src/include/espeak-ng "$STAGE/usr/include"
cat >"$STAGE/usr/lib/pkgconfig/espeak-ng.pc" <<PC
prefix=/usr
libdir=/usr/lib
includedir=/usr/include

Name: espeak-ng
Description: speech from text
Version: $VERSION
Libs: -L\${libdir} -lespeak-ng -lm
Cflags: -I\${includedir}
PC
