"""Debian packages for the guest: fetched by the host's apt with a state of its own, so that nothing is installed, no
root is needed, and the guest is the same on every host."""

import os
import pathlib
import subprocess

SUITE = "bookworm"
SOURCES = """\
deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {mirror} {suite} main
deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {mirror}-security {suite}-security main
"""


class Debian:
    """A private view of Debian's archive below `folder`."""

    def __init__(self, folder: pathlib.Path, architecture: str = "amd64"):
        self.folder = folder
        self.architecture = architecture
        self.mirror = os.environ.get("MYNAH_RIG_MIRROR", "http://deb.debian.org/debian")
        for part in ("lists/partial", "archives/partial", "etc"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / "status").touch()
        (folder / "etc/sources.list").write_text(SOURCES.format(mirror=self.mirror, suite=SUITE))

    def update(self) -> None:
        self._apt("apt-get", "update", "-q")

    def closure(self, *names: str) -> list[str]:
        """The packages and all that they depend on, as name=version."""
        text = self._apt("apt-get", "install", "--simulate", "--no-install-recommends", *names)
        rows = [line.split() for line in text.splitlines() if line.startswith("Inst ")]
        return [f"{row[1]}={row[2].lstrip('(')}" for row in rows]

    def depends(self, name: str) -> list[str]:
        """What a package depends on directly; of a metapackage, the packages of today's version."""
        text = self._apt("apt-cache", "depends", "--no-recommends", "--no-suggests", name)
        return [line.split()[-1] for line in text.splitlines() if "Depends:" in line and "<" not in line]

    def unpack(self, target: pathlib.Path, *packages: str) -> None:
        """Downloads packages and unpacks them below `target`; no maintainer script runs."""
        target.mkdir(parents=True, exist_ok=True)
        archives = self.folder / "archives"
        for package in packages:
            self._apt("apt-get", "download", package, cwd=archives)
            name = package.split("=")[0]
            for deb in sorted(archives.glob(f"{name}_*.deb")):
                subprocess.run(["dpkg-deb", "-x", deb, target], check=True)
                deb.unlink()

    def unpack_file(self, target: pathlib.Path, file: str, sha256: str) -> None:
        """The same for a package of another suite: its file in the archive, and that file's checksum."""
        target.mkdir(parents=True, exist_ok=True)
        deb = self.folder / "archives" / os.path.basename(file)
        self._apt(
            "/usr/lib/apt/apt-helper", "-o", "Acquire::Retries=3", "download-file", f"{self.mirror}/{file}", str(deb),
            f"SHA256:{sha256}")
        subprocess.run(["dpkg-deb", "-x", deb, target], check=True)
        deb.unlink()

    def _apt(self, tool: str, *arguments: str, cwd: pathlib.Path | None = None) -> str:
        folder = self.folder
        options = {
            "Dir::State::Lists": folder / "lists",
            "Dir::State::status": folder / "status",
            "Dir::Cache": folder,
            "Dir::Cache::archives": folder / "archives",
            "Dir::Etc::sourcelist": folder / "etc/sources.list",
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::Etc::preferencesparts": "/dev/null",
            "APT::Architecture": self.architecture,
            "APT::Architectures": self.architecture,
            "APT::Sandbox::User": "",
            "Acquire::Languages": "none",
            "Debug::NoLocking": "true",
        }
        command = [tool]
        for key, value in options.items():
            command += ["-o", f"{key}={value}"]
        done = subprocess.run(command + list(arguments), cwd=cwd, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(
                f"{tool} {' '.join(arguments)} failed:\n{done.stderr.strip()}\n"
                "The rig needs Debian's archive once; MYNAH_RIG_MIRROR names another mirror.")
        return done.stdout
