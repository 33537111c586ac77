internal import Hardware

/// What FLAC and Ogg say of a recording: who made it, and names with values. Marks are chapters among them.
struct VorbisComments {
  var vendor = ""
  /// `NAME=value`; without chapters.
  var texts: [String] = []
  /// False: the file has more of them than there is room for beside marks.
  private(set) var isWhole = true

  static let labelBytes = 200
  /// Bytes that the vendor and the texts of a file may take; more would find no room beside the marks.
  private static let mostBytes = 12_000
  /// Ours need fewer.
  private static let ownBytes = 760
  private static let chapter = "CHAPTER"

  /// Bytes that they take beside the marks.
  var room: Int { max(Self.ownBytes, texts.reduce(vendor.utf8.count) { $0 + 4 + $1.utf8.count }) }

  init() {}

  init(_ description: FileDescription, comment: String = "", tags: [String] = []) {
    vendor = description.originator
    texts = ["TITLE=\(description.title.prefix(utf8: Self.labelBytes))", "DATE=\(description.createdAt.iso8601)"]
    if !comment.isEmpty { texts.append("COMMENT=\(comment.prefix(utf8: Self.labelBytes))") }
    let words = tags.joined(separator: ", ")
    if !words.isEmpty { texts.append("KEYWORDS=\(words.prefix(utf8: Self.labelBytes))") }
  }

  /// Those of a file, but for its chapters; `nil` if they cannot be read.
  init?(reading bytes: ArraySlice<UInt8>) {
    var reader = ByteReader(bytes)
    func text() -> String? {
      guard let count = reader.little32(), let bytes = reader.take(Int(count)) else { return nil }
      return String(decoding: bytes, as: UTF8.self)
    }
    guard let vendor = text(), let count = reader.little32() else { return nil }
    self.vendor = String(vendor.prefix(utf8: Self.labelBytes / 2))
    var room = Self.mostBytes - self.vendor.utf8.count
    for _ in 0..<count {
      guard let text = text() else { return nil }
      guard !text.hasPrefix(Self.chapter) else { continue }
      guard text.utf8.count + 4 <= room else {
        isWhole = false
        continue
      }
      texts.append(text)
      room -= text.utf8.count + 4
    }
  }

  /// The marks that there is room for.
  ///
  /// - Parameters:
  ///   - room: bytes for them.
  ///   - markBytes: what one takes beside its comments.
  static func fitting(_ marks: [TakeMark], most: Int, room: Int, markBytes: Int = 0) -> ArraySlice<TakeMark> {
    var room = room
    return marks.prefix(most).prefix { mark in
      room -= 60 + markBytes + min(labelBytes, mark.label.utf8.count)
      return room >= 0
    }
  }

  /// The comments and the marks, each behind its length.
  func write(_ marks: some Collection<TakeMark>, sampleRate: Int, into writer: inout ByteWriter) {
    Self.write(vendor, into: &writer)
    writer.little32(UInt32(texts.count + 2 * marks.count))
    for text in texts { Self.write(text, into: &writer) }
    for (index, mark) in marks.enumerated() {
      let name = Self.chapter + String(1001 + index).dropFirst()
      Self.write("\(name)=\(Self.time(of: mark.frame, sampleRate))", into: &writer)
      Self.write("\(name)NAME=\(mark.label.prefix(utf8: Self.labelBytes))", into: &writer)
    }
  }

  private static func write(_ text: String, into writer: inout ByteWriter) {
    writer.little32(UInt32(text.utf8.count))
    writer.text(text)
  }

  /// `01:02:03.456`.
  private static func time(of frame: Int, _ sampleRate: Int) -> String {
    let milliseconds = (frame.scaled(by: 2000, over: sampleRate) + 1) / 2
    let digits = { (value: Int, width: Int) in String(value + (width == 3 ? 1000 : 100)).suffix(width) }
    let hours = milliseconds / 3_600_000
    return (hours < 100 ? String(digits(hours, 2)) : "\(hours)")
      + ":\(digits(milliseconds / 60_000 % 60, 2)):\(digits(milliseconds / 1000 % 60, 2)).\(digits(milliseconds % 1000, 3))"
  }
}
