"""Checks takes and clips by their signed receipts: written from docs/manual/proof.md alone. python3 -m mynah_client.verify FILE…"""
from __future__ import annotations
import argparse
import hashlib
import json
import os
import sys
from typing import Any, BinaryIO, Iterator, NamedTuple, Optional
from .ed25519 import is_signed

CONTEXT = b"mynah-proof-1\n"

class Verdict(NamedTuple):
    word: str  # whole, cut off, changed, unsigned
    seconds: Optional[float]
    reason: str
    key: str

def root(leaves: list[bytes]) -> bytes:
    """The root of the hash tree over these leaves (RFC 6962, 2.1)."""
    if len(leaves) < 2:
        return leaves[0] if leaves else hashlib.sha256().digest()
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\1" + root(leaves[:half]) + root(leaves[half:])).digest()

def total(media: BinaryIO, ranges: list[tuple[int, int]]) -> str:
    result = hashlib.blake2b(digest_size=32)
    for start, end in ranges:
        media.seek(start)
        while start < end and (piece := media.read(min(1 << 20, end - start))):
            result.update(piece)
            start += len(piece)
    return result.hexdigest()

def solid(start: int, end: int, holes: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for low, high in holes:
        if start < high and low < end:
            yield start, max(start, low)
            start = min(end, high)
    yield start, end

def same(found: Any, wanted: Any) -> bool:
    if isinstance(found, dict) and isinstance(wanted, dict):
        return all(name in found and same(found[name], wanted[name]) for name in wanted)
    if isinstance(found, list) and isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    return bool(found == wanted)

def differs(signed: dict[str, Any], earlier: dict[str, Any], notes: Any) -> Optional[str]:
    """The first path of which the notes say something else than was signed."""
    for path in sorted(signed):
        found = notes
        for name in path.split("."):
            found = found.get(name) if isinstance(found, dict) else None
        if found is not None and not any(same(found, all_[path]) for all_ in (signed, earlier) if path in all_):
            return path
    return None

def verify(path: str, key: Optional[str] = None) -> Verdict:
    """What the signed receipt beside a recording says of it."""
    proof, notes = b"", None
    if os.path.exists(path + ".proof"):
        with open(path + ".proof", "rb") as file:
            proof = file.read()
    for place in (path + ".json", os.path.splitext(path)[0] + ".json"):
        if notes is None and os.path.exists(place):
            with open(place, "rb") as file:
                notes = json.load(file)
    with open(path, "rb") as media:
        return compare(media, os.path.getsize(path), proof, notes, key)

def compare(media: BinaryIO, size: int, proof: bytes, notes: Any, key: Optional[str] = None) -> Verdict:
    header: dict[str, Any] = {}
    end, earlier = header.copy(), header.copy()
    leaves: list[bytes] = []
    used: list[tuple[bytes, bytes, float]] = []
    places, times_, previous, signer, fault, repaired = [0], [0.0], "", "", "", False
    def changed(reason: str) -> Verdict:
        # A line that is signed vouches for all before it.
        while used and not is_signed(bytes.fromhex(signer), CONTEXT + used[-1][0], used[-1][1]):
            used.pop()
        return Verdict("changed", min(used[-1][2] if used else 0.0, times_[-1]), reason, signer)
    try:
        for line in proof.split(b"\n")[:-1]:
            payload, _, digits = line.rpartition(b"\t")
            record, signature = json.loads(payload), bytes.fromhex(digits.decode())
            if not header:
                if not is_signed(bytes.fromhex(record["key"]), CONTEXT + payload, signature):
                    return changed("The first record is not signed by the key that it names.")
                header, signer = record, record["key"]
                if key is not None and key.lower() != signer:
                    return Verdict("unsigned", None, "It is signed by another key.", signer)
                holes = [(low, high) for low, high in header["holes"]]
            elif record["previous"] != previous:
                return changed("The records do not follow each other.")
            elif "end" in record:
                if record["pieces"] == len(leaves) - 1:
                    leaves.pop()
                    del places[len(leaves) + 1:], times_[len(leaves) + 1:]
                    fault = ""
                if fault:
                    break
                if (record["pieces"], record["root"], record["to"]) != (len(leaves), root(leaves).hex(), places[-1]):
                    return changed("The end does not agree with the pieces.")
                earlier = end.get("notes", {}) if record["end"] == "dated" else {}
                end, repaired = record, repaired or record["end"] == "repaired"
            else:
                if fault:
                    break
                leaves.append(hashlib.sha256(b"\0" + bytes.fromhex(record["leaf"])).digest())
                if end or (record["piece"], record["from"]) != (len(leaves), places[-1]) or record["seconds"] < times_[-1]:
                    return changed("A piece is where none can be.")
                if total(media, list(solid(record["from"], record["to"], holes))) != record["leaf"]:
                    fault = "cut off" if size < record["to"] else "changed"
                else:
                    places.append(record["to"])
                    times_.append(record["seconds"])
            previous = hashlib.sha256(line).hexdigest()
            used.append((payload, signature, times_[-1]))
    except (ValueError, KeyError, TypeError, IndexError):
        return changed("A record cannot be read.")
    if not header:
        return Verdict("unsigned", None, "There is no proof.", "")
    if not is_signed(bytes.fromhex(signer), CONTEXT + used[-1][0], used[-1][1]):
        return changed("The last record is not signed.")
    if fault:
        return Verdict(fault, times_[-1], "A piece is not as it was signed.", signer)
    if "rest" in end and size != end["size"]:
        return changed("Bytes were added.") if size > end["size"] else Verdict("cut off", times_[-1], "It is short.", signer)
    behind = [(end["to"], size)] + [(low, min(high, end["to"])) for low, high in holes if low < end["to"]] if end else []
    if "rest" in end and total(media, behind) != end["rest"]:
        return changed("Head, tables or tail are not as they were signed.")
    if notes is not None and (path := differs((end or header)["notes"], earlier, notes)):
        return Verdict("changed", 0.0, f"The notes say something else of {path}.", signer)
    if repaired or "rest" not in end:
        return Verdict("cut off", times_[-1], "The power was cut.", signer)
    return Verdict("whole", None, "All of it is as it was signed.", signer)

def main() -> int:
    parser = argparse.ArgumentParser(description="Check takes and clips by their signed receipts.")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--key", help="only what this key signed counts")
    options = parser.parse_args()
    verdicts = [verify(path, options.key) for path in options.files]
    for path, verdict in zip(options.files, verdicts):
        print(f"{path}: {verdict.word}{'' if verdict.seconds is None else f' at {int(verdict.seconds * 10) / 10} s'}; {verdict.reason}")
    return 0 if all(verdict.word == "whole" for verdict in verdicts) else 65

if __name__ == "__main__":
    sys.exit(main())
