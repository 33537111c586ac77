internal import Hardware

/// The `udta` box: name, date, encoder and comment as Apple's metadata list, marks as a Nero chapter list.
enum MovieUserData {
  static func box(_ description: FileDescription, summary: FileSummary) -> [UInt8] {
    let texts = [
      ("\u{A9}nam", description.title), ("\u{A9}day", description.createdAt.iso8601),
      ("\u{A9}too", description.originator), ("\u{A9}cmt", summary.comment),
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
        let time = max(0, mark.frame).multipliedFullWidth(by: 10_000_000)
        box.big64(UInt64(sampleRate.dividingFullWidth(time).quotient))
        let label = mark.label.prefix(utf8: 255)
        box.big8(UInt8(label.utf8.count))
        box.text(String(label))
      }
    }
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
