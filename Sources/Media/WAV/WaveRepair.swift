internal import Hardware

/// Inspection and repair of WAV, BWF and RF64 files whose sizes are stale, zero or too large.
struct WaveRepair {
  private let file: any StoredFile

  private static let mostChunks = 256
  private static let largestHeader = 1 << 20
  private static let largestTail = 8 << 20
  private static let chunkHead = 12

  init(_ file: any StoredFile) { self.file = file }

  func inspect() throws(StorageError) -> MediaInspection {
    switch try read() {
    case .unreadable(let reason):
      MediaInspection(.damaged(reason), format: .wav, unreadableBytes: file.size)
    case .header(let header): try judge(header).inspection
    }
  }

  func repair() throws(StorageError) -> MediaInspection {
    guard case .header(let header) = try read() else { return try inspect() }
    let verdict = try judge(header)
    guard case .unfinished = verdict.inspection.condition else { return verdict.inspection }
    let end = header.dataOffset + verdict.dataBytes
    let sizes = WaveSizes(
      riff: end + verdict.dataBytes & 1 + verdict.tailBytes - 8, data: verdict.dataBytes,
      frames: verdict.dataBytes / header.frameBytes)
    var bytes = header.mended
    if bytes.isEmpty { bytes = try file.bytes(at: 0, count: header.dataOffset) }
    guard bytes.count == header.dataOffset else { return try inspect() }
    guard !sizes.needs64 || WaveSizes.hasReserve(bytes) else {
      var inspection = verdict.inspection
      inspection.condition = .damaged("It is larger than 4 GiB and has no room for 64-bit sizes.")
      return inspection
    }
    let whole = end + verdict.dataBytes & 1 + verdict.tailBytes
    if verdict.tailBytes == 0, verdict.dataBytes & 1 == 1 { try file.write([0], at: end) }
    if file.size > whole { try file.truncate(to: whole) }
    try file.sync()
    sizes.patch(&bytes, dataSizeOffset: header.dataOffset - 4)
    try file.write(bytes, at: 0)
    try file.sync()
    var inspection = verdict.inspection
    inspection.condition = .finished
    return inspection
  }

  /// Puts other marks behind the sound of a finished file. Meanwhile its header claims no chunks there.
  func replaceMarks(_ marks: [TakeMark]) throws(StorageError) -> Bool {
    guard case .header(let header) = try read(), header.isOurs, header.mended.isEmpty,
      let data = header.dataBytes.within(0...max(0, file.size - header.dataOffset))
    else { return false }
    let behind = min(file.size, header.dataOffset + data + data & 1)
    guard file.size - behind <= Self.largestTail,
      try !isFollowed(header, from: behind, chunksEnd: chunksEnd(from: behind))
    else { return false }
    var bytes = try file.bytes(at: 0, count: header.dataOffset)
    let others = try otherChunks(from: behind)
    let cues = WaveHeader.cuePoints(marks)
    let tail = others + cues
    for claimed in [0, tail.count] {
      let sizes = WaveSizes(
        riff: behind + claimed - 8, data: data, frames: data / header.frameBytes)
      guard !sizes.needs64 || WaveSizes.hasReserve(bytes) else { return false }
      sizes.patch(&bytes, dataSizeOffset: header.dataOffset - 4)
      try file.write(bytes, at: 0)
      try file.sync()
      guard claimed == 0 else { break }
      try write(others, cues, at: behind)
      if file.size > behind + tail.count { try file.truncate(to: behind + tail.count) }
      try file.sync()
    }
    return true
  }

  /// Writes the chunks behind the sound. Players refuse a file that ends within a list: while they are written, the marks
  /// are one chunk of junk.
  private func write(_ others: [UInt8], _ cues: [UInt8], at start: Int) throws(StorageError) {
    let place = start + others.count
    guard cues.count > 8 else { return try file.write(others, at: start) }
    var junk = ByteWriter()
    junk.text("JUNK")
    junk.little32(UInt32(clamping: cues.count - 8))
    try file.write(junk.bytes, at: place)
    try file.write(others, at: start)
    try file.write(cues, 8..<cues.count, at: place + 8)
    try file.sync()
    try file.write(cues, 0..<8, at: place)
  }

  /// The chunks behind the sound that tell nothing of marks.
  private func otherChunks(from start: Int) throws(StorageError) -> [UInt8] {
    let bytes = try file.bytes(at: start, count: file.size - start)
    var reader = ByteReader(bytes)
    var kept: [UInt8] = []
    var place = 0
    while let type = reader.fourCC(), let size = reader.little32(), let content = reader.take(Int(size)) {
      let isLabels = type == "LIST" && content.prefix(4).elementsEqual("adtl".utf8)
      if type != "cue ", !isLabels {
        kept += bytes[place..<reader.position]
        if size & 1 == 1 { kept.append(0) }
      }
      if size & 1 == 1 { _ = reader.skip(1) }
      place = reader.position
    }
    return kept
  }

  private struct Header {
    var pcm: PCMFormat
    var format: TakeFormat
    var frameBytes: Int
    var dataOffset: Int
    /// Bytes that the file says its sound takes.
    var dataBytes: ClaimedNumber
    /// Bytes that it says it has in all, the first eight included.
    var fileBytes: ClaimedNumber
    /// True if it has the chunks that `WaveWriter` puts first.
    var isOurs: Bool
    /// The head as it was before some of its bytes went wrong; empty where it is as it was.
    var mended: [UInt8] = []
  }

  private enum Reading {
    case header(Header)
    case unreadable(String)
  }

  /// Reads the head. Of one of ours that has wrong bytes counts what it was.
  private func read() throws(StorageError) -> Reading {
    let reading = try readChunks()
    let found = try file.bytes(at: 0, count: MendedWaveHead.mostBytes)
    if case .header(let header) = reading, header.isOurs {
      let bits = header.format == .wav ? header.pcm.bits : 8
      let pcm = PCMFormat(sampleRate: header.pcm.sampleRate, channels: header.pcm.channels, bits: bits)
      let codec: SoundCodec = header.format == .alaw ? .alaw : header.format == .mulaw ? .mulaw : .pcm
      if MendedWaveHead(found, as: SoundTrack(codec, pcm: pcm))?.isIntact == true { return reading }
    }
    guard let head = MendedWaveHead(found), !head.isIntact else { return reading }
    // Sound that begins elsewhere is not written over.
    if case .header(let header) = reading, header.dataOffset != head.bytes.count { return reading }
    var pcm = head.sound.pcm
    let frameBytes = pcm.channels * pcm.bits / 8
    pcm.bits = max(16, pcm.bits)
    let format: TakeFormat = head.sound.codec == .alaw ? .alaw : head.sound.codec == .mulaw ? .mulaw : .wav
    return .header(
      Header(
        pcm: pcm, format: format, frameBytes: frameBytes, dataOffset: head.bytes.count, dataBytes: head.claims.sound,
        fileBytes: head.claims.file, isOurs: true, mended: head.bytes))
  }

  /// Reads the chunks up to the sound.
  private func readChunks() throws(StorageError) -> Reading {
    var start = ByteReader(try file.bytes(at: 0, count: 12))
    guard let form = start.fourCC(), let riff = start.little32(), start.fourCC() == "WAVE",
      form == "RIFF" || form == "RF64"
    else { return .unreadable("Its first twelve bytes are not those of a WAV file.") }
    var offset = 12
    var long: (riff: ClaimedNumber, data: ClaimedNumber)?
    var format: (pcm: PCMFormat, format: TakeFormat, frameBytes: Int)?
    var hasReserve = false
    var hasBroadcast = false
    for _ in 0..<Self.mostChunks {
      var reader = ByteReader(try file.bytes(at: offset, count: 8 + 40))
      guard let type = reader.fourCC(), let size = reader.little32() else { break }
      switch type {
      case "ds64":
        guard let riff = reader.little64(), let data = reader.little64() else { break }
        long = (ClaimedNumber(riff), ClaimedNumber(data))
        hasReserve = offset == WaveHeader.reserveOffset && Int(size) == WaveHeader.reserveBytes
      case "JUNK":
        hasReserve = hasReserve || (offset == WaveHeader.reserveOffset && Int(size) == WaveHeader.reserveBytes)
      case "bext": hasBroadcast = true
      // What is shorter is none, whatever is behind it.
      case "fmt " where size >= 16: format = Self.format(&reader)
      case "data":
        guard let format else { return .unreadable("It does not say how its sound is encoded.") }
        guard offset + 8 <= Self.largestHeader else { return .unreadable("Its header is too large.") }
        return .header(
          Header(
            pcm: format.pcm, format: format.format, frameBytes: format.frameBytes, dataOffset: offset + 8,
            dataBytes: size == 0xFFFF_FFFF ? long?.data ?? ClaimedNumber(size) : ClaimedNumber(size),
            fileBytes: (riff == 0xFFFF_FFFF ? long?.riff ?? ClaimedNumber(riff) : ClaimedNumber(riff)) + 8,
            isOurs: hasReserve && hasBroadcast))
      default: break
      }
      offset += 8 + Int(size) + Int(size & 1)  // bounded: 33 bits, a few hundred times
      guard offset < min(file.size, Self.largestHeader) else { break }
    }
    return .unreadable("No sound was found behind its header.")
  }

  private static func format(_ reader: inout ByteReader) -> (PCMFormat, TakeFormat, frameBytes: Int)? {
    // A frame whose size is not what its own numbers make it would have sound cut off or taken for none.
    guard let found = WaveFormat(&reader), (1...255).contains(found.channels), found.bits > 0,
      [1, 3, 6, 7].contains(found.tag), found.block == found.channels * ((found.bits + 7) / 8),
      (1...1_000_000).contains(found.sampleRate)
    else { return nil }
    let bits = found.bits > 24 ? 32 : found.bits > 16 ? 24 : 16
    return (
      PCMFormat(sampleRate: found.sampleRate, channels: found.channels, bits: bits),
      found.tag == 6 ? .alaw : found.tag == 7 ? .mulaw : .wav, found.block
    )
  }

  private struct Verdict {
    var inspection: MediaInspection
    /// Bytes of sound that there really are.
    var dataBytes: Int
    /// Bytes of whole chunks behind them.
    var tailBytes: Int
  }

  private func judge(_ header: Header) throws(StorageError) -> Verdict {
    let available = file.size - header.dataOffset
    func verdict(_ condition: MediaInspection.Condition, data: Int, tail: Int = 0) -> Verdict {
      let claimed = header.dataBytes.clamped(to: 0...max(0, available))
      return Verdict(
        inspection: MediaInspection(
          condition, format: header.format, pcm: header.pcm, frames: data / header.frameBytes,
          unreadableBytes: max(0, claimed - data)),
        dataBytes: data, tailBytes: tail)
    }
    let whole = available - available % header.frameBytes
    guard let claimed = header.dataBytes.within(0...max(0, available)) else {
      return verdict(.unfinished("Its header claims more sound than there is."), data: whole)
    }
    let behind = min(file.size, header.dataOffset + claimed + claimed & 1)
    let chunksEnd = try chunksEnd(from: behind)
    if try isFollowed(header, from: behind, chunksEnd: chunksEnd) { return verdict(.finished, data: claimed) }
    if chunksEnd == file.size {
      // A header that claims a byte or so less or more is read by everybody; ours are exact.
      if header.fileBytes == ClaimedNumber(file.size) || !header.isOurs {
        guard header.mended.isEmpty else {
          return verdict(.unfinished("Its head has wrong bytes."), data: claimed, tail: file.size - behind)
        }
        return verdict(header.isOurs ? .finished : .foreign, data: claimed)
      }
      return verdict(
        .unfinished("Its header does not claim all chunks."), data: claimed, tail: file.size - behind)
    }
    let isTornChunk = try beginsWithChunk(at: behind)
    // What cannot be told from sound is kept as sound: of chunks, no more than the beginning of one.
    let claimsChunks =
      header.isOurs && header.fileBytes.within(0...file.size) == nil && file.size - behind < Self.chunkHead
    if isTornChunk || claimsChunks, claimed > 0 {
      guard header.isOurs else { return verdict(.foreign, data: claimed) }
      return verdict(
        .unfinished("The chunks behind its sound are cut off."), data: claimed, tail: max(0, chunksEnd - behind))
    }
    guard header.isOurs || claimed == 0 else { return verdict(.foreign, data: claimed) }
    return verdict(.unfinished("Its header claims less sound than there is."), data: whole)
  }

  /// Whether a file of ours is finished, and others have put something behind it that is no chunk: its head claims the
  /// chunks behind the sound, which it does once all of them are there and nothing else is.
  ///
  /// - Parameter chunksEnd: of those that lie from `behind` on.
  private func isFollowed(_ header: Header, from behind: Int, chunksEnd: Int) throws(StorageError) -> Bool {
    guard header.isOurs, header.mended.isEmpty, let claimed = header.fileBytes.within(0...file.size), claimed > behind,
      claimed == chunksEnd
    else { return false }
    return try file.bytes(at: claimed, count: min(file.size - claimed, 4096)).contains { $0 != 0 }
  }

  /// Where the last of the whole chunks ends that lie from `offset` on. Many programs leave out the pad byte of the last.
  private func chunksEnd(from offset: Int) throws(StorageError) -> Int {
    var offset = offset
    for _ in 0..<Self.mostChunks where offset < file.size {
      var reader = ByteReader(try file.bytes(at: offset, count: 8))
      guard let type = reader.fourCC(), let size = reader.little32(), !type.contains("?") else { break }
      let end = offset + 8 + Int(size)  // bounded: 32 bits, a few hundred times
      guard end <= file.size else { break }
      offset = min(end + Int(size & 1), file.size)
    }
    return offset
  }

  /// True if one of the chunks that `WaveWriter` writes behind the sound begins at `offset`, whole or torn.
  private func beginsWithChunk(at offset: Int) throws(StorageError) -> Bool {
    let bytes = try file.bytes(at: offset, count: 12)
    if bytes.prefix(4).elementsEqual("cue ".utf8) { return true }
    let type = Array("LIST".utf8)
    guard bytes.prefix(4).elementsEqual(type.prefix(bytes.count)) else { return false }
    return bytes.count < 12 || bytes.suffix(4).elementsEqual("INFO".utf8) || bytes.suffix(4).elementsEqual("adtl".utf8)
  }
}
