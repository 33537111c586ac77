/// Where the samples of a fragment are, if its head counts them from the beginning of the file (`base-data-offset` of `tfhd`,
/// ISO/IEC 14496-12, 8.8.7), as older writers do. Pure.
enum FragmentBase {
  /// Counts them anew for a fragment that is read at another place than where it was in its file.
  static func move(_ fragment: inout [UInt8], from place: Int, to other: Int) {
    let distance = UInt64(bitPattern: Int64(other &- place))
    guard distance != 0 else { return }
    for movie in boxes("moof", of: fragment, in: 0..<fragment.count) {
      for track in boxes("traf", of: fragment, in: movie) {
        for head in boxes("tfhd", of: fragment, in: track) { move(&fragment, head, by: distance) }
      }
    }
  }

  /// - Parameter head: of a track: version, flags and number before the place.
  private static func move(_ fragment: inout [UInt8], _ head: Range<Int>, by distance: UInt64) {
    guard head.count >= 16, fragment[head.lowerBound + 3] & 1 != 0 else { return }
    let field = (head.lowerBound + 8)..<(head.lowerBound + 16)
    // A number that is none stays none.
    let place = fragment[field].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } &+ distance
    for (index, shift) in zip(field, stride(from: 56, through: 0, by: -8)) {
      fragment[index] = UInt8(truncatingIfNeeded: place >> UInt64(shift))
    }
  }

  /// The contents of the boxes of a type.
  private static func boxes(_ type: String, of bytes: [UInt8], in range: Range<Int>) -> [Range<Int>] {
    var reader = ByteReader(bytes[range])
    var found: [Range<Int>] = []
    while let box = reader.box() {
      if box.type == type { found.append(box.content.startIndex..<box.content.endIndex) }
    }
    return found
  }
}
