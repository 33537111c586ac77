internal import Hardware

/// The `udta` box: name, date, encoder and comment as Apple's metadata list, marks as a Nero chapter list.
enum MovieUserData {
  /// No `udta` is larger. So much may lie behind the `moov` after a power cut while marks were changed.
  static let mostBytes = 96 << 10

  static func box(_ description: FileDescription, summary: FileSummary) -> [UInt8] {
    let texts = [
      ("\u{A9}nam", description.title), ("\u{A9}day", description.createdAt.iso8601),
      ("\u{A9}too", description.originator), ("\u{A9}cmt", summary.comment),
      ("keyw", summary.tags.joined(separator: ", ")),
    ]
    var writer = ByteWriter()
    writer.box("udta") { user in
      user.fullBox("meta") { meta in
        meta.fullBox("hdlr") { box in
          box.zeros(4)
          box.text("mdirappl")
          box.zeros(9)
        }
        meta.box("ilst") { list in
          for (type, text) in texts where !text.isEmpty {
            list.box(type) { item in
              item.box("data") { data in
                data.big32(1)  // UTF-8
                data.zeros(4)
                data.text(String(text.prefix(utf8: 1024)))
              }
            }
          }
        }
      }
      if !summary.marks.isEmpty { chapters(&user, summary.marks, sampleRate: description.timescale) }
    }
    return writer.bytes
  }

  /// `chpl`: up to 255 chapters, starts in units of 100 ns.
  private static func chapters(_ writer: inout ByteWriter, _ marks: [TakeMark], sampleRate: Int) {
    let listed = marks.prefix(255)
    writer.fullBox("chpl", version: 1) { box in
      box.zeros(4)
      box.big8(UInt8(listed.count))
      for mark in listed {
        box.big64(UInt64(mark.frame.scaled(by: 10_000_000, over: sampleRate)))
        let label = mark.label.prefix(utf8: 255)
        box.big8(UInt8(label.utf8.count))
        box.text(String(label))
      }
    }
  }

  /// Puts other marks into a finished file. The `udta` is the last box of its `moov`, which ends before it meanwhile; the
  /// texts in it are written as they were, so that no torn write takes them.
  static func replaceMarks(_ marks: [TakeMark], in file: any StoredFile) throws(StorageError) -> Bool {
    guard case .whole(let found) = try FinishedMovie.find(in: file) else { return false }
    let walker = BoxWalker(file)
    let movie = found.movie
    // A size of 64 bits would be before it; ours has 32.
    guard try file.bytes(at: movie.content - 4, count: 4) == Array("moov".utf8), try walker.isFilled(movie) else {
      return false
    }
    var (start, limit) = (movie.end, file.size)
    if let userData = try walker.find(["udta"], in: movie) {
      // What is behind it others have put there.
      guard userData.end == movie.end, file.size == movie.end else { return false }
      (start, limit) = (userData.content - 8, userData.end)
    }
    // The size of the texts is said: one that reaches to the end, or has 64 bits, is not ours.
    var head = ByteReader(try file.bytes(at: start, count: 12))
    guard let whole = head.big32(), let type = head.fourCC(), type == "udta" || type == "free",
      let size = head.big32(), size > 8,
      let texts = try walker.box(at: start + 8, limit: limit),
      texts.type == "meta", texts.end - start < mostBytes / 8
    else { return false }
    var kept = try file.bytes(at: start + 8, count: texts.end - start - 8)
    // So is what other programs have put behind them.
    var place = texts.end
    limit = min(limit, start + Int(whole))  // bounded: 32 bits, once
    while let box = try walker.box(at: place, limit: limit) {
      let bytes = try file.bytes(at: place, count: min(box.end - place, mostBytes))
      guard box.end - start < mostBytes / 2, !bytes.starts(with: [0, 0, 0, 0]) else { return false }
      if box.type != "chpl" { kept += bytes }
      place = box.end
    }
    var writer = ByteWriter()
    writer.box("udta") { user in
      user.bytes.append(contentsOf: kept)
      if !marks.isEmpty { chapters(&user, marks, sampleRate: found.timescale) }
    }
    func end(at place: Int) throws(StorageError) {
      var size = ByteWriter()
      size.big32(UInt32(clamping: place - movie.content + 8))
      try file.write(size.bytes, at: movie.content - 8)
      try file.sync()
    }
    let name = writer.bytes[4..<8]
    try end(at: start)
    // Players refuse a file that ends within a `udta`, and skip what is free.
    try file.write(Array("free".utf8), at: start + 4)
    try file.sync()
    writer.bytes.replaceSubrange(4..<8, with: Array("free".utf8))
    try file.write(writer.bytes, at: start)
    if file.size > start + writer.count { try file.truncate(to: start + writer.count) }
    try file.sync()
    try file.write(Array(name), at: start + 4)
    try end(at: start + writer.count)
    return true
  }

  /// Reads title and originator back.
  ///
  /// - Parameter content: of the `udta` box.
  static func read(_ content: ArraySlice<UInt8>) -> (title: String, originator: String) {
    var found = (title: "", originator: "")
    guard let meta = ByteReader.find("meta", in: content), let list = ByteReader.find("ilst", in: meta.dropFirst(4))
    else { return found }
    var reader = ByteReader(list)
    while let item = reader.latinBox() {
      guard let data = ByteReader.find("data", in: item.content), data.count >= 8 else { continue }
      let text = String(decoding: data.dropFirst(8), as: UTF8.self)
      if item.type == "\u{A9}nam" { found.title = text }
      if item.type == "\u{A9}too" { found.originator = text }
    }
    return found
  }
}
