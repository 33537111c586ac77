import Foundation
import TestSupport
import Testing

@testable import Media

/// Transport streams that were cut anywhere: whatever pieces they come in, all of their sound is heard once.
@Suite struct SplitSoundTests {
  private func stream(_ options: [String]) throws -> [UInt8] {
    let folder = TemporaryFolder()
    let source = [
      "-f", "lavfi", "-i", "aevalsrc=0.4*sin(2*PI*(300*t+40*t*t))|0.4*sin(2*PI*(500*t+30*t*t)):s=48000:d=12",
    ]
    try Tool.run("ffmpeg", ["-nostdin", "-v", "error"] + source + options + [folder.file("a.ts")])
    return folder.bytes("a.ts") ?? []
  }

  private func decode(_ pieces: [[UInt8]], _ decoder: StreamDecoder) throws -> [Float] {
    var samples: [Float] = []
    for piece in pieces {
      try decoder.begin(piece, initialization: [], name: "s")
      while let next = try decoder.next() { if case .sound(let sound) = next { samples += sound.samples } }
    }
    if let tail = try decoder.finishRun() { samples += tail.samples }
    return samples
  }

  private func cut(_ bytes: [UInt8], _ least: Int, _ most: Int, _ dice: inout SeededGenerator) -> [[UInt8]] {
    var (pieces, rest): ([[UInt8]], ArraySlice<UInt8>) = ([], bytes[...])
    while !rest.isEmpty {
      let size = 188 * Int.random(in: least...most, using: &dice)
      // The last one has tables of its own, too.
      let count = rest.count - size < 188 * least ? rest.count : size
      pieces.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return pieces
  }

  @Test(
    arguments: [
      ["-c:a", "aac", "-b:a", "96k"], ["-c:a", "mp2", "-b:a", "128k"], ["-c:a", "ac3", "-b:a", "128k"],
      // Two seconds in one packet.
      ["-c:a", "aac", "-b:a", "48k", "-pes_payload_size", "12000"],
    ])
  func whereverItIsCutNothingIsLost(_ options: [String]) throws {
    let bytes = try stream(options)
    let whole = try decode([bytes], try StreamDecoder(pictures: false))
    #expect(abs(whole.count / 2 - 12 * 48_000) < 4096)
    for seed in 0..<4 as Range<UInt64> {
      var dice = SeededGenerator(seed: seed)
      let decoder = try StreamDecoder(pictures: false)
      let samples = try decode(cut(bytes, 60, 120, &dice), decoder)
      #expect(decoder.missing == 0 && decoder.damagedPackets == 0, "\(options) \(seed)")
      try #require(samples.count == whole.count)
      #expect(zip(samples, whole).allSatisfy { abs($0 - $1) < 1e-3 })
    }
  }

  /// What is held back is heard where nothing follows that goes on with it: before a hole, and at the end.
  @Test(arguments: [100, 103, 107, 110, 113]) func whatNothingGoesOnWithIsHeardAllTheSame(_ packets: Int) throws {
    let half = Array(try stream(["-c:a", "aac", "-b:a", "96k"]).prefix(188 * packets))
    let folder = TemporaryFolder()
    _ = folder.put(half, "half.ts")
    let options = ["-nostdin", "-v", "quiet", "-i", "half.ts", "-ac", "2", "-f", "f32le", "-"]
    let output = try Tool.run("ffmpeg", options, in: folder)
    let decoder = try StreamDecoder(pictures: false)
    let first = try decode([half], decoder).count / 2
    #expect(!decoder.holdsSound)
    // Of the last frame there is a part.
    #expect(abs(first - output.data.count / 8) <= 2048)
    try decoder.begin(half, initialization: [], name: "s")
    var frames = 0
    while let next = try decoder.next() { if case .sound(let sound) = next { frames += sound.frames } }
    try decoder.skip(seconds: 1)
    while let next = try decoder.next() { if case .sound(let sound) = next { frames += sound.frames } }
    #expect(frames == first + 48_000)
  }

  /// The counters tell whether one goes on with the other.
  @Test func whatDoesNotGoOnIsNotPutTogether() throws {
    let bytes = try stream(["-c:a", "aac", "-b:a", "96k"])
    var held = 0
    for packets in 60..<80 {
      var split = SplitSound()
      var first = Array(bytes.prefix(188 * packets))
      #expect(split.goesOn(in: first))
      let before = split.take(from: &first, initialization: [])
      #expect(before.isEmpty)
      #expect(split.isHolding == (first != Array(bytes.prefix(188 * packets))))
      guard split.isHolding else { continue }
      held += 1
      #expect(split.goesOn(in: Array(bytes.dropFirst(188 * packets))))
      for missing in 1..<6 { #expect(!split.goesOn(in: Array(bytes.dropFirst(188 * (packets + missing))))) }
      #expect(!split.goesOn(in: Array("fLaC".utf8)) && !split.goesOn(in: []))
      let end = split.flush()
      #expect(end.count > 376 && end.count % 188 == 0 && !split.isHolding)
    }
    #expect(held > 10)
  }

  /// GStreamer fills up the packets of its tables before them.
  @Test func tablesBehindFillingAreFound() throws {
    let bytes = try stream(["-c:a", "aac", "-b:a", "96k"])
    func filled(_ packet: ArraySlice<UInt8>) -> [UInt8] {
      // Behind the table is padding only: it is put before it.
      let table = Array(packet.dropFirst(4).prefix(60))
      let head = Array(packet.prefix(3)) + [packet[packet.startIndex + 3] | 0x20]
      return head + [123, 0] + [UInt8](repeating: 0xFF, count: 122) + table
    }
    var tables: [UInt8] = []
    var rest: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 188) {
      let packet = bytes[start..<(start + 188)]
      switch Int(packet[start + 1] & 0x1F) << 8 | Int(packet[start + 2]) {
      case 0, 0x1000: if tables.count < 376 { tables += filled(packet) }
      case 0x11: break
      default: rest += packet
      }
    }
    try #require(tables.count == 376)
    var isHeld = false
    for packets in 60..<80 {
      var split = SplitSound()
      var first = Array(rest.prefix(188 * packets))
      _ = split.take(from: &first, initialization: tables)
      guard split.isHolding else { continue }
      isHeld = true
      #expect(split.flush().starts(with: tables))
    }
    #expect(isHeld)
  }

  /// Whatever the bytes are.
  @Test func damagedPacketsAreAnswered() throws {
    let bytes = try stream(["-c:a", "aac", "-b:a", "96k"]).prefix(188 * 300)
    for seed in 0..<200 as Range<UInt64> {
      var dice = SeededGenerator(seed: seed)
      var damaged = Array(bytes)
      for _ in 0..<200 {
        let place = Int.random(in: 0..<damaged.count, using: &dice)
        // Most of it in the heads of packets.
        let head = place / 188 * 188 + place % 12
        if head % 188 != 0 { damaged[head] = UInt8.random(in: 0...255, using: &dice) }
      }
      var split = SplitSound()
      for var piece in cut(damaged, 1, 40, &dice) {
        let end = split.goesOn(in: piece) ? [] : split.flush()
        let count = piece.count
        let before = split.take(from: &piece, initialization: [])
        #expect(end.count % 188 == 0 && before.count % 188 == 0 && before.count <= 188 * 6000 && piece.count == count)
        #expect(stride(from: 0, to: count, by: 188).allSatisfy { piece[$0] == 0x47 })
      }
    }
  }
}
