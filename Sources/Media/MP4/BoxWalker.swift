internal import Hardware

/// Walks the boxes of an MP4 file by their heads, without reading what is in them.
struct BoxWalker {
  struct Box {
    var type: String
    /// Where the content begins.
    var content: Int
    var end: Int
  }

  private let file: any StoredFile
  private static let mostSiblings = 1000

  init(_ file: any StoredFile) { self.file = file }

  /// The box whose head is at `offset`, if it ends at or before `limit`.
  func box(at offset: Int, limit: Int) throws(StorageError) -> Box? {
    guard offset >= 0, offset + 8 <= limit else { return nil }
    var reader = ByteReader(try file.bytes(at: offset, count: 16))
    guard let short = reader.big32(), let type = reader.fourCC() else { return nil }
    var size = UInt64(short)
    var head = 8
    if short == 1 {
      guard let long = reader.big64() else { return nil }
      size = long
      head = 16
    } else if short == 0 {
      size = UInt64(limit - offset)
    }
    guard size >= UInt64(head), size <= UInt64(limit - offset) else { return nil }
    return Box(type: type, content: offset + head, end: offset + Int(size))
  }

  /// The boxes of this type right inside of another.
  func children(_ type: String, of parent: Box) throws(StorageError) -> [Box] {
    var found: [Box] = []
    var offset = parent.content
    for _ in 0..<Self.mostSiblings {
      guard let child = try box(at: offset, limit: parent.end) else { break }
      if child.type == type { found.append(child) }
      offset = child.end
    }
    return found
  }

  /// Whether one box behind the other leads to the end of the box that they are in.
  func isFilled(_ parent: Box) throws(StorageError) -> Bool {
    var offset = parent.content
    for _ in 0..<Self.mostSiblings {
      guard let child = try box(at: offset, limit: parent.end) else { break }
      offset = child.end
    }
    return offset == parent.end
  }

  /// The box at `path`, one level of nesting a name.
  func find(_ path: [String], in parent: Box) throws(StorageError) -> Box? {
    var current = parent
    for name in path {
      var offset = current.content
      var found: Box?
      for _ in 0..<Self.mostSiblings {
        guard let child = try box(at: offset, limit: current.end) else { break }
        if child.type == name {
          found = child
          break
        }
        offset = child.end
      }
      guard let found else { return nil }
      current = found
    }
    return current
  }
}
