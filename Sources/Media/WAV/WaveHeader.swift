internal import Hardware

/// The head of a Broadcast Wave file: RIFF (or RF64), the `ds64` reserve, `bext`, `fmt ` and the head of `data`.
///
/// Its size depends on nothing that changes while recording, so it is rewritten in place, in one write. Sources:
/// EBU Tech 3285 v2 (bext), EBU Tech 3306 (RF64 and its `JUNK` reserve), ITU-R BS.2088 section 2.5.
struct WaveHeader {
  /// `JUNK` or `ds64` begins here; EBU Tech 3306 wants it first.
  static let reserveOffset = 12
  static let reserveBytes = 28
  /// Behind it `bext` begins, in which the originator stands behind a title of 256 bytes.
  static let broadcastOffset = reserveOffset + 8 + reserveBytes
  /// A `data` chunk or file of this size or more needs 64-bit sizes.
  static let limit = 0xFFFF_FFFF
  /// Of the loudness in a `bext` chunk, its head included (EBU Tech 3285 v2).
  private static let loudnessOffset = 8 + 256 + 32 + 32 + 10 + 8 + 8 + 2 + 64

  var description: FileDescription
  var summary: FileSummary

  private var pcm: PCMFormat { description.sound?.pcm ?? PCMFormat(sampleRate: 0, channels: 0) }

  /// Bytes of one frame.
  var frameBytes: Int { pcm.channels * pcm.bits / 8 }

  /// WAVE_FORMAT_PCM, IEEE_FLOAT, ALAW or MULAW.
  private var tag: UInt16 {
    switch description.sound?.codec {
    case .alaw: 6
    case .mulaw: 7
    default: pcm.bits == 32 ? 3 : 1
    }
  }

  /// The whole header.
  ///
  /// - Parameters:
  ///   - dataBytes: bytes of sound in the file, without the pad byte.
  ///   - tailBytes: bytes of the chunks behind the sound.
  func bytes(dataBytes: Int, tailBytes: Int) -> [UInt8] {
    var writer = ByteWriter()
    writer.text("RIFF")
    writer.little32(0)
    writer.text("WAVE")
    writer.text("JUNK")
    writer.little32(UInt32(Self.reserveBytes))
    writer.zeros(Self.reserveBytes)
    writer.chunk("bext") { broadcast(&$0) }
    writer.chunk("fmt ") { format(&$0) }
    // What is no linear PCM says its frames (Microsoft, "New Multimedia Data Types", 1994).
    if tag != 1 { writer.chunk("fact") { $0.little32(0) } }
    writer.text("data")
    writer.little32(0)
    patch(&writer.bytes, dataBytes: dataBytes, tailBytes: tailBytes)
    return writer.bytes
  }

  /// Gives a header made by `bytes` other sizes.
  func patch(_ bytes: inout [UInt8], dataBytes: Int, tailBytes: Int) {
    let padded = dataBytes + dataBytes & 1
    let sizes = WaveSizes(
      riff: bytes.count + padded + tailBytes - 8, data: dataBytes, frames: dataBytes / max(1, frameBytes))
    sizes.patch(&bytes, dataSizeOffset: bytes.count - 4)
  }

  /// What of the header changes: the kind of file and its sizes, the loudness, and the number of frames.
  var changing: [Range<Int>] {
    let end = bytes(dataBytes: 0, tailBytes: 0).count
    let reserve = Self.reserveOffset..<(Self.reserveOffset + 8 + Self.reserveBytes)
    let loudness = reserve.upperBound + Self.loudnessOffset
    let frames = tag != 1 ? [(end - 12)..<(end - 8)] : []
    return [0..<8, reserve, loudness..<(loudness + 10)] + frames + [(end - 4)..<end]
  }

  private func format(_ chunk: inout ByteWriter) {
    let rate = UInt32(clamping: pcm.sampleRate)
    chunk.little16(tag)
    chunk.little16(UInt16(clamping: pcm.channels))
    chunk.little32(rate)
    chunk.little32(rate &* UInt32(clamping: frameBytes))
    chunk.little16(UInt16(clamping: frameBytes))
    chunk.little16(UInt16(clamping: pcm.bits))
    if tag != 1 { chunk.little16(0) }  // no extension
  }

  private func broadcast(_ chunk: inout ByteWriter) {
    let time = description.createdAt
    let fields = time.utc
    let date = time.iso8601
    chunk.text(description.title, width: 256)
    chunk.text(description.originator, width: 32)
    chunk.text(time.fileNameStamp, width: 32)  // OriginatorReference
    chunk.text(String(date.prefix(10)), width: 10)
    chunk.text(String(date.dropFirst(11).prefix(8)), width: 8)
    let sinceMidnight = (fields.hour * 60 + fields.minute) * 60 + fields.second
    // To the frame: files are put on a timeline by it.
    let fraction = max(0, Int(time.nanosecondsSince1970 - time.wholeSeconds.nanosecondsSince1970))
    let rate = max(0, pcm.sampleRate)
    chunk.little64(UInt64(sinceMidnight * rate + fraction.scaled(by: rate, over: 1_000_000_000)))
    chunk.little16(2)  // version
    chunk.zeros(64)  // UMID: none
    let loudness = summary.loudness
    for value in [
      loudness?.integrated, loudness?.range, loudness?.truePeak, loudness?.maximumMomentary,
      loudness?.maximumShortTerm,
    ] {
      chunk.little16(UInt16(bitPattern: Self.hundredths(value)))
    }
    chunk.zeros(180)
    // R 98-1999 has no word for G.711.
    guard tag < 6 else { return }
    let channels = pcm.channels == 1 ? "mono" : "stereo"
    chunk.text("A=PCM,F=\(pcm.sampleRate),W=\(pcm.bits),M=\(channels)\r\n")
  }

  /// Loudness values are hundredths; 0x7FFF says that there is none (EBU Tech 3285 v2, 2.4).
  private static func hundredths(_ value: Double?) -> Int16 {
    guard let value, value.isFinite else { return 0x7FFF }
    return Int16(min(max(value * 100, -32_768), 32_766).rounded())
  }

  /// The chunks behind the sound: texts for readers that do not know `bext`, then the marks.
  func tail() -> [UInt8] {
    var writer = ByteWriter()
    let texts = [
      ("INAM", description.title), ("ISFT", description.originator), ("ICRD", String(description.createdAt.iso8601)),
      ("ICMT", summary.comment), ("IKEY", summary.tags.joined(separator: "; ")),
    ]
    writer.chunk("LIST") { list in
      list.text("INFO")
      for (type, text) in texts where !text.isEmpty {
        list.chunk(type) { chunk in
          chunk.text(String(text.prefix(utf8: 1024)))
          chunk.zeros(1)
        }
      }
    }
    return writer.bytes + Self.cuePoints(summary.marks)
  }

  /// Cue points and their labels; nothing without marks.
  static func cuePoints(_ marks: [TakeMark]) -> [UInt8] {
    guard !marks.isEmpty else { return [] }
    var writer = ByteWriter()
    writer.chunk("cue ") { cue in
      cue.little32(UInt32(clamping: marks.count))
      for (index, mark) in marks.enumerated() {
        let frame = UInt32(clamping: mark.frame)
        cue.little32(UInt32(index + 1))
        cue.little32(frame)  // play order position
        cue.text("data")
        cue.zeros(8)
        cue.little32(frame)  // offset in frames
      }
    }
    writer.chunk("LIST") { list in
      list.text("adtl")
      for (index, mark) in marks.enumerated() {
        list.chunk("labl") { label in
          label.little32(UInt32(index + 1))
          label.text(String(mark.label.prefix(utf8: 1024)))
          label.zeros(1)
        }
      }
    }
    return writer.bytes
  }
}

/// The three sizes of a RIFF or RF64 file, and how they are put into a header that has the `ds64` reserve.
struct WaveSizes: Equatable {
  /// Bytes after the first eight.
  var riff: Int
  /// Bytes of sound.
  var data: Int
  var frames: Int

  /// True when 32 bits do not hold them.
  var needs64: Bool { riff >= WaveHeader.limit || data >= WaveHeader.limit }

  /// Writes the sizes, as RIFF or as RF64, into the beginning of a file.
  ///
  /// - Parameter bytes: from the file's start to behind the size field of `data`; at 12 either `JUNK` or `ds64` of
  ///   28 bytes, unless the sizes are small and no such chunk was there.
  func patch(_ bytes: inout [UInt8], dataSizeOffset: Int) {
    var head = ByteWriter()
    head.text(needs64 ? "RF64" : "RIFF")
    head.little32(needs64 ? 0xFFFF_FFFF : UInt32(clamping: riff))
    bytes.replaceSubrange(0..<8, with: head.bytes)
    if Self.hasReserve(bytes) {
      var reserve = ByteWriter()
      reserve.text(needs64 ? "ds64" : "JUNK")
      reserve.little32(UInt32(WaveHeader.reserveBytes))
      reserve.little64(needs64 ? UInt64(riff) : 0)
      reserve.little64(needs64 ? UInt64(data) : 0)
      reserve.little64(needs64 ? UInt64(frames) : 0)
      reserve.little32(0)  // no table
      let start = WaveHeader.reserveOffset
      bytes.replaceSubrange(start..<start + reserve.count, with: reserve.bytes)
    }
    var size = ByteWriter()
    let fact = dataSizeOffset - 16
    if fact >= 12, bytes[fact..<fact + 4].elementsEqual("fact".utf8) {
      size.little32(UInt32(clamping: frames))
      bytes.replaceSubrange(fact + 8..<fact + 12, with: size.bytes)
      size = ByteWriter()
    }
    size.little32(needs64 ? 0xFFFF_FFFF : UInt32(clamping: data))
    bytes.replaceSubrange(dataSizeOffset..<dataSizeOffset + 4, with: size.bytes)
  }

  /// True if the file's beginning has room for 64-bit sizes.
  static func hasReserve(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= WaveHeader.reserveOffset + 8 + WaveHeader.reserveBytes else { return false }
    var reader = ByteReader(bytes[WaveHeader.reserveOffset...])
    guard let type = reader.fourCC(), let size = reader.little32() else { return false }
    return (type == "JUNK" || type == "ds64") && size == WaveHeader.reserveBytes
  }
}
