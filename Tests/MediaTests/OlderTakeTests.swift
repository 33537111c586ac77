import Hardware
import Media
import TestSupport
import Testing

/// Takes that were cut off, and whose files go on over blocks of an older take: the card had them there before.
struct OlderTakeTests {
  struct Take {
    var bytes: [UInt8]
    var flushed: [(frames: Int, bytes: Int)]
    var samples: [Float]
    /// Frames at its beginning that are not to be heard.
    var priming: Int
  }

  /// Two of the same length and head: even the clock told the same time.
  private func takes(_ codec: SoundCodec) throws -> (own: Take, older: Take) {
    var takes: [Take] = []
    for seed in [1, 2] as [UInt64] {
      let file = MemoryFile()
      var dice = SeededGenerator(seed: seed)
      if codec == .alac {
        // Noise takes the same number of bytes in each: fragments begin at the same places.
        let samples = (0..<120_000).map { _ in Float(Int.random(in: -32_768...32_767, using: &dice)) / 32_768 }
        let flushed = try writeLossless(
          .alac, samples, pcm: PCMFormat(sampleRate: 48_000, channels: 1), to: file, flushEvery: 9_000, finish: false)
        takes.append(Take(bytes: file.bytes, flushed: flushed, samples: samples, priming: 0))
      } else {
        var samples = glide(frames: 48_000, channels: 1, sampleRate: 16_000)
        if seed == 2 { samples.reverse() }
        let flushed = try writeM4A(
          samples, pcm: PCMFormat(sampleRate: 16_000, channels: 1), to: file, bitrate: 32, flushEvery: 3_200,
          finish: false)
        takes.append(Take(bytes: file.bytes, flushed: flushed, samples: samples, priming: 1024))
      }
    }
    return (takes[0], takes[1])
  }

  private func mended(_ bytes: some Sequence<UInt8>) throws -> MediaInspection {
    let file = MemoryFile(Array(bytes))
    let found = try MediaRepair.repair(file, scratch: MemoryFile())
    #expect(found.condition == .finished)
    #expect(try MediaRepair.inspect(file).frames == found.frames)
    return found
  }

  @Test(arguments: [SoundCodec.aac, .alac])
  func `a take ends where a fragment of an older one follows, however exactly`(codec: SoundCodec) throws {
    let folder = TemporaryFolder()
    let (own, older) = try takes(codec)
    for seam in [2, 5, 9] {
      let place = own.flushed[seam]
      let bytes: ArraySlice<UInt8> = own.bytes.prefix(place.bytes) + older.bytes.dropFirst(older.flushed[seam].bytes)
      let file = MemoryFile(Array(bytes))
      let found = try MediaRepair.repair(file, scratch: MemoryFile())
      #expect(found.condition == .finished && found.frames == place.frames - own.priming)
      let decoded = try decodeWithFFmpeg(folder.put(file.bytes, "take\(seam).m4a"))
      let count = min(found.frames, decoded.count)
      #expect(found.frames - count <= 1024)
      #expect(correlation(own.samples.prefix(count), decoded.prefix(count)) > 0.99)
    }
  }

  @Test(arguments: [SoundCodec.aac, .alac])
  func `a take whose file goes on over an older one ends in the fragment that was being written`(codec: SoundCodec)
    throws
  {
    let (own, older) = try takes(codec)
    let most = min(own.bytes.count, older.bytes.count)
    for seam in stride(from: (own.flushed[1].bytes / 512 + 1) * 512, to: most, by: codec == .alac ? 8192 : 512) {
      let bytes: ArraySlice<UInt8> = own.bytes.prefix(seam) + older.bytes.dropFirst(seam)
      let found = try mended(bytes).frames
      let least = own.flushed.last { $0.bytes <= seam }?.frames ?? 0
      let whole = own.flushed.first { $0.bytes > seam }?.frames ?? Int.max
      #expect((least - own.priming...whole).contains(found), "\(seam)")
    }
  }

  @Test(arguments: [SoundCodec.aac, .alac])
  func `blocks of an older take within a take cost what was in them`(codec: SoundCodec) throws {
    let (own, older) = try takes(codec)
    let hole = own.flushed[4].bytes / 512 * 512..<own.flushed[6].bytes / 512 * 512
    let bytes: ArraySlice<UInt8> =
      own.bytes.prefix(hole.lowerBound) + older.bytes[hole] + own.bytes.dropFirst(hole.upperBound)
    #expect(try mended(bytes).frames == (own.flushed.last?.frames ?? 0) - own.priming)
  }

  @Test func `an Opus take ends with its own last page, whatever pages follow`() throws {
    let (own, older) = (MemoryFile(), MemoryFile())
    let samples = glide(frames: 192_000, channels: 1, sampleRate: 48_000)
    let flushed = try OpusTests.write(samples, channels: 1, kbps: 24, to: own, flushEvery: 9_600, finish: false)
    try OpusTests.write(
      samples.reversed(), channels: 1, kbps: 24, to: older, flushEvery: 8_100, finish: false,
      createdAt: WallTime(nanosecondsSince1970: 1_795_000_000 << 30 - 9_000_000_000))
    let most = min(own.bytes.count, older.bytes.count)
    for seam in stride(from: (flushed[2].bytes / 512 + 1) * 512, to: most, by: 512) {
      let bytes: ArraySlice<UInt8> = own.bytes.prefix(seam) + older.bytes.dropFirst(seam)
      let found = try mended(bytes)
      #expect(found.frames == flushed.last { $0.bytes <= seam }?.frames, "\(seam)")
    }
    // Within the take they cost what was there.
    let hole = flushed[5].bytes / 512 * 512..<flushed[7].bytes / 512 * 512
    let bytes: ArraySlice<UInt8> =
      own.bytes.prefix(hole.lowerBound) + older.bytes[hole] + own.bytes.dropFirst(hole.upperBound)
    #expect(try mended(bytes).frames == flushed.last?.frames)
  }

  @Test func `a FLAC take that claims what is there ends there, however much of an older one follows`() throws {
    let (own, older) = (MemoryFile(), MemoryFile())
    let pcm = PCMFormat(sampleRate: 8_000, channels: 1)
    let samples = glide(frames: 300_000, channels: 1, sampleRate: 8_000)
    let flushed = try writeLossless(
      .flac, Array(samples.prefix(60_000)), pcm: pcm, to: own, flushEvery: 5_000, finish: false)
    try writeLossless(.flac, samples.reversed(), pcm: pcm, to: older, flushEvery: 5_000, finish: false)
    #expect(older.bytes.count - own.bytes.count > 100_000)
    let bytes: [UInt8] = own.bytes + older.bytes.dropFirst(own.bytes.count)
    #expect(try mended(bytes).frames == flushed.last?.frames)
  }

  /// A take that was cut off, how far it is safe, what was recorded, and an older take.
  private func lossless() throws -> (own: [UInt8], safe: Int, samples: [Float], older: [UInt8]) {
    let (own, older) = (MemoryFile(), MemoryFile())
    let pcm = PCMFormat(sampleRate: 48_000, channels: 1)
    var dice = SeededGenerator(seed: 3)
    let samples = glide(frames: 240_000, channels: 1, sampleRate: 48_000)
      .map { $0 + Float.random(in: -0.05...0.05, using: &dice) }
    try writeLossless(.flac, Array(samples.prefix(150_000)), pcm: pcm, to: own, flushEvery: 9_600, finish: false)
    try writeLossless(.flac, samples.reversed(), pcm: pcm, to: older, flushEvery: 9_000, finish: false)
    return (own.bytes, own.bytes[62..<70].reduce(0) { $0 << 8 | Int($1) }, samples, older.bytes)
  }

  @Test func `a FLAC take whose head claims blocks of an older one ends where these begin`() throws {
    let folder = TemporaryFolder()
    let (own, safe, samples, older) = try lossless()
    try #require(safe > 32 << 10 && own.count - safe > 30_000 && older.count > own.count + 50_000)
    for seam in stride(from: (safe / 512 + 1) * 512, to: own.count, by: 2048) {
      let bytes: ArraySlice<UInt8> = own.prefix(seam) + older[seam..<own.count + 50_000]
      let found = try mended(bytes).frames
      let least = try mended(own.prefix(seam)).frames
      #expect(found == least, "\(seam)")
      guard seam % 8192 < 2048 else { continue }
      let file = MemoryFile(Array(bytes))
      _ = try MediaRepair.repair(file)
      let decoded = try decodeWithFFmpeg(folder.put(file.bytes, "take.flac"))
      #expect(decoded.count == found && correlation(samples.prefix(found), decoded[...]) > 0.999, "\(seam)")
    }
  }

  @Test func `a FLAC take keeps its frames behind a torn sector, whatever follows`() throws {
    let (own, safe, _, older) = try lossless()
    let all = try mended(own).frames
    let seam = own.count - 9_000
    let cut = try mended(own.prefix(seam)).frames
    for place in stride(from: safe + 600, to: seam - 20_000, by: 4_000) {
      var torn = own
      for byte in place..<place + 512 { torn[byte] = 0 }
      #expect(try mended(torn).frames == all, "\(place)")
      let bytes: ArraySlice<UInt8> = torn.prefix(seam) + older[seam..<own.count + 50_000]
      #expect(try mended(bytes).frames == cut, "\(place)")
    }
  }

  @Test func `takes whose fragments are counted from one are mended as before, whatever becomes of a number`() throws {
    let (own, _) = try takes(.aac)
    let all = (own.flushed.last?.frames ?? 0) - own.priming
    var (bytes, places) = (own.bytes, [Int]())
    for place in 4..<bytes.count - 8 where bytes[place..<place + 4].elementsEqual("mfhd".utf8) {
      places.append(place + 8)
      bytes.replaceSubrange(place + 8..<place + 12, with: [0, 0, 0, UInt8(places.count)])
    }
    #expect(places.count == own.flushed.count - 1)
    #expect(try mended(bytes).frames == all)
    for source in [own.bytes, bytes] {
      for (index, place) in places.enumerated() {
        for bit in stride(from: index % 3, to: 32, by: 3) {
          var damaged = source
          damaged[place + bit / 8] ^= 1 << UInt8(bit % 8)
          let found = try mended(damaged)
          #expect(found.frames == all && found.unreadableBytes == 0, "\(index) \(bit)")
        }
        var damaged = source
        damaged.replaceSubrange(place..<place + 4, with: [0xFF, 0xFF, 0xFF, 0xFF])
        // The last one has none behind it that would tell how long it was.
        let least = index == places.count - 1 ? own.flushed[index].frames - own.priming : all
        #expect(try mended(damaged).frames >= least)
      }
    }
  }
}
