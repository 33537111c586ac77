# shellcheck shell=bash
# Boot partition and card. Needs common.sh, fetch.sh, image-pins.sh, environment.sh's in_root, and image_tools.
#
# MiB      0  4         68        68+ROOT   68+2·ROOT
#          |  | 1 boot  | 2 root A | 3 root B | 4 data: to the end of the card, at the first start
# Before the first partition, sectors of 512 bytes: 16 whose turn it is (boot.cmd), 17 whether there has been a data
# partition, 18 the machine's number (made at the first start).

image_root_mib=256
image_boot_mib=64
image_signature=6d796e61

# Fills folder $1 with the files of the boot partition.
make_image_boot() {
  local fat=$1 file sum firmware=$1.parts
  mkdir -p "$fat/overlays" "$firmware"
  unpack_image_part boot "$firmware"
  # The broad boards of one kernel: Pi 3, Zero 2 W, Pi 4.
  read -r _ _ file sum < <(image_pins_of root | grep '^linux-image-')
  dpkg-deb --fsys-tarfile "$(fetched "$file" "$sum")" | tar -x -C "$firmware" --no-same-owner --wildcards \
    './usr/lib/linux-image-*/broadcom/bcm2837-rpi-*.dtb' './usr/lib/linux-image-*/broadcom/bcm2711-rpi-4-b.dtb'
  for file in bootcode.bin start.elf fixup.dat start4.elf fixup4.dat; do
    cp "$firmware/usr/lib/raspi-firmware/$file" "$fat/"
  done
  for file in 3-a-plus 3-b 3-b-plus zero-2-w; do
    cp "$firmware"/usr/lib/linux-image-*/broadcom/bcm2837-rpi-$file.dtb "$fat/"
  done
  cp "$firmware"/usr/lib/linux-image-*/broadcom/bcm2711-rpi-4-b.dtb "$fat/"
  cp "$firmware/usr/share/doc/raspi-firmware/copyright" "$fat/LICENCE.firmware.txt"
  cp "$firmware/usr/lib/u-boot/rpi_arm64/u-boot.bin" "$fat/"
  cp "$firmware/usr/lib/u-boot/qemu_arm64/u-boot.bin" "$fat.virt"
  cp deploy/image.d/boot/{config.txt,mynah.toml,mynah-i2s.dts,boot.cmd} "$fat/"
  # U-Boot's variables: no key stops it, for the recorder's console is on the same line, and nothing is searched for. It
  # reads this file and never writes it.
  python3 - "$fat/uboot.env" <<'PYTHON'
import sys, zlib
SIZE = 0x4000
BOOT = ("for devnum in 0 1; do if load mmc ${devnum}:1 0x02400000 boot.scr; then source 0x02400000; fi; done; reset")
text = f"bootdelay=-2\0devtype=mmc\0bootcmd={BOOT}\0\0".encode().ljust(SIZE - 4, b"\0")
open(sys.argv[1], "wb").write(zlib.crc32(text).to_bytes(4, "little") + text)
PYTHON
  # Text files open in every editor.
  sed -i 's/$/\r/' "$fat/mynah.toml" "$fat/config.txt"
  in_root "$image_tools" "cd '/mynah/${fat#"$cache/"}' && export SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH &&
    dtc -q -@ -I dts -O dtb -o overlays/mynah-i2s.dtbo mynah-i2s.dts &&
    mkimage -A arm64 -T script -C none -n mynah -d boot.cmd boot.scr >/dev/null && rm mynah-i2s.dts boot.cmd"
  rm -rf "$firmware"
  find "$fat" -print0 | xargs -0 touch --date="@$SOURCE_DATE_EPOCH"
}

# Makes the card's image $1 of root folder $2 and boot folder $3; the root's file system stays beside it, root.ext4.
make_image_card() {
  local work=${1%/*} name root=/mynah/${2#"$cache/"} boot=/mynah/${3#"$cache/"}
  local uuid=6d796e61-0000-4000-8000-000000000002
  name=$(basename "$1")
  python3 - "$work/state" <<'PYTHON'
import sys, zlib
SECTOR = 512
text = b"BOOT_ORDER=A\0BOOT_A_LEFT=3\0BOOT_B_LEFT=3\0\0".ljust(SECTOR - 4, b"\0")
state = zlib.crc32(text).to_bytes(4, "little") + text
open(sys.argv[1], "wb").write(state + b"mynah-data new\n".ljust(SECTOR, b"\0"))
PYTHON
  local roots=$((4 + image_boot_mib)) second data
  second=$((roots + image_root_mib))
  data=$((second + image_root_mib))
  in_root "$image_tools" "cd '/mynah/${work#"$cache/"}'
    export SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH E2FSPROGS_FAKE_TIME=$SOURCE_DATE_EPOCH TZ=UTC MTOOLS_SKIP_CHECK=1
    truncate -s ${image_root_mib}M root.ext4
    mke2fs -q -t ext4 -L mynah-root -U $uuid -b 4096 -m 0 -N 16384 -O ^has_journal,^resize_inode \\
      -E hash_seed=$uuid,root_owner=0:0,lazy_itable_init=0 -d '$root' root.ext4
    truncate -s ${image_boot_mib}M boot.vfat
    mkfs.vfat -F 32 -n MYNAHBOOT --invariant boot.vfat >/dev/null
    cd '$boot' && LC_ALL=C mcopy -s -m -i '/mynah/${work#"$cache/"}/boot.vfat' * :: && cd - >/dev/null
    printf 'label: dos\nlabel-id: 0x$image_signature\n%s\n%s\n%s\n%s\n' '8192,$((image_boot_mib * 2048)),c,*' \
      '$((roots * 2048)),$((image_root_mib * 2048)),83' '$((second * 2048)),$((image_root_mib * 2048)),83' \
      '$((data * 2048)),8192,83' >table
    truncate -s $((data + 4))M '$name'
    sfdisk --quiet --force --no-reread --no-tell-kernel --wipe never --wipe-partitions never '$name' <table
    # The data partition is not part of the image: flashing a card anew leaves the takes on it.
    truncate -s ${data}M '$name'
    dd if=state of='$name' bs=512 seek=16 conv=notrunc status=none
    dd if=boot.vfat of='$name' bs=1M seek=4 conv=notrunc,sparse status=none
    dd if=root.ext4 of='$name' bs=1M seek=$roots conv=notrunc,sparse status=none
    rm state table boot.vfat"
}

# What an update has to be for.
image_compatible=mynah-raspberrypi

# Makes the update file $1 of version $2 from root.ext4 beside it, signed by key.pem and certificate.pem of folder $3; for
# board $4 and with compression $5, where it is not for a release.
make_image_update() {
  local work=${1%/*} name
  name=$(basename "$1")
  mkdir -p -m 700 "$work/keys" && mkdir "$work/update"
  cp "$3/key.pem" "$3/certificate.pem" "$work/keys/"
  mv "$work/root.ext4" "$work/update/"
  printf '[update]\ncompatible=%s\nversion=%s\n\n[bundle]\nformat=verity\n\n[image.rootfs]\nfilename=root.ext4\n' \
    "${4:-$image_compatible}" "$2" >"$work/update/manifest.raucm"
  find "$work/update" -print0 | xargs -0 touch --date="@$SOURCE_DATE_EPOCH"
  in_root "$image_tools" "cd '/mynah/${work#"$cache/"}' && export SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH &&
    rauc bundle --cert=keys/certificate.pem --key=keys/key.pem \\
      --mksquashfs-args='-comp zstd -Xcompression-level ${5:-15} -processors 2 -quiet -no-progress' update '$name'" >"$work/rauc.log" 2>&1 || {
    cat "$work/rauc.log" >&2
    rm -rf "$work/keys"
    fail "the update could not be made"
  }
  rm -rf "$work/keys" "$work/update"
}
