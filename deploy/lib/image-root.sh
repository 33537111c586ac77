# shellcheck shell=bash
# The image's root file system: packages unpacked, no script of theirs run, and what these would have done. Needs common.sh,
# fetch.sh, image-pins.sh, and environment.sh's in_root.

# What would write, listen, wait or ask, and what has nothing to do on a read-only root.
image_masked="ldconfig.service systemd-hwdb-update.service systemd-journal-catalog-update.service systemd-update-done.service
  systemd-firstboot.service systemd-machine-id-commit.service systemd-sysusers.service systemd-pcrphase.service
  systemd-journal-flush.service systemd-random-seed.service systemd-update-utmp.service systemd-update-utmp-runlevel.service
  systemd-logind.service systemd-user-sessions.service systemd-networkd.service systemd-pstore.service
  systemd-binfmt.service systemd-network-generator.service systemd-ask-password-wall.path systemd-ask-password-console.path
  systemd-sysext.socket systemd-hostnamed.socket systemd-creds.socket systemd-bootctl.socket systemd-networkd.socket
  systemd-mute-console.socket systemd-factory-reset.socket systemd-pcrextend.socket systemd-pcrlock.socket
  systemd-repart.service systemd-udev-load-credentials.service systemd-initctl.socket
  systemd-tpm2-setup.service systemd-tpm2-setup-early.service
  getty-static.service getty.target serial-getty@.service getty@.service autovt@.service console-getty.service
  systemd-tmpfiles-clean.timer fstrim.timer e2scrub_all.timer e2scrub_reap.service
  dev-hugepages.mount dev-mqueue.mount sys-fs-fuse-connections.mount proc-sys-fs-binfmt_misc.automount
  sys-kernel-debug.mount sys-kernel-tracing.mount systemd-remount-fs.service"

# Makes the root in folder $1 with package $2 of mynah in it, of version $3, which trusts updates signed by certificate $4.
make_image_root() {
  local root=$1 package=$2 folder version
  mkdir -p "$root/usr"
  for folder in bin sbin lib; do
    mkdir -p "$root/usr/$folder"
    ln -s "usr/$folder" "$root/$folder"
  done
  unpack_image_part root "$root" --exclude='./usr/share/man' --exclude='./usr/share/locale' --exclude='./usr/share/info' \
    --exclude='./usr/share/lintian' --exclude='./usr/share/bug' --exclude='./usr/share/bash-completion' \
    --exclude='./usr/share/zsh' --exclude='./usr/lib/*/gconv' --exclude='./usr/share/initramfs-tools' \
    --exclude='./etc/init.d' --exclude='./etc/cron*' --exclude='./usr/lib/linux-image-*' --exclude='./etc/apparmor*' \
    --exclude='./usr/lib/systemd/catalog' --exclude='./usr/share/polkit-1' --exclude='./usr/share/dbus-1' \
    --exclude='./usr/share/X11' --exclude='./usr/lib/udev/hwdb.d' --exclude='./etc/kernel' --exclude='./usr/lib/kernel'
  dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --no-same-owner --same-permissions --keep-directory-symlink
  prune_image_root "$root"

  # Files of our own; what of Debian's must not run.
  cp -R deploy/image.d/root/. "$root"
  chmod 755 "$root"/usr/lib/mynah/{settings,data-partition,good,dhcp,update,ssh,drive}
  chmod 600 "$root/etc/shadow"
  for folder in proc sys dev run tmp root mnt boot var/lib/mynah var/log var/tmp var/lib/systemd etc/mynah; do
    mkdir -p "$root/$folder"
  done
  rm -rf "$root/var/run" "$root/var/lock"
  ln -s /run "$root/var/run"
  ln -s /run/lock "$root/var/lock"
  for folder in $image_masked; do ln -sfn /dev/null "$root/etc/systemd/system/$folder"; done
  link_unit "$root" multi-user mynah.service /usr/lib/systemd/system
  # What sets the clock, and reboots, when the recorder asks for it.
  link_unit "$root" multi-user mynah-clock.path /usr/lib/systemd/system
  link_unit "$root" multi-user mynah-power.path /usr/lib/systemd/system
  link_unit "$root" sysinit mynah-good.service /etc/systemd/system
  link_unit "$root" multi-user mynah-ssh.service /etc/systemd/system
  rm "$root/usr/bin/dbclient" "$root/usr/bin/dropbearconvert"
  link_unit "$root" multi-user mynah-update.path /etc/systemd/system
  cp "$4" "$root/etc/rauc/keyring.pem"
  chmod 644 "$root/etc/rauc/keyring.pem"
  # Network adapters keep the kernel's names, by which the rules of 71-mynah-image.rules know them.
  mkdir -p "$root/etc/systemd/network"
  ln -s /dev/null "$root/etc/systemd/network/99-default.link"
  link_unit "$root" sysinit systemd-timesyncd.service /usr/lib/systemd/system
  ln -sfn /usr/lib/systemd/system/multi-user.target "$root/etc/systemd/system/default.target"
  cat "$root"/usr/share/ca-certificates/mozilla/*.crt >"$root/ca" && rm -rf "$root/usr/share/ca-certificates"
  mkdir -p "$root/etc/ssl/certs" && mv "$root/ca" "$root/etc/ssl/certs/ca-certificates.crt"
  printf 'NAME="Mynah"\nID=mynah\nID_LIKE=debian\nVERSION_ID="%s"\nPRETTY_NAME="Mynah %s (Debian 13)"\n' "$3" "$3" \
    >"$root/usr/lib/os-release"

  [ -e "$root/usr/bin/sh" ] || ln -s dash "$root/usr/bin/sh"
  # Small tools: what no package brings is busybox's.
  in_root "$image_tools" "busybox --list" | while read -r folder; do
    case $folder in
    init | linuxrc | getty | login | su | sulogin | telnet* | ftp* | httpd | tftp* | nc | nologin | reboot | poweroff | halt) ;;
    *) [ -e "$root/usr/bin/$folder" ] || [ -e "$root/usr/sbin/$folder" ] || ln -s busybox "$root/usr/bin/$folder" ;;
    esac
  done

  # Modules: those of image.d/modules.txt, and tables that fit.
  version=$(basename "$root"/usr/lib/modules/*)
  in_root "$image_tools" "depmod -b '/mynah/${root#"$cache/"}' $version"
  python3 deploy/image.d/keep-modules.py "$root/usr/lib/modules/$version" deploy/image.d/modules.txt
  in_root "$image_tools" "depmod -b '/mynah/${root#"$cache/"}' $version"
  rm -f "$root/boot"/System.map-* "$root/boot"/config-*
  mv "$root/boot/vmlinuz-$version" "$root/vmlinuz"

  python3 deploy/image.d/initrd.py "$root" deploy/image.d/modules.txt deploy/image.d/initrd-init "$root/initrd.cpio"
  in_root "$image_tools" "cd '/mynah/${root#"$cache/"}' && zstd -q -19 -T1 --no-check -o initrd.img initrd.cpio && rm initrd.cpio"
  # Nobody becomes root by a program, and nothing is newer than the image.
  find "$root" -type f -perm /6000 -exec chmod ug-s {} +
  find "$root" -print0 | xargs -0 touch --no-dereference --date="@$SOURCE_DATE_EPOCH"
}

link_unit() {
  mkdir -p "$1/etc/systemd/system/$2.target.wants"
  ln -sfn "$4/$3" "$1/etc/systemd/system/$2.target.wants/$3"
}

# What none of the three boards has, or nobody uses without a shell.
prune_image_root() {
  local root=$1 kept='/(brcmfmac|BCM|cyfmac)43(430|436|436s|455)'
  find "$root"/usr/lib/firmware/brcm "$root"/usr/lib/firmware/cypress -type f -print0 | grep -z -v -E "$kept" |
    xargs -0 rm -f
  # Its package's script makes these links.
  ln -s regulatory.db-debian "$root/usr/lib/firmware/regulatory.db"
  ln -s regulatory.db.p7s-debian "$root/usr/lib/firmware/regulatory.db.p7s"
  find "$root"/usr/lib/firmware -xtype l -delete
  # Licences stay; what else documents, goes.
  find "$root/usr/share/doc" -type f ! -name copyright -delete
  find "$root/usr/share/doc" -type l -delete
  find "$root/usr/share/doc" -type d -empty -delete
  # Of what is to be made at a start, only what can be made on a read-only root.
  find "$root/usr/lib/tmpfiles.d" -type f ! -name mynah.conf ! -name static-nodes-permissions.conf -delete
  rm -f "$root"/usr/bin/lslogins "$root"/usr/sbin/cfdisk
  rm -rf "$root"/usr/src "$root"/var/lib/dpkg "$root"/var/cache/* "$root"/usr/share/zoneinfo/right "$root"/etc/apt \
    "$root"/usr/lib/*/perl* "$root"/usr/share/perl* "$root"/etc/systemd/system/*.wants "$root"/usr/lib/*/*-loader \
    "$root"/usr/lib/systemd/system/*.timer "$root"/usr/lib/systemd/system/timers.target.wants "$root"/etc/machine-id \
    "$root"/usr/lib/systemd/system-generators/systemd-{gpt-auto,getty,cryptsetup,hibernate-resume,tpm2,ssh,bless-boot,integritysetup,veritysetup,rc-local,sysv}*-generator \
    "$root"/usr/lib/systemd/system-generators/systemd-{system-update,debug,run}-generator
}
