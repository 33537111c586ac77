internal import Hardware

/// What an MP3 file says of its recording, in front of its sound: ID3 version 2.4 (id3.org, "ID3 tag version 2.4.0"), with
/// marks as chapters ("ID3v2 Chapter Frame Addendum").
struct ID3Tag {
  var description: FileDescription
  var summary: FileSummary
  /// Of the whole sound, where the last chapter ends.
  var frames: Int
  var sampleRate: Int

  /// A list of chapters counts them in one byte.
  private static let mostMarks = 255
  private static let textBytes = 1024
  /// UTF-8.
  private static let encoding: UInt8 = 3

  /// What a tag's length is told by.
  static let headBytes = 10

  /// How long the tag is that begins here, with its head and its foot (id3v2.4.0-structure, 3.1 and 3.4); `nil` if there is
  /// none.
  static func length(_ bytes: some Collection<UInt8>) -> Int? {
    let head = Array(bytes.prefix(headBytes))
    guard head.count == headBytes, head.starts(with: "ID3".utf8) else { return nil }
    return headBytes + head[6...].reduce(0) { $0 << 7 | Int($1 & 0x7F) } + (head[5] & 0x10 != 0 ? headBytes : 0)
  }

  var bytes: [UInt8] {
    var body = ByteWriter()
    text("TIT2", description.title, into: &body)
    text("TDRC", String(description.createdAt.iso8601.prefix(19)), into: &body)
    text("TSSE", description.originator, into: &body)
    if !summary.comment.isEmpty {
      // Its language is not known, and it has no name.
      frame("COMM", into: &body) { $0.text("\u{3}XXX\u{0}\(summary.comment.prefix(utf8: Self.textBytes))") }
    }
    if !summary.tags.isEmpty {
      frame("TXXX", into: &body) {
        $0.text("\u{3}keywords\u{0}\(summary.tags.joined(separator: ", ").prefix(utf8: Self.textBytes))")
      }
    }
    chapters(into: &body)
    var writer = ByteWriter()
    writer.text("ID3")
    writer.big16(0x0400)
    writer.big8(0)
    Self.put(size: body.count, into: &writer)
    return writer.bytes + body.bytes
  }

  private func chapters(into body: inout ByteWriter) {
    let marks = summary.marks.prefix(Self.mostMarks)
    guard !marks.isEmpty else { return }
    frame("CTOC", into: &body) { table in
      table.text("toc\u{0}")
      // The whole list, and its order counts.
      table.big8(3)
      table.big8(UInt8(marks.count))
      for place in marks.indices { table.text("chp\(place)\u{0}") }
    }
    for (place, mark) in marks.enumerated() {
      let end = place + 1 < marks.count ? marks[place + 1].frame : frames
      frame("CHAP", into: &body) { chapter in
        chapter.text("chp\(place)\u{0}")
        chapter.big32(milliseconds(mark.frame))
        chapter.big32(milliseconds(max(mark.frame, end)))
        // Where that is in the file is left open.
        chapter.big32(.max)
        chapter.big32(.max)
        text("TIT2", mark.label, into: &chapter)
      }
    }
  }

  private func milliseconds(_ frame: Int) -> UInt32 {
    UInt32(clamping: (max(0, frame).scaled(by: 2000, over: max(1, sampleRate)) + 1) / 2)
  }

  private func text(_ name: String, _ text: String, into writer: inout ByteWriter) {
    guard !text.isEmpty else { return }
    frame(name, into: &writer) { frame in
      frame.big8(Self.encoding)
      frame.text(String(text.prefix(utf8: Self.textBytes)))
    }
  }

  private func frame(_ name: String, into writer: inout ByteWriter, _ content: (inout ByteWriter) -> Void) {
    var body = ByteWriter()
    content(&body)
    writer.text(name)
    Self.put(size: body.count, into: &writer)
    writer.big16(0)
    writer.bytes.append(contentsOf: body.bytes)
  }

  /// Seven bits in each of four bytes.
  private static func put(size: Int, into writer: inout ByteWriter) {
    for shift in [21, 14, 7, 0] { writer.big8(UInt8(size >> shift & 0x7F)) }
  }
}
