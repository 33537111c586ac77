import Hardware
import JSON
import Media
import TestSupport

@testable import Proof

/// What happened to the files of a take, in order: a power cut may come between any two of them.
final class Journal {
  enum Change {
    case write(file: Int, offset: Int, bytes: [UInt8])
    case truncate(file: Int, size: Int)
    case sync(file: Int)
  }

  private(set) var changes: [Change] = []

  func note(_ change: Change) { changes.append(change) }

  /// What a cut after `count` changes leaves of each of two files: all that was synced, and of the rest what chance wills,
  /// whole or torn at a sector.
  func cut(after count: Int, _ dice: inout SeededGenerator) -> [[UInt8]] {
    let past = changes.prefix(count)
    return (0..<2).map { number in
      var synced = 0
      for (index, change) in past.enumerated() {
        if case .sync(let file) = change, file == number { synced = index }
      }
      var bytes: [UInt8] = []
      for (index, change) in past.enumerated() {
        switch change {
        case .write(let file, let offset, let written) where file == number:
          let choice = dice.below(3)
          guard index <= synced || choice > 0 else { continue }
          let kept =
            index <= synced || choice == 1
            ? written.count : min(written.count, 512 * dice.below(written.count / 512 + 2))
          let end = offset + kept
          if end > bytes.count { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
          bytes.replaceSubrange(offset..<end, with: written.prefix(kept))
        case .truncate(let file, let size) where file == number:
          guard index <= synced || dice.chance(2) else { continue }
          bytes = Array(bytes.prefix(size)) + [UInt8](repeating: 0, count: max(0, size - bytes.count))
        default: break
        }
      }
      return bytes
    }
  }
}

/// A file in memory whose changes are noted.
final class NotedFile: StoredFile, @unchecked Sendable {
  let path: String
  private let inner = MemoryFile()
  private let number: Int
  private let journal: Journal

  init(_ number: Int, _ journal: Journal) {
    (self.number, self.journal) = (number, journal)
    path = "file\(number)"
  }

  var bytes: [UInt8] { inner.bytes }
  var size: Int { inner.size }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    try inner.write(bytes, at: offset)
    journal.note(.write(file: number, offset: offset, bytes: Array(bytes)))
  }

  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    try inner.read(into: target, at: offset)
  }

  func truncate(to size: Int) throws(StorageError) {
    try inner.truncate(to: size)
    journal.note(.truncate(file: number, size: size))
  }

  func sync() throws(StorageError) { journal.note(.sync(file: number)) }
  func close() {}
}

/// The containers that takes and clips are recorded in.
enum Container: CaseIterable { case aac, clip, wav, oddWave, flac, opus }

/// A recording of some seconds that was signed while it was written, as the file writer does it.
struct SignedTake {
  var media: [UInt8]
  var proof: [UInt8]
  var notes: JSONValue
  let journal: Journal

  static let key = device(7)
  static let otherKey = device(8)

  private static func device(_ seed: UInt8) -> DeviceKey {
    guard let key = DeviceKey(seed: [UInt8](repeating: seed, count: 32)) else { fatalError("32 bytes make a key") }
    return key
  }

  /// - Parameter extra: frames that are appended beyond the end.
  static func make(
    _ container: Container, seconds: Int = 4, seed: UInt64, key: DeviceKey = key, extra: Int = 0
  ) throws -> SignedTake {
    let journal = Journal()
    let (media, file) = (NotedFile(0, journal), NotedFile(1, journal))
    var dice = SeededGenerator(seed: seed)
    let began = Instant(nanoseconds: Int64(seed) * 1_000_000_000_000)
    let wall = WallTime(nanosecondsSince1970: 1_795_211_640_000_000_000 + Int64(seed) * 60_000_000_000)
    let rate = container == .opus ? 48_000 : 8_000
    var notes: [String: JSONValue] = [
      "createdAt": .string(wall.iso8601), "startedMonotonic": .number(began.seconds),
      "audio.sampleRate": .integer(rate),
    ]
    var header = ProofHeader(kind: "take", id: "take", anchor: ProofAnchor(monotonic: began, wall: wall))
    header.notes = notes
    let writer = ProofWriter(key: key, header: header) { () throws(StorageError) in file }
    var feeder = try Feeder(container, rate: rate, file: writer.tap(media))
    func anchor() -> ProofAnchor {
      let passed = Duration.seconds(feeder.seconds)
      return ProofAnchor(
        monotonic: began + passed, wall: WallTime(nanosecondsSince1970: wall.nanosecondsSince1970 + passed.nanoseconds))
    }
    try feeder.writer.begin()
    try media.sync()
    writer.begin(holes: feeder.writer.changing)
    try writer.write()
    while feeder.seconds < Double(seconds) {
      try feeder.feed(&dice)
      try feeder.writer.flush()
      if dice.chance(4) { writer.note("marks", ["frame": .integer(dice.below(1000)), "title": "Mark"]) }
      guard dice.below(4) > 0 else { continue }
      try media.sync()
      writer.settle(to: feeder.writer.settledBytes, seconds: feeder.settledSeconds, at: anchor())
      try writer.write()
    }
    writer.stopHearing(seconds: feeder.settledSeconds, at: anchor())
    let frames = feeder.frames - extra
    try feeder.finish(at: frames)
    try media.sync()
    while try writer.hashRest(of: media) {}
    notes["frames"] = .integer(frames)
    notes["gaps"] = [["frame": 100, "frames": 200, "reason": "overrun"]]
    try writer.end(notes: notes, seconds: Double(frames) / Double(rate), facts: ["why": "user"], at: anchor())
    var sidecar: JSONValue = ["audio": ["sampleRate": .integer(rate)], "displayName": "Take"]
    for (path, value) in notes where path != "audio.sampleRate" { sidecar[path] = value }
    return SignedTake(media: media.bytes, proof: file.bytes, notes: sidecar, journal: journal)
  }

  func verify(key: PublicKey? = nil) throws -> ProofVerdict {
    var verifier = ProofVerifier(media: MemoryFile(media), proof: MemoryFile(proof), notes: notes, key: key)
    return try verifier.run()
  }

  /// The lines of its proof.
  var lines: [[UInt8]] {
    get { proof.split(separator: ProofLine.end).map(Array.init) }
    set { proof = newValue.flatMap { $0 + [ProofLine.end] } }
  }

  var pieces: [ProofPiece] { lines.compactMap { ProofLine($0).flatMap { ProofPiece($0.record) } } }

  /// Its records, signed anew by another key.
  func signed(by key: DeviceKey, _ change: (inout JSONValue) -> Void = { _ in }) -> SignedTake {
    var forged = self
    var previous: [UInt8]?
    forged.lines = lines.compactMap { ProofLine($0) }.map { line in
      var record = line.record
      if record["key"] != nil { record["key"] = .string(key.publicKey.text) }
      change(&record)
      if let previous { record["previous"] = .string(Hex.text(previous)) }
      let line = ProofLine(record, signedBy: key)
      previous = line.hash
      return line.bytes
    }
    return forged
  }
}

/// Packets of a container, a fifth of a second at a time.
struct Feeder {
  var writer: any MediaWriter
  private(set) var frames = 0
  private let container: Container
  private let rate: Int
  private let lossless: LosslessEncoder?
  private var tick = 0

  init(_ container: Container, rate: Int, file: any StoredFile) throws {
    self.container = container
    self.rate = rate
    let time = WallTime(nanosecondsSince1970: 1_795_211_640_000_000_000)
    func plain(_ track: SoundTrack) -> FileDescription { FileDescription(sound: track, createdAt: time, title: "take") }
    let aac = SoundTrack(
      pcm: PCMFormat(sampleRate: rate, channels: 1), configuration: [0x11, 0x88], primingFrames: 1024, bitrateKbps: 64)
    var lossless: LosslessEncoder?
    switch container {
    case .aac: writer = MovieWriter(file: file, scratch: nil, description: plain(aac))
    case .clip:
      let description = FileDescription(
        pictures: PictureTrack(
          codec: .h264, width: 64, height: 48,
          configuration: [1, 66, 0, 30, 255, 225, 0, 4, 103, 66, 0, 30, 1, 0, 2, 104, 206]),
        sound: aac, createdAt: time, title: "clip")
      writer = MovieWriter(file: file, scratch: nil, description: description)
    case .wav:
      let track = SoundTrack(pcm: PCMFormat(sampleRate: rate, channels: 1, bits: 16))
      writer = WaveWriter(file: file, scratch: nil, description: plain(track))
    case .oddWave:
      let track = SoundTrack(.mulaw, pcm: PCMFormat(sampleRate: rate, channels: 1, bits: 8), configuration: [])
      writer = WaveWriter(file: file, scratch: nil, description: plain(track))
    case .flac:
      let pcm = PCMFormat(sampleRate: rate, channels: 1, bits: 16)
      let encoder = try LosslessEncoder(.flac, format: pcm)
      lossless = encoder
      let track = SoundTrack(.flac, pcm: pcm, configuration: encoder.configuration)
      writer = FLACWriter(file: file, scratch: nil, description: plain(track))
    case .opus:
      let track = SoundTrack(
        .opus, pcm: PCMFormat(sampleRate: rate, channels: 1), configuration: [], primingFrames: 312, bitrateKbps: 32)
      writer = OpusWriter(file: file, scratch: nil, description: plain(track))
    }
    self.lossless = lossless
    writer.summary.marks = [TakeMark(frame: 10, label: "Mark")]
  }

  var seconds: Double { Double(frames) / Double(rate) }

  var settledSeconds: Double {
    let track = container == .clip ? writer.description.soundIndex ?? 0 : 0
    return max(0, Double(writer.settledEnd(of: track)) / Double(rate))
  }

  mutating func feed(_ dice: inout SeededGenerator) throws {
    switch container {
    case .aac, .clip:
      if container == .clip, let pictures = writer.description.pictureIndex {
        for index in 0..<5 {
          // One NAL unit behind its length.
          let unit: [UInt8] = [0, 0, 0, 60, index == 0 ? 0x65 : 0x41] + dice.bytes(59).map { $0 | 1 }
          unit.withUnsafeBytes { writer.append($0, to: pictures, at: tick, isKeyframe: index == 0) }
          tick += 2304
        }
      }
      let sound = writer.description.soundIndex ?? 0
      for _ in 0..<1 {
        let packet = dice.bytes(100).map { $0 | 1 }
        packet.withUnsafeBytes { writer.append($0, to: sound) }
        frames += 1024
      }
    case .wav, .oddWave:
      let count = 1400 + dice.below(300)
      let bytes = dice.bytes(count * (container == .wav ? 2 : 1))
      bytes.withUnsafeBytes { writer.append($0, to: 0) }
      frames += count
    case .flac:
      let count = 1600
      let samples = dice.bytes(count * 2)
      try samples.withUnsafeBytes { bytes in
        try lossless?.encode(bytes, frames: count) { packet, _ in writer.append(packet, to: 0) }
      }
      frames += count
    case .opus:
      for _ in 0..<10 {
        let packet = dice.bytes(40)
        packet.withUnsafeBytes { writer.append($0, to: 0) }
        frames += 960
      }
    }
  }

  mutating func finish(at frames: Int) throws {
    try lossless?.finish { packet, _ in writer.append(packet, to: 0) }
    var ends = writer.description.tracks.map { _ in frames }
    if let pictures = writer.description.pictureIndex { ends[pictures] = tick }
    try writer.finish(at: ends)
  }
}

extension Duration {
  var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
