internal import CFFmpeg
internal import Hardware

/// Sound and pictures of MP4 that are encrypted sample by sample (ISO/IEC 23001-7, Common Encryption): decoded, they would
/// be noise.
enum SampleProtection {
  /// Whether the first sound (`soun`) or the first pictures (`vide`) of a file are: what they are is then said inside of
  /// `enca` or `encv`.
  static func isOn(_ kind: String, in file: any StoredFile) -> Bool {
    do throws(StorageError) {
      let code = try entry(kind, file)
      return code == Array("enca".utf8) || code == Array("encv".utf8)
    } catch {
      return false
    }
  }

  static func isOn(_ kind: String, in bytes: [UInt8]) -> Bool { isOn(kind, in: HeldBytes(bytes, size: bytes.count)) }

  /// The same of a file on the card.
  static func isOn(_ kind: String, at path: String) -> Bool {
    AVIOFile(path: path, isBuffered: false).map { isOn(kind, in: $0) } ?? false
  }

  /// What the first such track says that it is.
  private static func entry(_ kind: String, _ file: any StoredFile) throws(StorageError) -> [UInt8] {
    let walker = BoxWalker(file)
    guard let movie = try walker.find(["moov"], in: BoxWalker.Box(type: "", content: 0, end: file.size)) else {
      return []
    }
    for track in try walker.children("trak", of: movie) {
      guard let media = try walker.find(["mdia"], in: track), let handler = try walker.find(["hdlr"], in: media),
        try file.bytes(at: handler.content + 8, count: 4) == Array(kind.utf8),
        let table = try walker.find(["minf", "stbl", "stsd"], in: media)
      else { continue }
      return try file.bytes(at: table.content + 12, count: 4)
    }
    return []
  }
}

extension UnsafeMutablePointer<AVPacket> {
  /// It is encrypted, as the tables of its container say.
  var isProtected: Bool { av_packet_get_side_data(self, AV_PKT_DATA_ENCRYPTION_INFO, nil) != nil }
}

extension MediaError {
  static func protected(_ subject: String) -> MediaError {
    MediaError(
      .damaged, subject: subject, operation: "decrypt",
      reason: "its sound is protected (DRM), and there is no key to it")
  }
}
