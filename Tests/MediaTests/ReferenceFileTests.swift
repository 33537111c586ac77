import Hardware
import Media
import TestSupport
import Testing

/// Files made of bytes that are the same on every machine: the format on the card is published, so not a byte of it
/// may change by accident. What a case proves is in its name; the figures are length and FNV-1a of the whole file.
struct ReferenceFileTests {
  @Test(arguments: ReferenceFile.allCases)
  func `the file is what it was, byte for byte`(file: ReferenceFile) throws {
    let bytes = try file.bytes()
    #expect("\(bytes.count) \(String(ReferenceFile.hash(bytes), radix: 16))" == file.rawValue, "\(file)")
  }
}

enum ReferenceFile: String, CaseIterable {
  case take = "286062 cb4c86d6a62a76cd"
  case takeInterrupted = "280151 2e744d19a8e1f7c8"
  case takeRepaired = "282636 f68a8db27198b7c"
  case takeWithAHoleRepaired = "285938 693f8b39554c9be"
  case takeCutShort = "285154 cf555b5855042666"
  case takeAfter2040 = "286098 1a62bba96cc5451c"
  case takeOfNothing = "2064 af31b30d8782613c"
  case clip = "331423 3e25554c1289ca1a"
  case clipInterrupted = "315172 2147181c20580bcf"
  case clipRepaired = "319721 7adc0e9341d20da9"
  case clipWithAHoleRepaired = "322591 d4c78bf61ebede00"
  case clipWithoutSound = "212547 6ccda173290932d3"
  case clipOfJPEGs = "330254 fbe97d7f1b7f997"
  case clipTrimmed = "174736 9b8dd5aa522ba4b3"
  case clipsJoined = "627486 17d2726e216f5857"
  case wave = "6628 2576093f3a7924e3"
  case waveInterrupted = "6622 4f58397af6011f06"
  case waveRepaired = "6520 5102df806973b9a6"

  static func hash(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  func bytes() throws -> [UInt8] {
    switch self {
    case .take: try Self.take().bytes
    case .takeInterrupted: try Self.take(end: nil).bytes
    case .takeRepaired: try Self.repaired(Array(Self.take(end: nil).bytes.dropLast(3_000)))
    case .takeWithAHoleRepaired: try Self.repaired(Self.holed(Self.take(end: nil).bytes))
    case .takeCutShort: try Self.take(end: 1_000 * 1024 + 77).bytes
    case .takeAfter2040: try Self.take(createdAt: 2_300_000_000).bytes
    case .takeOfNothing: try Self.take(units: [1], end: 0).bytes
    case .clip: try Self.clip().bytes
    case .clipInterrupted: try Self.clip(finishes: false).bytes
    case .clipRepaired: try Self.repaired(Array(Self.clip(finishes: false, title: "").bytes.dropLast(3_000)))
    case .clipWithAHoleRepaired: try Self.repaired(Self.holed(Self.clip(finishes: false, title: "").bytes))
    case .clipWithoutSound: try Self.clip(hasSound: false).bytes
    case .clipOfJPEGs: try Self.clip(codec: .mjpeg).bytes
    case .clipTrimmed: try Self.trimmed()
    case .clipsJoined: try Self.joined()
    case .wave: try Self.wave().bytes
    case .waveInterrupted: try Self.wave(finishes: false).bytes
    case .waveRepaired: try Self.repaired(Array(Self.wave(finishes: false).bytes.dropLast(100)))
    }
  }

  private static let date = WallTime(nanosecondsSince1970: 1_795_000_000_000_000_000)

  private static func summary() -> FileSummary {
    var summary = FileSummary()
    summary.marks = [TakeMark(frame: 0, label: "start"), TakeMark(frame: 48_000, label: "Ж")]
    summary.comment = "stopped: power"
    summary.loudness = TakeLoudness(integrated: -23.5, range: 4, truePeak: -1.25)
    return summary
  }

  /// Bytes that look like nothing, and end with something other than 0.
  private static func noise(_ count: Int, _ dice: inout SeededGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 1...255, using: &dice) }
  }

  /// - Parameters:
  ///   - units: access units between flushes: few, a stall's worth, more than fit a sector or a page.
  ///   - end: length; `nil` leaves the take unfinished.
  static func take(
    units: [Int] = [9, 10, 9, 40, 9, 120, 1_000, 9, 9, 1], end: Int? = 1_215 * 1024 - 300,
    createdAt: Int64 = 1_795_000_000
  ) throws -> MemoryFile {
    var dice = SeededGenerator(seed: 1)
    let file = MemoryFile()
    var take = MovieWriter(
      file: file, scratch: MemoryFile(path: "scratch"), description: takeDescription(createdAt: createdAt))
    try take.begin()
    for count in units {
      for _ in 0..<count {
        noise(Int.random(in: 50...400, using: &dice), &dice).withUnsafeBytes { take.append($0, to: 0) }
      }
      try take.flush()
    }
    guard let end else { return file }
    take.summary = summary()
    try take.finish(at: [end])
    return file
  }

  /// A take of many equal access units, unfinished.
  static func long(units: Int, to file: MemoryFile) throws {
    var take = MovieWriter(
      file: file, scratch: MemoryFile(path: "scratch"), description: takeDescription(createdAt: 1_795_000_000))
    try take.begin()
    try [UInt8](repeating: 0x5A, count: 20).withUnsafeBytes { unit in
      for number in 1...units {
        take.append(unit, to: 0)
        if number % 10 == 0 { try take.flush() }
      }
    }
  }

  private static func takeDescription(createdAt: Int64) -> FileDescription {
    FileDescription(
      sound: SoundTrack(
        pcm: PCMFormat(sampleRate: 48_000, channels: 2), configuration: [0x11, 0x90], primingFrames: 1024,
        bitrateKbps: 128),
      createdAt: WallTime(nanosecondsSince1970: createdAt * 1_000_000_000), title: "A title",
      originator: "Mynah 1.0")
  }

  static func clip(
    pictures count: Int = 400, finishes: Bool = true, hasSound: Bool = true, codec: VideoCodec = .h264,
    title: String = "A clip"
  ) throws -> MemoryFile {
    var dice = SeededGenerator(seed: 2)
    let file = MemoryFile()
    let pictures = PictureTrack(
      codec: codec, width: 320, height: 180,
      configuration: codec == .h264 ? [1, 0x42, 0, 0x1E, 0xFF, 0xE1, 0, 2, 0x67, 0x42, 1, 0, 2, 0x68, 0xCE] : [])
    let sound = SoundTrack(
      pcm: PCMFormat(sampleRate: 44_100, channels: 1), configuration: [0x12, 0x08], primingFrames: 1024,
      bitrateKbps: 96)
    var clip = MovieWriter(
      file: file, scratch: nil,
      description: FileDescription(
        pictures: pictures, sound: hasSound ? sound : nil, skippedTicks: 7 * 3000, createdAt: date, title: title,
        originator: title.isEmpty ? "Mynah" : "Mynah 1.0"))
    try clip.begin()
    var time = 0
    var units = 0
    for index in 0..<count {
      let isKeyframe = index % 15 == 0
      let body = noise(Int.random(in: 100...900, using: &dice), &dice)
      let size = UInt32(body.count + 1)
      var sample =
        codec == .mjpeg ? [0xFF, 0xD8] : (0..<4).map { UInt8(truncatingIfNeeded: size >> UInt32(24 - 8 * $0)) }
      if codec == .h264 { sample.append(isKeyframe ? 0x65 : 0x41) }
      (sample + body).withUnsafeBytes { clip.append($0, to: 0, at: time, isKeyframe: isKeyframe) }
      // A camera's clock is not even, and once it is gone for a second.
      time += index == 200 ? 93_000 : index % 3 == 0 ? 3001 : 3000
      while units * 1024 * 90_000 < time * 44_100 {
        noise(Int.random(in: 40...300, using: &dice), &dice).withUnsafeBytes { clip.append($0, to: 1) }
        units += 1
      }
      // Every half second, but for one stall.
      if index % 15 == 14, !(60..<330).contains(index) { try clip.flush() }
    }
    guard finishes else { return file }
    clip.summary.comment = "stopped: power"
    try clip.finish(at: [time - 100, (time - 100 - 7 * 3000) * 44_100 / 90_000])
    return file
  }

  static func wave(finishes: Bool = true) throws -> MemoryFile {
    var dice = SeededGenerator(seed: 3)
    let file = MemoryFile()
    var take = WaveWriter(
      file: file, scratch: nil,
      description: FileDescription(
        sound: SoundTrack(pcm: PCMFormat(sampleRate: 48_000, channels: 1, bits: 24)), createdAt: date,
        title: "A title", originator: "Mynah 1.0"))
    try take.begin()
    for frames in [480, 481, 7, 1000] {
      noise(frames * 3, &dice).withUnsafeBytes { take.append($0, to: 0) }
      try take.flush()
    }
    guard finishes else { return file }
    take.summary = summary()
    try take.finish(at: [1_901])
    return file
  }

  /// The head of a fragment in the middle is gone.
  private static func holed(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    let heads = bytes.indices.dropLast(4).filter { bytes[$0..<$0 + 4].elementsEqual("moof".utf8) }
    for place in heads[2]..<heads[2] + 60 { bytes[place] = 0xFF }
    return bytes
  }

  private static func repaired(_ bytes: [UInt8]) throws -> [UInt8] {
    let file = MemoryFile(bytes)
    _ = try MediaRepair.repair(file, scratch: MemoryFile(path: "scratch"))
    return file.bytes
  }

  private static func trimmed() throws -> [UInt8] {
    let target = MemoryFile()
    let editor = try ClipEditor(trimming: clip(title: ""), to: 1.23..<9.1, into: target, createdAt: date, title: "part")
    while try !editor.step() {}
    return target.bytes
  }

  static func joined(pictures count: Int = 400) throws -> [UInt8] {
    let target = MemoryFile()
    let editor = try ClipEditor(
      joining: [clip(pictures: count, title: ""), clip(pictures: count, title: "")], into: target, createdAt: date,
      title: "joined")
    while try !editor.step() {}
    return target.bytes
  }
}
