internal import Hardware

/// Finds the fragments that `FragmentedClip` wrote, in a file of which any byte may be wrong.
///
/// Only the exact shape that the writer gives a `moof` is taken. Behind damage it goes on with the next whole fragment.
struct ClipScanner {
  struct Found {
    var fragment = ClipFragment()
    /// Where the pictures lie; the sound follows them.
    var dataOffset = 0
    /// Bytes of a torn `mdat` behind the last whole sample.
    var tornBytes = 0
    var end: Int { dataOffset + fragment.pictureBytes + fragment.soundBytes }
  }

  private let file: any StoredFile
  private let limit: Int
  private var position: Int
  /// Media times before which no fragment may begin.
  private var pictureTime = 0
  private var soundTime = 0
  /// Bytes passed over in search of the next fragment.
  private(set) var skippedBytes = 0

  private static let largestPicture = 16 << 20
  private static let largestUnit = 16 << 10
  private static let longestGap = 1 << 40
  private static let window = 64 << 10

  init(_ file: any StoredFile, from start: Int, end: Int) {
    self.file = file
    limit = min(end, file.size)
    position = start
  }

  /// The next fragment with at least one whole sample; `nil` when there is none before the end or the final `moov`.
  mutating func next() throws(StorageError) -> Found? {
    while position + 8 <= limit {
      var header = ByteReader(try file.bytes(at: position, count: 8))
      let size = Int(header.big32() ?? 0)
      let type = header.fourCC() ?? ""
      if type == "free", (8...8192).contains(size), position + size <= limit {
        position += size
        continue
      }
      if type == "moof", let found = try parse(at: position) { return take(found) }
      if type == "moov", size >= 8, position + size >= limit { return nil }
      let start = position
      guard let found = try search(from: position + 1) else { break }
      skippedBytes += found.start - start
      return take(found.found)
    }
    skippedBytes += max(0, limit - position)
    position = limit
    return nil
  }

  private mutating func take(_ found: Found) -> Found {
    position = found.end + found.tornBytes
    skippedBytes += found.tornBytes
    let fragment = found.fragment
    if !fragment.pictures.isEmpty {
      pictureTime = fragment.pictureTime + fragment.pictures.reduce(0) { $0 + Int($1.duration) }
    }
    if !fragment.sound.isEmpty { soundTime = fragment.soundTime + fragment.sound.count * ClipSamples.soundFrames }
    return found
  }

  /// The next whole fragment that begins at `start` or later.
  private func search(from start: Int) throws(StorageError) -> (start: Int, found: Found)? {
    let mark = Array("moof".utf8)
    var offset = start
    while offset + 8 < limit {
      let bytes = try file.bytes(at: offset, count: Self.window)
      guard bytes.count > 8 else { return nil }
      var candidates: [Int] = []
      bytes.withUnsafeBufferPointer { window in
        for index in 4..<(window.count - 3) where window[index] == mark[0] && window[index + 1] == mark[1] {
          if window[index + 2] == mark[2], window[index + 3] == mark[3] { candidates.append(index - 4) }
        }
      }
      for candidate in candidates {
        if let found = try parse(at: offset + candidate) { return (offset + candidate, found) }
      }
      offset += bytes.count - 7
    }
    return nil
  }

  /// The fragment whose `moof` begins at `offset`, if every byte of its head is as it must be.
  private func parse(at offset: Int) throws(StorageError) -> Found? {
    let head = try file.bytes(at: offset, count: 4096 + 8)
    var reader = ByteReader(head)
    guard let size = reader.big32().map(Int.init), (88...4096).contains(size), size + 8 <= head.count,
      reader.fourCC() == "moof", reader.big32() == 16, reader.fourCC() == "mfhd", reader.big32() == 0, reader.skip(4)
    else { return nil }
    var found = Found(dataOffset: offset + size + 8)
    while reader.position < size {
      guard let bytes = reader.big32().map(Int.init), bytes >= 64, reader.fourCC() == "traf",
        reader.big32() == 16, reader.fourCC() == "tfhd", reader.big32() == 0x020000, let track = reader.big32(),
        reader.big32() == 20, reader.fourCC() == "tfdt", reader.big32() == 0x0100_0000, let time = reader.big64(),
        let run = reader.big32().map(Int.init), run == bytes - 44, reader.fourCC() == "trun",
        let flags = reader.big32(), let count = reader.big32().map(Int.init), let place = reader.big32().map(Int.init)
      else { return nil }
      switch track {
      case ClipBoxes.pictureTrack:
        guard flags == 0x000701, found.fragment.pictures.isEmpty, (1...ClipFragment.mostPictures).contains(count),
          run == 20 + 12 * count, place == size + 8, isNext(time, pictureTime),
          let pictures = Self.pictures(&reader, count)
        else { return nil }
        found.fragment.pictureTime = Int(time)
        found.fragment.pictures = pictures
      case ClipBoxes.soundTrack:
        guard flags == 0x000201, found.fragment.sound.isEmpty, (1...ClipFragment.mostSound).contains(count),
          run == 20 + 4 * count, place == size + 8 + found.fragment.pictureBytes, isNext(time, soundTime),
          let units = Self.units(&reader, count)
        else { return nil }
        found.fragment.soundTime = Int(time)
        found.fragment.sound = units
      default: return nil
      }
    }
    let total = found.fragment.pictureBytes + found.fragment.soundBytes
    guard reader.position == size, reader.big32() == UInt32(clamping: 8 + total), reader.fourCC() == "mdat" else {
      return nil
    }
    cutTornSamples(&found)
    return found.fragment.pictures.isEmpty && found.fragment.sound.isEmpty ? nil : found
  }

  private func isNext(_ time: UInt64, _ expected: Int) -> Bool {
    time >= UInt64(expected) && time - UInt64(expected) <= Self.longestGap
  }

  private static func pictures(_ reader: inout ByteReader, _ count: Int) -> [ClipPicture]? {
    var pictures: [ClipPicture] = []
    pictures.reserveCapacity(count)
    for _ in 0..<count {
      guard let duration = reader.big32(), let bytes = reader.big32(), let flags = reader.big32(), duration > 0,
        (1...largestPicture).contains(Int(bytes)),
        flags == ClipFragment.keyframeFlags || flags == ClipFragment.otherFlags
      else { return nil }
      pictures.append(
        ClipPicture(bytes: bytes, duration: duration, isKeyframe: flags == ClipFragment.keyframeFlags))
    }
    return pictures
  }

  private static func units(_ reader: inout ByteReader, _ count: Int) -> [UInt32]? {
    var units: [UInt32] = []
    units.reserveCapacity(count)
    for _ in 0..<count {
      guard let size = reader.big32(), (1...largestUnit).contains(Int(size)) else { return nil }
      units.append(size)
    }
    return units
  }

  /// Leaves out what lies behind the end of the file.
  private func cutTornSamples(_ found: inout Found) {
    guard found.end > limit else { return }
    while found.end > limit, !found.fragment.sound.isEmpty { found.fragment.sound.removeLast() }
    while found.end > limit, !found.fragment.pictures.isEmpty { found.fragment.pictures.removeLast() }
    found.tornBytes = max(0, limit - found.end)
  }
}
