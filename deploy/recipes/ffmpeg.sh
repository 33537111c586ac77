# FFmpeg: what Sources/Media asks of it, and nothing else. It encodes AAC, ALAC, FLAC and, by libopus, Opus, demuxes and decodes what the player plays,
# and reads files; the containers of takes and clips are written by Media itself. Of video it has H.264 both ways, by
# x264 and by the board's own encoder, and JPEG both ways. No network. With x264 in it, it is under GPL 2 or later:
# leave out --enable-gpl, --enable-libx264 and the encoder, and it is under LGPL 2.1 or later; then a camera that does not
# encode itself is kept as JPEG where the board has no encoder.
#
# H.264 of more than 8 bits a sample is refused: no board of ours decodes it in time, and the code for 9, 10, 12 and 14 bits
# would be 700 kB.
for file in libavcodec/h264dsp.c libavcodec/h264qpel.c libavcodec/h264pred.c; do
  sed -i -E '/^ *case (9|10|12|14): *$/,/break;/d' "$file"
done
sed -i 's/sps->bit_depth_luma   < 8 ||/sps->bit_depth_luma != 8 ||/' libavcodec/h264_ps.c
grep -q 'bit_depth_luma != 8' libavcodec/h264_ps.c
# The fast coder of AAC lets the coefficients of a loud tone clip where there is little else (no band's scale factor may be
# more than 60 from another's, and the quietest was kept): a whistle at -3 dB had a fifth of its level as distortion. The scale
# factors keep what is loudest from clipping, and the quietest give way. deploy/check-static listens.
sed -i '/^static void search_for_quantizers_fast/,/^}/{
  s/int fflag, minscaler;/int fflag, minscaler, lowest = 60, minsf[128] = { 0 };/
  s/^ *maxvals\[w\*16+g\] = find_max_val.*/&\
            if (!sce->zeroes[w*16+g] \&\& maxvals[w*16+g] > 0) {\
                minsf[w*16+g] = FFMIN(1 + coef2minsf(powf(maxvals[w*16+g], 4.f \/ 3.f)), 217);\
                lowest = FFMAX(lowest, minsf[w*16+g] - SCALE_MAX_DIFF);\
            }/
  s/sce->sf_idx\[i\] -= qstep;/sce->sf_idx[i] = FFMAX(sce->sf_idx[i] - qstep, minsf[i]);/
  s/av_clip(minscaler, 60,/av_clip(minscaler, lowest,/
  s/sce->sf_idx\[w\*16+g\] > 60) {/sce->sf_idx[w*16+g] > FFMAX(minsf[w*16+g] + 2, 60)) {/
}' libavcodec/aaccoder.c
[ "$(grep -c -E 'lowest|minsf\[' libavcodec/aaccoder.c)" -ge 6 ]
# The JPEG encoder is made of the one for MPEG, whose pictures may move by quarters of a dot; a JPEG does not: 80 kB.
sed -i '/ff_qpeldsp_init(/d' libavcodec/mpegvideo_enc.c
case $ARCH in
x86_64) machine="--arch=x86_64" ;;
aarch64) machine="--arch=aarch64" ;;
esac
pcm=pcm_u8,pcm_s8,pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be
pcm=$pcm,pcm_s64le,pcm_s64be,pcm_f32le,pcm_f32be,pcm_f64le,pcm_f64be,pcm_alaw,pcm_mulaw
# --enable-cross-compile: nothing that it builds is run, so that both architectures are made alike. -O3, its own choice, would
# be larger and no faster here.
# shellcheck disable=SC2086 # two words
PKG_CONFIG_PATH=$NEEDED ./configure --prefix=/usr $machine --target-os=linux --enable-cross-compile --cross-prefix= \
  --pkg-config=pkg-config --pkg-config-flags=--static \
  --optflags=-O2 --cc="$CC" --ar="$AR" --ranlib="$RANLIB" --nm="$NM" --strip=true --extra-cflags="$CFLAGS" --extra-ldflags="$LDFLAGS" \
  --disable-shared --enable-static --disable-autodetect --disable-iconv --enable-pthreads \
  --disable-everything --disable-programs --disable-doc --disable-network --disable-debug \
  --disable-avdevice --disable-avfilter --disable-postproc --disable-swscale \
  --enable-swresample --enable-gpl --enable-libx264 --enable-libopus --enable-v4l2-m2m \
  --enable-encoder=aac,alac,flac,libopus,libx264,h264_v4l2m2m,mjpeg \
  --enable-decoder=h264,mjpeg,aac,alac,flac,mp1float,mp2float,mp3float,opus,vorbis,ac3,eac3,aac_latm,amrnb,amrwb,adpcm_ms,adpcm_ima_wav,adpcm_ima_qt,$pcm \
  --enable-demuxer=mov,mpegts,wav,w64,flac,mp3,ogg,aac,ac3,eac3,aiff,caf,matroska,amr,avi,flv \
  --enable-parser=h264,aac,aac_latm,ac3,amr,flac,mpegaudio,opus,vorbis \
  --enable-protocol=file
make -j"$JOBS"
make install DESTDIR="$STAGE"
# Where x264 and Opus were found is nobody's business: they are in the same prefix in the end.
sed -i 's| -L[^ ]*/\(x264\|opus\)-[^ ]*||g' "$STAGE"/usr/lib/pkgconfig/*.pc
