/// What stands before the frames of a file without a container: ID3v2 tags, and FLAC's metadata. Pictures of megabytes may be
/// in them; their sizes are said, so that they are passed over. Pure.
struct SoundHead {
  private var held: [UInt8] = []
  /// Bytes that are still to be passed over.
  private var skipped = 0
  /// A block of FLAC's metadata comes next.
  private var isBlockNext = false
  private var isOver = false

  /// `fLaC`, the head of a block, and what decoders have to know.
  private static let streamInfo = 42

  var isPassingOver: Bool { skipped > 0 }

  /// - Returns: what is to be parsed of the next bytes.
  mutating func strip(_ bytes: [UInt8]) -> [UInt8] {
    guard !isOver else { return bytes }
    held += bytes
    var (place, found): (Int, [UInt8]) = (0, [])
    while true {
      let count = min(skipped, held.count - place)
      place += count
      skipped -= count
      let rest = held[place...]
      guard skipped == 0, rest.count >= ID3Tag.headBytes else { break }
      let next = Array(rest.prefix(ID3Tag.headBytes))
      if isBlockNext {
        // The last one is marked (RFC 9639, 8.1).
        isBlockNext = next[0] & 0x80 == 0
        skipped = 4 + next[1..<4].reduce(0) { $0 << 8 | Int($1) }
      } else if let length = ID3Tag.length(next) {
        skipped = length
      } else if next.starts(with: "fLaC".utf8), next[4] & 0x7F == 0, next[5..<8].elementsEqual([0, 0, 34]) {
        guard rest.count >= Self.streamInfo else { break }
        isBlockNext = next[4] & 0x80 == 0
        // To the decoder it is the last one.
        var info = Array(rest.prefix(Self.streamInfo))
        info[4] |= 0x80
        found += info
        skipped = Self.streamInfo
      } else {
        isOver = true
        found += rest
        place = held.count
        break
      }
    }
    held.removeFirst(place)
    return found
  }
}
