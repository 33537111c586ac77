# What U-Boot does: chooses the root whose turn it is, and starts its kernel. On a Pi (mmc) and on QEMU's virt (virtio).
#
# Which root: BOOT_ORDER, BOOT_A_LEFT, BOOT_B_LEFT in sector 16 of the card, a sector of its own before the first
# partition, with a CRC; fw_setenv reads and writes the same. A start takes one of the root's tries away,
# mynah-good.service gives them back; a root without tries is passed over. TRIAL names a root that an update was, or is
# being, written to and that has not proved itself; here it is only kept.
# Numbers are hexadecimal. U-Boot's own addresses for the rest lie inside a kernel of 37 MB, hence others here.
setenv state 0x03f00000
setenv mynah_kernel 0x00080000
setenv mynah_initrd 0x04000000
if test "${devtype}" = "virtio"; then
  setenv state 0x40300000
  setenv mynah_kernel 0x41000000
  setenv mynah_initrd 0x45000000
fi
setenv BOOT_ORDER "A"
setenv BOOT_A_LEFT 3
setenv BOOT_B_LEFT 3
${devtype} dev ${devnum}
if ${devtype} read ${state} 0x10 1; then
  env import -c ${state} 0x200 BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT TRIAL || echo "mynah: no state yet"
fi
setenv slot
for s in ${BOOT_ORDER}; do
  if test -n "${slot}"; then
    true
  elif test "${s}" = "A"; then
    if test ${BOOT_A_LEFT} -gt 0; then setexpr BOOT_A_LEFT ${BOOT_A_LEFT} - 1; setenv slot A; setenv part 2; fi
  elif test "${s}" = "B"; then
    if test ${BOOT_B_LEFT} -gt 0; then setexpr BOOT_B_LEFT ${BOOT_B_LEFT} - 1; setenv slot B; setenv part 3; fi
  fi
done
if test -z "${slot}"; then
  echo "mynah: no tries left, all of them again"
  setenv BOOT_A_LEFT 3
  setenv BOOT_B_LEFT 3
fi
env export -c -s 0x200 ${state} BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT TRIAL
${devtype} write ${state} 0x10 1
test -n "${slot}" || reset
echo "mynah: slot ${slot}, order ${BOOT_ORDER}, left ${BOOT_A_LEFT} ${BOOT_B_LEFT}"
# What the firmware handed over, with its overlays; on QEMU, what the emulator made.
setenv dtb ${fdt_addr}
test -n "${dtb}" || setenv dtb ${fdtcontroladdr}
if load ${devtype} ${devnum}:${part} ${mynah_kernel} /vmlinuz && load ${devtype} ${devnum}:${part} ${mynah_initrd} /initrd.img; then
  # The kernel is quiet on every serial line, for the recorder's console is there; what it says is on the screen.
  setenv bootargs "console=tty0 quiet loglevel=3 ro rootwait panic=10 root=PARTUUID=6d796e61-0${part} rauc.slot=${slot}"
  booti ${mynah_kernel} ${mynah_initrd}:${filesize} ${dtb}
fi
echo "mynah: slot ${slot} does not start"
sleep 2
reset
