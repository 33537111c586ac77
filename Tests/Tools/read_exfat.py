#!/usr/bin/env python3
"""Reads an exFAT file system as "exFAT file system specification" (Microsoft, revision 1.00) has it, and nothing else of ours.

    read_exfat.py IMAGE [FOLDER]

Prints what is on it as JSON: label, serial, sector and cluster sizes, and every file in its folder's order with size,
attributes and times. With FOLDER, the file number n of all has to have the bytes of FOLDER/n. Exits with 1 and says so where
the image breaks a rule of the specification; numbers in brackets are the specification's sections.
"""
import json
import os
import struct
import sys

RECOMMENDED_TABLE = 0xE619D30D


def expect(condition, what):
    if not condition:
        sys.exit(f"exFAT: {what}")


def turned(data, bits, skip=()):
    value = 0
    for place, byte in enumerate(data):
        if place not in skip:
            value = (((value & 1) << (bits - 1)) + (value >> 1) + byte) & ((1 << bits) - 1)
    return value


def data_from(file, place):
    """The next place where a file is no hole."""
    try:
        return os.lseek(file.fileno(), place, os.SEEK_DATA)
    except OSError:
        return 1 << 62


class Volume:
    def __init__(self, path):
        self.file = open(path, "rb")
        self.size = self.file.seek(0, 2)
        boot = self.at(0, 512)
        self.boot(boot)
        self.regions()
        fat = self.at(self.fat * self.sector, (self.count + 2) * 4)
        self.next = struct.unpack(f"<{self.count + 2}I", fat)
        expect(self.next[0] == 0xFFFFFFF8 and self.next[1] == 0xFFFFFFFF, "[4.1] the first entries of the FAT")
        self.taken = set()
        self.folders, self.files = [], []
        self.label = self.table = self.bitmap = None
        self.root()

    def at(self, offset, count):
        expect(offset + count <= self.size, f"byte {offset + count} lies behind the end")
        self.file.seek(offset)
        return self.file.read(count)

    def boot(self, boot):
        expect(boot[:3] == b"\xEB\x76\x90" and boot[3:11] == b"EXFAT   ", "[3.1.1, 3.1.2] it is not exFAT")
        expect(not any(boot[11:64]), "[3.1.3] MustBeZero")
        (self.offset, length, self.fat, self.fat_length, self.heap, self.count, self.first, self.serial, revision, flags,
            sector, cluster, fats, _, percent) = struct.unpack("<QQIIIIIIHHBBBBB", boot[64:113])
        expect(not any(boot[113:120]), "[3.1] Reserved")
        expect(boot[510:] == b"\x55\xAA", "[3.1.20] BootSignature")
        expect(9 <= sector <= 12 and sector + cluster <= 25, "[3.1.14, 3.1.15] sizes of sectors and clusters")
        self.sector, self.cluster = 1 << sector, 1 << sector + cluster
        expect(length * self.sector == self.size >= 1 << 20, "[3.1.5] VolumeLength")
        expect(fats == 1 and revision == 0x0100 and flags == 0, "[3.1.12, 3.1.13, 3.1.16] FATs, revision, flags")
        expect(self.fat >= 24 and self.fat + self.fat_length <= self.heap, "[3.1.6] FatOffset")
        expect(self.fat_length * self.sector >= (self.count + 2) * 4, "[3.1.7] FatLength")
        expect(self.count == min((length - self.heap) >> cluster, 2**32 - 11), "[3.1.9] ClusterCount")
        self.percent = percent

    def regions(self):
        size = self.sector
        both = [self.at(place, 12 * size) for place in (0, 12 * size)]
        expect(both[0] == both[1], "[3.1] the backup of the boot region is another")
        for sector in range(1, 9):
            expect(both[0][(sector + 1) * size - 4:(sector + 1) * size] == b"\0\0\x55\xAA", "[3.2.2] signature")
        total = struct.pack("<I", turned(both[0][:11 * size], 32, (106, 107, 112)))
        expect(both[0][11 * size:] == total * (size // 4), "[3.4] the sum of the boot region")

    def take(self, clusters):
        for cluster in clusters:
            expect(2 <= cluster < self.count + 2, f"[6.2.2] there is no cluster {cluster}")
            expect(cluster not in self.taken, f"two things lie in cluster {cluster}")
            self.taken.add(cluster)
        return clusters

    def chain(self, first):
        clusters = []
        while first != 0xFFFFFFFF:
            expect(len(clusters) <= self.count, "[4.1.3] a chain has no end")
            clusters.append(first)
            first = self.next[first]
        return self.take(clusters)

    def read(self, clusters, size):
        data = b"".join(self.at(self.place(cluster), self.cluster) for cluster in clusters)
        expect(len(data) >= size, "something is shorter than it says")
        return data[:size]

    def place(self, cluster):
        return self.heap * self.sector + (cluster - 2) * self.cluster

    def root(self):
        clusters = self.chain(self.first)
        entries = self.read(clusters, len(clusters) * self.cluster)
        for place in range(0, len(entries), 32):
            entry = entries[place:place + 32]
            first, size = struct.unpack("<IQ", entry[20:])
            if entry[0] == 0x83:
                expect(self.label is None and entry[1] <= 11, "[7.3] volume label")
                self.label = entry[2:2 + 2 * entry[1]].decode("utf-16-le")
            elif entry[0] == 0x81:
                expect(self.bitmap is None and entry[1] == 0, "[7.1] allocation bitmap")
                expect(size == (self.count + 7) // 8, "[7.1.5] the bitmap's size")
                self.bitmap = self.read(self.chain(first), size)
            elif entry[0] == 0x82:
                expect(self.table is None, "[7.2] there are two up-case tables")
                data = self.read(self.chain(first), size)
                expect(turned(data, 32) == struct.unpack("<I", entry[4:8])[0], "[7.2.2] TableChecksum")
                expect(turned(data, 32) == RECOMMENDED_TABLE, "[7.2.5.1] it is not the recommended table")
                self.table = self.unpacked(struct.unpack(f"<{size // 2}H", data))
        expect(None not in (self.label, self.bitmap, self.table), "[7] label, bitmap or up-case table are missing")
        for name, is_folder, facts, clusters in self.sets(entries):
            expect(is_folder, f"{name} is no folder")
            folder = self.read(clusters, facts["size"])
            for name_, is_folder, facts, clusters in self.sets(folder):
                expect(not is_folder, f"{name_} is a folder")
                self.files.append(({"folder": name, "name": name_, **facts}, clusters))
            self.folders.append(name)
        marked = {2 + bit for bit in range(self.count) if self.bitmap[bit // 8] >> bit % 8 & 1}
        expect(marked == self.taken, f"[7.1.5] the bitmap says {len(marked)} clusters, and {len(self.taken)} are taken")
        expect(not any(self.bitmap[bit // 8] >> bit % 8 & 1 for bit in range(self.count, len(self.bitmap) * 8)), "[7.1.5]")
        expect(self.percent == 100 * len(marked) // self.count, "[3.1.18] PercentInUse")

    @staticmethod
    def unpacked(packed):
        table, place = [], 0
        while place < len(packed):
            if packed[place] == 0xFFFF and place + 1 < len(packed):
                table += range(len(table), len(table) + packed[place + 1])
                place += 1
            else:
                table.append(packed[place])
            place += 1
        expect(len(table) == 0x10000, "[7.2.5.1] the up-case table does not cover all letters")
        return table

    def sets(self, entries):
        """Name, whether it is a folder, facts and clusters of each entry set."""
        names, place = set(), 0
        while place < len(entries) and entries[place]:
            head = entries[place:place + 32]
            if head[0] in (0x81, 0x82, 0x83):
                place += 32
                continue
            expect(head[0] == 0x85 and 2 <= head[1] <= 18, f"[7.4] an entry is of kind {head[0]:#x}")
            data = entries[place:place + 32 * (1 + head[1])]
            place += len(data)
            expect(struct.unpack("<H", data[2:4])[0] == turned(data, 16, (2, 3)), "[6.3.3] SetChecksum")
            expect(data[32] == 0xC0 and not any(data[25:32]) and not any(data[6:8]), "[7.6] no stream behind a file")
            length, hash_, valid, first, size = struct.unpack("<xxxBHxxQxxxxIQ", data[32:64])
            expect(1 <= length and head[1] == 1 + (length + 14) // 15, "[7.7] pieces of the name")
            pieces = [data[at:at + 32] for at in range(64, len(data), 32)]
            expect(all(piece[:2] == b"\xC1\0" for piece in pieces), "[7.7] a piece of a name is none")
            letters = b"".join(piece[2:] for piece in pieces)
            expect(not any(letters[2 * length:]), "[7.7.3] letters behind the name")
            name = letters[:2 * length].decode("utf-16-le")
            expect(not any(ord(letter) < 32 or letter in '"*/:<>?\\|' for letter in name), f"[7.7.3] letters of {name!r}")
            capital = [self.table[unit] for unit in struct.unpack(f"<{length}H", letters[:2 * length])]
            expect(turned(struct.pack(f"<{length}H", *capital), 16) == hash_, f"[7.6.4] NameHash of {name}")
            expect(tuple(capital) not in names, f"[7.7] {name} is there twice")
            names.add(tuple(capital))
            attributes = struct.unpack("<H", data[4:6])[0]
            clusters = self.stream(name, data[33], first, size)
            is_folder = bool(attributes & 0x10)
            expect(valid == size, f"[7.6.5] ValidDataLength of {name}")
            expect(not is_folder or size and size % self.cluster == 0 and size <= 256 << 20, f"[7.6.7] the folder {name}")
            facts = {"size": size, "attributes": attributes, "created": self.time(data, 8, 20, 22),
                "changed": self.time(data, 12, 21, 23), "read": self.time(data, 16, None, 24)}
            yield name, is_folder, facts, clusters
        expect(not any(entries[place:]), "[6.2.1] something lies behind the end of a folder")

    def stream(self, name, flags, first, size):
        expect(flags in (1, 3) and (size > 0) == (first > 0), f"[6.4] flags {flags} of {name}")
        if size == 0:
            expect(flags == 1, f"[6.3.4.2] NoFatChain of {name}, which is empty")
            return []
        count = -(-size // self.cluster)
        if flags == 1:
            clusters = self.chain(first)
            expect(len(clusters) == count, f"the chain of {name} is of another length")
            return clusters
        return self.take(range(first, first + count))

    @staticmethod
    def time(data, stamp, hundredths, zone):
        value = struct.unpack("<I", data[stamp:stamp + 4])[0]
        more = data[hundredths] if hundredths else 0
        expect(value & 31 < 30 and value >> 5 & 63 < 60 and value >> 11 & 31 < 24 and more < 200, "[7.4.8] a time")
        expect(1 <= value >> 16 & 31 and 1 <= value >> 21 & 15 <= 12, "[7.4.8] a day")
        quarters = data[zone] & 0x7F
        minutes = 15 * (quarters - 128 if quarters & 0x40 else quarters) if data[zone] & 0x80 else None
        return [1980 + (value >> 25), value >> 21 & 15, value >> 16 & 31, value >> 11 & 31, value >> 5 & 63,
            2 * (value & 31) + more // 100, more % 100, minutes]

    def same(self, clusters, size, path):
        if not clusters:
            return expect(os.path.getsize(path) == 0, f"{path} is not empty")
        expect(list(clusters) == list(range(clusters[0], clusters[0] + len(clusters))), f"{path} lies in pieces")
        start = self.place(clusters[0])
        with open(path, "rb") as other:
            expect(other.seek(0, 2) == size, f"{path} has another length")
            place = 0
            # Where both have a hole both are zeros.
            while (place := min(data_from(self.file, start + place) - start, data_from(other, place))) < size:
                other.seek(place)
                part = other.read(1 << 16)
                expect(self.at(start + place, len(part)) == part, f"{path}: other bytes from {place} on")
                place += len(part)
        rest = self.at(start + size, len(clusters) * self.cluster - size)
        expect(not any(rest), f"{path}: something lies behind its end")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    volume = Volume(sys.argv[1])
    if len(sys.argv) == 3:
        for number, (facts, clusters) in enumerate(volume.files):
            volume.same(clusters, facts["size"], f"{sys.argv[2]}/{number}")
    json.dump({"label": volume.label, "serial": volume.serial, "sector": volume.sector, "cluster": volume.cluster,
        "clusters": volume.count, "folders": volume.folders, "files": [facts for facts, _ in volume.files]}, sys.stdout)


if __name__ == "__main__":
    main()
