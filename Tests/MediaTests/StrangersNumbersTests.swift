import Foundation
import Hardware
import TestSupport
import Testing

@testable import Media

/// Files in which single numbers are wrong, at the places where readers count with them.
struct StrangersNumbersTests {
  /// Values that break sums, products, shifts and conversions.
  static let values: [UInt64] = [
    0, 1, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF, 1 << 32, 1 << 40, 1 << 48,
    1 << 62, UInt64(Int64.max), 1 << 63, .max - 15, .max,
  ]

  /// A file of ours with everything in it that a reader counts with.
  enum Subject: CaseIterable {
    case take, takeInterrupted, clip, clipInterrupted, clipsJoined, wave, waveInterrupted

    func bytes() throws -> [UInt8] {
      switch self {
      case .take: try ReferenceFile.take(units: [9, 30, 9], end: 40_000).bytes
      case .takeInterrupted: try ReferenceFile.take(units: [9, 30, 9], end: nil).bytes
      case .clip: try ReferenceFile.clip(pictures: 40).bytes
      case .clipInterrupted: try ReferenceFile.clip(pictures: 40, finishes: false).bytes
      case .clipsJoined: try ReferenceFile.joined(pictures: 20)
      case .wave: try ReferenceFile.wave().bytes
      case .waveInterrupted: try ReferenceFile.wave(finishes: false).bytes
      }
    }
  }

  @Test(arguments: Subject.allCases)
  func `no number in a box or a chunk makes a reader trap, or claim more than its bytes can hold`(
    subject: Subject
  ) throws {
    let whole = try subject.bytes()
    var dice = SeededGenerator(seed: 31)
    let fields = Self.fields(whole)
    #expect(fields.count > 10)
    for round in 0..<600 {
      var bytes = whole
      for _ in 0...(round % 3) {
        guard let place = fields.randomElement(using: &dice), let value = Self.values.randomElement(using: &dice)
        else { continue }
        let width = Bool.random(using: &dice) ? 4 : 8
        let isBig = bytes[0] != UInt8(ascii: "R")
        for index in 0..<width where place + index < bytes.count {
          let shift = UInt64(8 * (isBig ? width - 1 - index : index))
          bytes[place + index] = UInt8(truncatingIfNeeded: value >> shift)
        }
      }
      try judge(bytes, "\(subject) \(round)")
    }
  }

  @Test(arguments: [Subject.takeInterrupted, .clipInterrupted])
  func `one wrong bit in a decode time costs nothing`(subject: Subject) throws {
    let whole = try subject.bytes()
    let reference = try MediaRepair.repair(MemoryFile(whole), scratch: nil)
    let marks = whole.indices.dropLast(16).filter { whole[$0..<$0 + 4].elementsEqual("tfdt".utf8) }
    #expect(marks.count >= 3)
    for mark in marks {
      for bit in 0..<64 {
        var bytes = whole
        bytes[mark + 8 + bit / 8] ^= 0x80 >> UInt8(bit % 8)
        #expect(try MediaRepair.repair(MemoryFile(bytes), scratch: nil) == reference, "\(mark) \(bit)")
      }
    }
  }

  @Test func `a file that claims 85 million samples is refused before anything is made of them`() throws {
    let folder = TemporaryFolder()
    var bytes = try ReferenceFile.take(units: [9], end: 8_000).bytes
    #expect(SampleClaims.areCredible(bytes))
    // One size for all, and as many as one likes.
    let place = try #require(bytes.indices.dropLast(20).last { bytes[$0..<$0 + 4].elementsEqual("stsz".utf8) })
    bytes.replaceSubrange(place + 8..<place + 16, with: [0, 0, 0, 7, 5, 0x10, 0, 0])
    #expect(!SampleClaims.areCredible(bytes))
    let path = folder.put(bytes, "liar.m4a")
    #expect(throws: MediaError.self) { try SoundFile(path: path) }
    // A fragment can claim as much, without a byte for any.
    var fragment = try ReferenceFile.take(units: [9], end: nil).bytes
    #expect(SampleClaims.areCredible(fragment))
    let run = try #require(fragment.indices.dropLast(20).last { fragment[$0..<$0 + 4].elementsEqual("trun".utf8) })
    fragment.replaceSubrange(run + 4..<run + 12, with: [0, 0, 0, 0, 5, 0x10, 0, 0])
    #expect(!SampleClaims.areCredible(fragment))
    #expect(throws: MediaError.self) { try SoundFile(path: folder.put(fragment, "liar2.m4a")) }
    // So can a segment of a stream.
    let start = try #require(fragment.indices.dropLast(8).first { fragment[$0..<$0 + 4].elementsEqual("moof".utf8) })
    #expect(throws: MediaError.self) {
      try SegmentDemuxer(
        Array(fragment[(start - 4)...]), initialization: Array(fragment[..<(start - 4)]), name: "s",
        wantsPictures: false)
    }
  }

  @Test(arguments: [1 << 40, 1 << 58, 999_999_999_999_999_999, .max])
  func `a film is looked at, whatever length its server claims`(length: Int) throws {
    let bytes = try ReferenceFile.take(units: [9], end: 8_000).bytes
    #expect(SampleClaims.areCredible(bytes, of: length))
    // A box that goes on to the end of the file.
    #expect(SampleClaims.areCredible(bytes + [0, 0, 0, 0] + Array("mdat".utf8), of: length))
  }

  @Test func `many small claims are one large one`() throws {
    let whole = try ReferenceFile.take(units: [9], end: nil).bytes
    func box(_ type: String, from: Int = 0) throws -> Range<Int> {
      let place = try #require(
        whole.indices.dropFirst(from).dropLast(8).first { whole[$0..<$0 + 4].elementsEqual(type.utf8) })
      return place - 4..<place - 4 + whole[place - 4..<place].reduce(0) { $0 << 8 | Int($1) }
    }
    let (fragment, track, run) = (try box("moof"), try box("traf"), try box("trun"))
    // Two thousand samples, of a common size and without a byte for any.
    let liar: [UInt8] = [0, 0, 0, 16] + Array("trun".utf8) + [0, 0, 0, 0, 0, 0, 7, 0xD0]
    func size(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
    for (count, isCredible) in [(1, true), (700, false)] {
      let runs = [UInt8](Array(repeating: liar, count: count).joined())
      var bytes = whole
      bytes.insert(contentsOf: runs, at: run.upperBound)
      bytes.replaceSubrange(track.lowerBound..<track.lowerBound + 4, with: size(track.count + runs.count))
      bytes.replaceSubrange(fragment.lowerBound..<fragment.lowerBound + 4, with: size(fragment.count + runs.count))
      #expect(SampleClaims.areCredible(bytes) == isCredible, "\(count)")
    }
  }

  @Test func `a fragmented track without its head, and boxes beyond count, are refused before anybody looks for them`()
    throws
  {
    let whole = try ReferenceFile.take(units: [9], end: nil).bytes
    func place(_ type: String) throws -> Int {
      try #require(whole.indices.dropLast(8).first { whole[$0..<$0 + 4].elementsEqual(type.utf8) })
    }
    var headless = whole
    headless.replaceSubrange(try place("tkhd")..<(try place("tkhd")) + 4, with: Array("free".utf8))
    #expect(!SampleClaims.areCredible(headless))
    // A track behind more boxes than anybody writes is seen by libavformat only.
    let movie = try place("moov") - 4
    let size = whole[movie..<movie + 4].reduce(0) { $0 << 8 | Int($1) }
    let many = [UInt8](Array(repeating: [0, 0, 0, 8] + Array("free".utf8), count: 1001).joined())
    var hidden = whole
    hidden.insert(contentsOf: many, at: movie + 8)
    hidden.replaceSubrange(
      movie..<movie + 4, with: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: (size + many.count) >> $0) })
    #expect(!SampleClaims.areCredible(hidden))
    let far = Array(many) + Array(many) + Array(many) + Array(many) + Array(many)
    #expect(!SampleClaims.areCredible(Array(whole[..<movie]) + far + Array(whole[movie...])))
  }

  @Test func `a track without a number is refused wherever it is hidden`() throws {
    let whole = try ReferenceFile.take(units: [9], end: nil).bytes
    #expect(SampleClaims.areCredible(whole))
    func place(_ type: String) throws -> Int {
      try #require(whole.indices.dropLast(8).first { whole[$0..<$0 + 4].elementsEqual(type.utf8) })
    }
    let movie = try place("moov") - 4
    let size = whole[movie..<movie + 4].reduce(0) { $0 << 8 | Int($1) }
    func grown(by bytes: [UInt8], at offset: Int) -> [UInt8] {
      var new = whole
      new.insert(contentsOf: bytes, at: offset)
      let sum = size + bytes.count
      new.replaceSubrange(movie..<movie + 4, with: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) })
      return new
    }
    var negative = whole
    negative[try place("tkhd") + 16] = 0xFF
    let empty = [0, 0, 0, 8] + Array("trak".utf8)
    let torn = [0xFF, 0, 0, 8] + Array("trak".utf8)
    let nested = [0, 0, 0, 16] + Array("udta".utf8) + empty
    for bytes in [
      negative, grown(by: empty, at: movie + 8), grown(by: nested, at: movie + size), whole + empty, whole + torn,
      grown(by: [0, 0, 0, 8] + Array("moof".utf8), at: movie + size),
    ] {
      #expect(!SampleClaims.areCredible(bytes))
    }
    // Words are no boxes.
    #expect(
      SampleClaims.areCredible(grown(by: [0, 0, 0, 20] + Array("free our trak".utf8) + [0, 0, 0], at: movie + size)))
  }

  @Test func `a box whose size libavformat reads in another way hides neither a track nor what it claims`() throws {
    let whole = try ReferenceFile.take(units: [9], end: 8_000).bytes
    func last(_ type: String) throws -> Int {
      try #require(whole.indices.dropLast(20).last { whole[$0..<$0 + 4].elementsEqual(type.utf8) })
    }
    // More bytes than its movie has: libavformat reads it all the same.
    var torn = whole
    torn.replaceSubrange(try last("stsz") + 8..<(try last("stsz")) + 16, with: [0, 0, 0, 7, 5, 0x10, 0, 0])
    #expect(!SampleClaims.areCredible(torn))
    torn[try last("trak") - 4] = 0x7F
    #expect(!SampleClaims.areCredible(torn))
    // A long size has a sign there, and less than its own head means nothing, or all that is left.
    let head = try last("tkhd") - 4
    for long: UInt64 in [0, 15, 0x8000_0000_0000_00C8, 0xFFFF_FFFF_FFFF_FFAC] {
      var size = ByteWriter()
      size.big64(long)
      var headless = whole
      headless.replaceSubrange(head..<head + 4, with: [0, 0, 0, 1])
      headless.replaceSubrange(head + 8..<head + 16, with: size.bytes)
      #expect(!SampleClaims.areCredible(headless), "\(long)")
    }
    // It looks for the head of a movie in what is free.
    for type in ["hoov", "free"] {
      var free = whole
      free.replaceSubrange(try last("moov")..<(try last("moov")) + 4, with: type.utf8)
      #expect(!SampleClaims.areCredible(free), "\(type)")
    }
  }

  @Test func `what is not believed of sound is not believed of pictures and tracks either`() throws {
    let folder = TemporaryFolder()
    var bytes = try ReferenceFile.clip(pictures: 4).bytes
    let place = try #require(bytes.indices.dropLast(20).last { bytes[$0..<$0 + 4].elementsEqual("stsz".utf8) })
    bytes.replaceSubrange(place + 8..<place + 16, with: [0, 0, 0, 7, 0, 0x20, 0, 0])
    let path = folder.put(bytes, "liar.mp4")
    #expect(throws: MediaError.self) { try MediaTracks(path: path) }
    #expect(throws: MediaError.self) { try PictureFile(path: path) }
  }

  @Test func `a pipe holds nobody up`() throws {
    let folder = TemporaryFolder()
    let path = folder.file("pipe.wav")
    try #require(mkfifo(path, 0o600) == 0)
    #expect(throws: MediaError.self) { try SoundFile(path: path) }
    #expect(throws: MediaError.self) { try MediaTracks(path: path) }
  }

  @Test func `parameter sets that nobody has do not come again with every keyframe`() {
    let set = [0x67] + [UInt8](repeating: 1, count: 40_000)
    let record: [UInt8] = [1, 66, 0, 30, 0xFF, 0xE1, UInt8(set.count >> 8), UInt8(set.count & 255)] + set + [0]
    let units = record.withUnsafeBufferPointer { AccessUnits(extradata: $0) }
    #expect(units.sets.isEmpty)
  }

  @Test func `units without a byte in them do not make five times as much of a picture`() {
    let record: [UInt8] = [1, 66, 0, 30, 0xFC, 0xE0, 0]
    let units = record.withUnsafeBufferPointer { AccessUnits(extradata: $0) }
    for (content, expected) in [
      ([UInt8](repeating: 0, count: 4 << 20), 0), ([2, 0x65, 7] + [UInt8](repeating: 0, count: 100), 6),
      ([UInt8](repeating: 1, count: (8 << 20) + 1), -1),
    ] {
      let bytes = content.withUnsafeBufferPointer { units.bytes($0, isKeyframe: true) }
      #expect((bytes?.count ?? -1) == expected)
    }
  }

  @Test func `a length that no file has is none, and nobody goes behind it`() throws {
    let folder = TemporaryFolder()
    // Four bytes a frame at 1000 Hz, of which RF64 claims as many as it can.
    var bytes = Array("RF64".utf8) + [0xFF, 0xFF, 0xFF, 0xFF] + Array("WAVEds64".utf8) + [28, 0, 0, 0]
    for claim in [1 << 62, (1 << 62) - 100, 1 << 60, 0] as [UInt64] {
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: claim >> UInt64(8 * $0)) }
    }
    bytes.removeLast(4)
    bytes += Array("fmt ".utf8) + [16, 0, 0, 0, 1, 0, 2, 0, 0xE8, 3, 0, 0, 0xA0, 0x0F, 0, 0, 4, 0, 16, 0]
    bytes += Array("data".utf8) + [0xFF, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 7, count: 4000)
    let path = folder.put(bytes, "years.wav")
    for rate in [8000, 48_000, 768_000] {
      let file = try SoundFile(path: path, output: PCMFormat(sampleRate: rate, channels: 2, bits: 16))
      if let frames = file.totalFrames { #expect(frames <= Int.max / 768_000) }
      var buffer = [Float](repeating: 0, count: 2048)
      for place in [Int.max, 1 << 50, 0] {
        try file.seek(toFrame: place)
        _ = try buffer.withUnsafeMutableBufferPointer { target in
          try file.read(into: #require(target.baseAddress), frames: 1024)
        }
      }
    }
  }

  @Test func `a clip with hours between two pictures is joined in as few steps as it has pictures`() throws {
    let first = MemoryFile()
    let description = FileDescription(
      pictures: PictureTrack(codec: .mjpeg, width: 16, height: 16), sound: nil,
      createdAt: WallTime(nanosecondsSince1970: 0))
    var writer = MovieWriter(file: first, scratch: nil, description: description)
    let image: [UInt8] = [0xFF, 0xD8, 0xFF, 0xD9]
    for index in 0..<4 {
      image.withUnsafeBytes { writer.append($0, to: 0, at: index * 4_000_000_000, isKeyframe: true) }
    }
    try writer.finish(at: [16_000_000_000])
    let target = MemoryFile()
    let editor = try ClipEditor(
      joining: [first], into: target, createdAt: WallTime(nanosecondsSince1970: 0), title: "")
    var steps = 1
    while try !editor.step() { steps += 1 }
    #expect(steps < 50)
    #expect(try ClipReader(target).pictures.count == 4)
  }

  @Test func `no step of a repair reads or writes much, however long the file`() throws {
    let file = MemoryFile()
    try ReferenceFile.long(units: 12_000, to: file)
    var repair = MediaRepair(file, scratch: MemoryFile())
    var most = 0
    while true {
      let before = file.bytesRead + file.bytesWritten
      if let found = try repair.step() {
        #expect(found.condition == .finished)
        #expect(found.frames == 12_000 * 1024 - 1024)
        break
      }
      most = max(most, file.bytesRead + file.bytesWritten - before)
    }
    #expect(most < 256 << 10, "\(most)")
  }

  /// Where sizes, counts, times and flags stand: everything but the payload, and some of it.
  private static func fields(_ bytes: [UInt8]) -> [Int] {
    let names = [
      "mvhd", "tkhd", "elst", "mdhd", "stts", "stss", "stsc", "stsz", "stco", "sbgp", "trex", "mfhd", "tfhd", "tfdt",
      "trun", "mdat", "moof", "traf", "moov", "trak", "stsd", "mp4a", "esds", "avc1", "free", "data", "RIFF", "JUNK",
      "bext", "fmt ", "cue ", "LIST", "meta", "ilst", "chpl",
    ].map { Array($0.utf8) }
    var places: [Int] = []
    for index in 0..<(bytes.count - 4) where names.contains(where: { bytes[index..<index + 4].elementsEqual($0) }) {
      // The size in front of the type, and the fields behind it.
      for offset in stride(from: -4, through: 44, by: 4) where offset != 0 { places.append(max(0, index + offset)) }
    }
    return places
  }

  private func judge(_ bytes: [UInt8], _ comment: Comment) throws {
    let most = bytes.count * 1024
    let before = try MediaRepair.inspect(MemoryFile(bytes))
    let file = MemoryFile(bytes)
    let after = try MediaRepair.repair(file, scratch: MemoryFile(path: "scratch"))
    if case .unfinished = before.condition, after.condition == .finished {
      #expect(after.frames <= most, comment)
      let again = try MediaRepair.inspect(file)
      #expect(again.condition == .finished || again.condition == .foreign, comment)
    }
    if let reader = try? ClipReader(MemoryFile(bytes)) {
      for sample in reader.pictures + reader.sound { #expect(sample.offset + sample.bytes <= bytes.count, comment) }
      #expect(reader.duration >= 0, comment)
      let target = MemoryFile()
      target.budget = 4 << 20
      if let editor = try? ClipEditor(
        trimming: MemoryFile(bytes), to: 0.1..<0.9, into: target, createdAt: WallTime(nanosecondsSince1970: 0),
        title: "t")
      {
        for _ in 0..<20 where (try? editor.step()) != true {}
      }
    }
    _ = try MediaRepair.salvage(
      from: MemoryFile(bytes), into: MemoryFile(), scratch: nil,
      template: FileDescription(
        sound: SoundTrack(
          pcm: PCMFormat(sampleRate: 48_000, channels: 2), configuration: [], primingFrames: 1024, bitrateKbps: 128),
        createdAt: WallTime(nanosecondsSince1970: 0)))
  }
}
