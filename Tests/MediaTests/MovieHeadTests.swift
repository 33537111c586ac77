import Hardware
import Media
import TestSupport
import Testing

/// Takes and clips that were cut off, with wrong bits in their heads.
struct MovieHeadTests {
  private static func take(_ codec: SoundCodec) throws -> [UInt8] {
    let file = MemoryFile()
    let pcm = PCMFormat(sampleRate: 8_000, channels: 1)
    let samples = glide(frames: 12_000, channels: 1, sampleRate: 8_000)
    if codec == .aac {
      try writeM4A(samples, pcm: pcm, to: file, bitrate: 16, flushEvery: 3_000, finish: false)
    } else {
      try writeLossless(.alac, samples, pcm: pcm, to: file, flushEvery: 5_000, finish: false)
    }
    return file.bytes
  }

  private static func clip(_ codec: VideoCodec = .h264, withSound: Bool = true) throws -> [UInt8] {
    let file = MemoryFile()
    let video = try codec == .h264 ? TestVideo(pictures: 31, interval: 15) : TestVideo(jpegs: 31)
    let maker = try ClipMaker(video, withSound: withSound)
    var clip = MovieWriter(file, maker.description(skipped: 3000))
    try maker.write(&clip)
    return file.bytes
  }

  /// Where the heads of boxes stand, from `start` on.
  private static func heads(in bytes: ArraySlice<UInt8>) -> [Int] {
    let inner = [
      "moov": 0, "trak": 0, "edts": 0, "mdia": 0, "minf": 0, "dinf": 0, "stbl": 0, "mvex": 0, "udta": 0, "dref": 8,
      "stsd": 8, "avc1": 78, "mp4v": 78, "mp4a": 28, "alac": 28, "meta": 4, "ilst": 0,
    ]
    var (place, found) = (bytes.startIndex, [Int]())
    while place + 8 <= bytes.endIndex {
      let size = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      guard size >= 8, place + size <= bytes.endIndex else { break }
      found.append(place)
      let type = String(decoding: bytes[place + 4..<place + 8], as: UTF8.self)
      // The box in a box of ALAC has its name.
      if let skipped = inner[type], size > 36 || type != "alac" {
        found += heads(in: bytes[place + 8 + skipped..<place + size])
      }
      place += size
    }
    return found
  }

  /// Repairs it, and says what it is then; what is not finished has to be as it was.
  private func mended(_ bytes: [UInt8], _ what: String) throws -> (found: MediaInspection, file: MemoryFile) {
    let file = MemoryFile(bytes)
    let found = try MediaRepair.repair(file, scratch: MemoryFile())
    if found.condition == .finished {
      #expect(try MediaRepair.inspect(file).condition == .finished, "\(what)")
    } else {
      #expect(file.bytes == bytes, "\(what)")
    }
    return (found, file)
  }

  private func check(_ whole: [UInt8], isClip: Bool) throws {
    let folder = TemporaryFolder()
    let name = isClip ? "a.mp4" : "a.m4a"
    let (good, file) = try mended(whole, "undamaged")
    let sound = try decodeWithFFmpeg(folder.put(file.bytes, name))
    let end = try #require(whole.firstRange(of: Array("mfhd".utf8))).lowerBound - 12
    let places = Self.heads(in: whole[..<end])
    #expect(places.count > 25)
    for place in places.flatMap({ $0..<$0 + 8 }) {
      for bit in 0..<8 where !isClip || (place + bit) % 3 == 0 {
        var bytes = whole
        bytes[place] ^= 1 << UInt8(bit)
        let (found, file) = try mended(bytes, "\(place).\(bit)")
        #expect(found.condition == .finished, "\(place).\(bit)")
        #expect(found.frames == good.frames && found.pictures == good.pictures, "\(place).\(bit)")
        guard bit == place % 8, place % 5 == 0 else { continue }
        #expect(try decodeWithFFmpeg(folder.put(file.bytes, name)) == sound, "\(place).\(bit)")
      }
    }
    // What no box's head is.
    for bit in stride(from: 0, to: 8 * end, by: 37) {
      var bytes = whole
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      let found = try mended(bytes, "bit \(bit)").found
      #expect(found.condition == .finished, "bit \(bit)")
      #expect(found.pictures >= good.pictures, "bit \(bit)")
      // How much of its beginning is not shown is said once.
      #expect(isClip || found.frames >= good.frames, "bit \(bit)")
    }
  }

  @Test(arguments: [SoundCodec.aac, .alac])
  func `no wrong bit in the head of a take that was cut off costs more than itself`(codec: SoundCodec) throws {
    try check(Self.take(codec), isClip: false)
  }

  @Test func `no wrong bit in what says how ALAC is coded costs any sound`() throws {
    let folder = TemporaryFolder()
    let whole = try Self.take(.alac)
    let sound = try decodeWithFFmpeg(folder.put(try mended(whole, "undamaged").file.bytes, "a.m4a"))
    let coding = try #require(whole.firstRange(of: Array("alac".utf8))).lowerBound + 44
    for place in coding..<coding + 10 {
      for bit in 0..<8 {
        var bytes = whole
        bytes[place] ^= 1 << UInt8(bit)
        let (found, file) = try mended(bytes, "\(place).\(bit)")
        #expect(found.condition == .finished && file.bytes[place] == whole[place], "\(place).\(bit)")
        guard bit == 0 else { continue }
        #expect(try decodeWithFFmpeg(folder.put(file.bytes, "a.m4a")) == sound, "\(place)")
      }
    }
  }

  @Test(arguments: [VideoCodec.h264, .mjpeg])
  func `no wrong bit in the head of a clip that was cut off costs more than itself`(codec: VideoCodec) throws {
    try check(Self.clip(codec), isClip: true)
  }

  @Test(arguments: [SoundCodec.aac, .alac])
  func `channels and bits that there are not cost no recording`(codec: SoundCodec) throws {
    let recordings = try [Self.take(codec)] + (codec == .aac ? [Self.clip()] : [])
    for whole in recordings {
      let good = try mended(whole, "undamaged").found
      let entry = try #require(whole.firstRange(of: Array((codec == .aac ? "mp4a" : "alac").utf8))).lowerBound
      // Of AAC the buffer of a decoder tells one from two.
      var values: [(place: Int, value: UInt8)] = [(21, 0), (21, 3), (21, 0x81), (21, 0xFF)]
      values += codec == .aac ? [(21, 1), (21, 2)] : [(23, 0), (23, 8), (23, 17), (23, 0x90)]
      for (place, value) in values {
        var bytes = whole
        bytes[entry + place] = value
        let (found, file) = try mended(bytes, "\(place): \(value)")
        #expect(
          found.condition == .finished && found.pcm == good.pcm && found.frames == good.frames, "\(place) \(value)")
        #expect(
          found.pictures == good.pictures && file.bytes[entry + place] == whole[entry + place], "\(place) \(value)")
      }
    }
  }

  @Test(arguments: [VideoCodec.h264, .mjpeg])
  func `a size that pictures do not have costs no clip`(codec: VideoCodec) throws {
    let whole = try Self.clip(codec)
    let good = try mended(whole, "undamaged").found
    let name = codec == .h264 ? "avc1" : "mp4v"
    let entry = try #require(whole[48...].firstRange(of: Array(name.utf8))).lowerBound
    for place in [entry + 28, entry + 30] {
      // Of JPEG pictures it is said twice, and one is as good as the other.
      for value in codec == .h264 ? [0, 1, 180, 0xFFFF] : [0] {
        var bytes = whole
        (bytes[place], bytes[place + 1]) = (UInt8(value >> 8), UInt8(value & 0xFF))
        let (found, file) = try mended(bytes, "size \(value)")
        #expect(found.condition == .finished && found.pictures == good.pictures, "\(value)")
        #expect(file.bytes[place..<place + 2] == whole[place..<place + 2], "\(value)")
      }
    }
  }

  @Test func `a wrong byte in how much of its sound a decoder makes up costs a clip nothing`() throws {
    let whole = try Self.clip()
    let good = try mended(whole, "undamaged").found
    let edits = whole.indices.dropLast(4).filter { whole[$0..<$0 + 4].elementsEqual("elst".utf8) }
    for value in [0, 3, 5, 0x40, 0xFF] {
      var bytes = whole
      bytes[edits[1] + 18] = UInt8(value)
      #expect(try mended(bytes, "\(value)").found.frames == good.frames, "\(value)")
    }
  }

  @Test(arguments: [1024, 1025, 1280, 1536, 1792])
  func `a file that a split take goes on in begins where it says`(priming: Int) throws {
    var bytes = try Self.take(.aac)
    let edits = try #require(bytes.firstRange(of: Array("elst".utf8))).lowerBound
    bytes.replaceSubrange(edits + 18..<edits + 20, with: [UInt8(priming >> 8), UInt8(priming & 0xFF)])
    let end = try #require(bytes.firstRange(of: Array("mfhd".utf8))).lowerBound - 12
    let (found, file) = try mended(bytes, "\(priming)")
    #expect(found.condition == .finished)
    #expect(file.bytes[48..<end] == bytes[48..<end])
  }

  @Test func `a head that says less than the fragments have costs none of them`() throws {
    var bytes = try Self.clip()
    let track = try #require(bytes.firstRange(of: Array("trak".utf8))).lowerBound
    bytes[track] ^= 1
    // More is wrong than can be put right.
    for place in 137..<155 { bytes[place] ^= 0x55 }
    guard case .damaged = try mended(bytes, "a track less").found.condition else {
      Issue.record("what is left of the clip is called good")
      return
    }
  }

  @Test func `heads are known as they were written, whatever bytes of them are wrong`() throws {
    for whole in try [Self.clip(), Self.clip(withSound: false), Self.take(.aac), Self.take(.alac)] {
      let good = try mended(whole, "undamaged")
      let end = try #require(whole.firstRange(of: Array("mfhd".utf8))).lowerBound - 12
      // The texts are as they are; of two boxes that say how long a third is, one stays.
      let texts = try #require(whole.firstRange(of: Array("udta".utf8))).lowerBound - 4
      let places = Self.heads(in: whole[48..<end]).filter { place in
        place < texts && !["esds", "avcC"].contains(String(decoding: whole[place + 4..<place + 8], as: UTF8.self))
      }
      #expect(places.count > 15)
      var dice = SeededGenerator(seed: 5)
      for round in 0..<60 {
        var bytes = whole
        for _ in 0..<4 { bytes[dice.pick(places, or: 52) + Int.random(in: 4..<8, using: &dice)] = 0xEE }
        let (found, file) = try mended(bytes, "round \(round)")
        #expect(found.frames == good.found.frames && found.pictures == good.found.pictures, "round \(round)")
        // The index is the same; the head is put right.
        #expect(file.bytes.suffix(400) == good.file.bytes.suffix(400), "round \(round)")
      }
    }
  }
}
