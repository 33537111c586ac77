# shellcheck shell=bash
# The programs by which the image is made: Debian 13's for amd64, so that the bytes are the same on every machine. Needs
# common.sh, fetch.sh, image-pins.sh.

# Fills folder $1 with what runs the steps: Debian 13's programs for amd64.
# shellcheck disable=SC2317 # by `made`
make_image_tools() {
  local folder
  for folder in bin sbin lib lib64; do
    mkdir -p "$1/usr/$folder"
    ln -s "usr/$folder" "$1/$folder"
  done
  unpack_image_part tool "$1" --exclude='./usr/share/*'
  mkdir -p "$1"/{dev,proc,sys,tmp,mynah,etc,root}
  # What their scripts would do.
  [ -e "$1/usr/bin/sh" ] || ln -s dash "$1/usr/bin/sh"
  # in_root looks for programs in /usr/bin only.
  for folder in "$1"/usr/sbin/*; do [ -e "$1/usr/bin/${folder##*/}" ] || ln -s "../sbin/${folder##*/}" "$1/usr/bin/"; done
}

# Fetches what the image is made of, and sets image_tools, the root that in_root runs its programs in.
need_image_tools() {
  mkdir -p "$cache/image"
  fetch_image_pins
  image_tools=$cache/image/tools-$({ image_pins_of tool && cat deploy/lib/image-tools.sh; } | digest)
  made "$image_tools" make_image_tools
}
