"""The guest's kernel: Debian's image as it is, and the modules that Debian leaves out, built against its headers."""

import lzma
import os
import pathlib
import shutil
import subprocess
import tarfile

from .debian import Debian

HERE = pathlib.Path(__file__).resolve().parent.parent
# Built from the kernel's own source: where they are in it.
FOREIGN = {
    "drivers/gpio/gpio-sim.c": "gpio-sim.c",
    "drivers/gpio/gpiolib.h": "gpiolib.h",
    "kernel/irq/irq_sim.c": "irq_sim.c",
}
# The module's source as Debian 13 packages it: the one of Debian 12 (0.12.7) tells wrong sizes of compressed pictures.
LOOPBACK = (
    "pool/main/v/v4l2loopback/v4l2loopback-dkms_0.15.0-2_all.deb",
    "d9b768037e28852070d31af3376d90c8b448f9807de29d664587082bb7784cd4")


def build(debian: Debian, target: pathlib.Path, log) -> str:
    """Leaves `target`/vmlinuz and `target`/modules (a tree for depmod); returns the kernel's release."""
    image = debian.depends("linux-image-amd64")[0]
    release = image.removeprefix("linux-image-")
    work = target / "kernel"
    log(f"kernel {release}: image and headers")
    debian.unpack(work, image)
    headers = debian.depends("linux-headers-amd64")[0]
    parts = [name for name in debian.depends(headers) if not name.startswith("linux-compiler")]
    debian.unpack(work, headers, *parts)
    _relocate(work, release)
    source = work / "rig-modules"
    source.mkdir()
    for path in (HERE / "modules").iterdir():
        shutil.copy(path, source)
    log("kernel source of the modules that Debian leaves out")
    _foreign(debian, target / "source", source)
    _loopback(debian, target / "source", source)
    log("building modules")
    _make(work, release, source)
    shutil.move(work / f"boot/vmlinuz-{release}", target / "vmlinuz")
    tree = work / f"lib/modules/{release}"
    extra = tree / "updates"
    extra.mkdir(exist_ok=True)
    for module in source.glob("*.ko"):
        subprocess.run(["strip", "--strip-debug", module], check=True)
        shutil.copy(module, extra)
    shutil.move(work / "lib", target / "modules")
    shutil.rmtree(work)
    return release


def _relocate(work: pathlib.Path, release: str) -> None:
    """The headers name each other by absolute paths: let them name where they were unpacked."""
    source = work / "usr/src"
    kbuild = next((work / "usr/lib").glob("linux-kbuild-*"))
    for folder in source.glob("linux-headers-*"):
        for link in ("scripts", "tools"):
            path = folder / link
            if path.is_symlink():
                path.unlink()
                path.symlink_to(kbuild / link)
        for name in ("Makefile", ".kernelvariables"):
            path = folder / name
            if path.is_file() and not path.is_symlink():
                text = path.read_text().replace("/usr/src/", f"{source}/")
                path.write_text(text.replace("/usr/lib/linux-kbuild", f"{kbuild.parent}/linux-kbuild"))


def _foreign(debian: Debian, scratch: pathlib.Path, source: pathlib.Path) -> None:
    package = debian.depends("linux-source")[0]
    debian.unpack(scratch, package)
    archive = next((scratch / "usr/src").glob("linux-source-*.tar.xz"))
    wanted = dict(FOREIGN)
    with lzma.open(archive) as stream, tarfile.open(fileobj=stream, mode="r|") as tar:
        for member in tar:
            name = wanted.pop(member.name.split("/", 1)[-1], None)
            if name:
                text = tar.extractfile(member).read().decode()
                # Not exported to modules; the exported pair says the same.
                text = text.replace("irq_to_desc(", "rig_irq_to_desc(")
                if "rig_irq_to_desc(" in text:
                    text = _with_shim(text)
                (source / name).write_text(text)
            if not wanted:
                break
    shutil.rmtree(scratch)
    if wanted:
        raise RuntimeError(f"{package} has no {', '.join(wanted)}")


def _loopback(debian: Debian, scratch: pathlib.Path, source: pathlib.Path) -> None:
    debian.unpack_file(scratch, *LOOPBACK)
    for path in next((scratch / "usr/src").glob("v4l2loopback-*")).glob("*.[ch]"):
        shutil.copy(path, source)
    shutil.rmtree(scratch)


def _with_shim(text: str) -> str:
    """Defines rig_irq_to_desc after the last #include."""
    lines = text.splitlines(keepends=True)
    last = max(number for number, line in enumerate(lines) if line.startswith("#include"))
    shim = "#define rig_irq_to_desc(irq) irq_data_to_desc(irq_get_irq_data(irq))\n"
    return "".join(lines[: last + 1] + [shim] + lines[last + 1 :])


def _make(work: pathlib.Path, release: str, source: pathlib.Path) -> None:
    compiler = next((name for name in ("gcc-12", "gcc") if shutil.which(name)), None)
    if compiler is None:
        raise RuntimeError("there is no gcc: Scripts/setup rig")
    headers = work / f"usr/src/linux-headers-{release}"
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    done = subprocess.run(
        ["make", "-C", headers, f"M={source}", f"CC={compiler}", "modules"], capture_output=True, text=True,
        env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"the guest's modules do not build:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
