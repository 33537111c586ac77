import Foundation
import Hardware
import LinuxHardware
import Media
import TestSupport

@testable import Library

/// A library in a real folder, with takes that every program can open.
struct RealBench {
  let folder = TemporaryFolder()
  let stickFolder = TemporaryFolder()
  let clock = StillClock()
  let library: Library
  let stick: FileStorage

  init() throws {
    let storage = try FileStorage(root: folder.path, reserveBytes: 0)
    stick = try FileStorage(root: stickFolder.path, reserveBytes: 0)
    let state = StateStore(storage: storage, clock: clock)
    library = Library(storage: storage, clock: clock, state: state, repairer: FakeDoctor(storage))
    try library.open()
  }

  /// Noise that is not the same in both channels, as whole numbers of 24 bits.
  static func sound(frames: Int, seed: UInt64) -> [Float] {
    var random = SeededGenerator(seed: seed)
    return (0..<frames * 2).map { index in
      let tone = 0.4 * sin(Double(index / 2) * (index % 2 == 0 ? 0.05 : 0.031))
      let noise = Double(Int.random(in: -200_000...200_000, using: &random)) / 8_388_608
      return Float(Int((tone + noise) * 8_388_608)) / 8_388_608
    }
  }

  /// Little-endian samples of 24 bits.
  static func bytes(_ samples: [Float]) -> [UInt8] {
    samples.flatMap { sample in
      let value = UInt32(bitPattern: Int32(sample * 8_388_608))
      return [0, 8, 16].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
  }

  /// Records a take of parts, each of so many frames at 44.1 kHz (G.711: 8 kHz, mono); with safety takes, if asked for.
  ///
  /// - Returns: the names of the parts.
  func record(
    _ parts: [Int] = [100_000], as format: TakeFormat = .wav, withSafety: Bool = false
  ) throws -> [String] {
    var ids: [String] = []
    var safety: String?
    for (place, frames) in parts.enumerated() {
      let isLast = place + 1 == parts.count
      let id = try file(frames, format, seed: UInt64(place), isLast: isLast, beside: nil, after: ids.last)
      ids.append(id)
      guard withSafety else { continue }
      safety = try file(frames, format, seed: UInt64(place + 50), isLast: isLast, beside: id, after: safety)
    }
    return ids
  }

  private func file(
    _ frames: Int, _ format: TakeFormat, seed: UInt64, isLast: Bool, beside main: String?, after before: String?
  ) throws -> String {
    let plan = FileMeta(
      id: "", displayName: "", createdAt: clock.wallNow,
      audio: AudioAttributes(
        duration: 0, sampleRate: G711(rawValue: format.rawValue) == nil ? 44_100 : 8000,
        channels: G711(rawValue: format.rawValue) == nil ? 2 : 1, format: format.rawValue, fileSizeBytes: 0))
    var (meta, file) = try library.begin(plan, fileExtension: format.fileExtension, beside: main)
    let pcm = PCMFormat(sampleRate: 44_100, channels: 2, bits: format == .wav ? 24 : 16)
    let samples = Self.sound(frames: frames, seed: seed)
    let size: Int
    if format == .aac {
      let encoder = try AACEncoder(format: pcm, bitrateKbps: 192)
      let track = SoundTrack(
        pcm: pcm, configuration: encoder.configuration, primingFrames: encoder.primingFrames, bitrateKbps: 192)
      var writer = MovieWriter(
        file: file, scratch: nil, description: FileDescription(sound: track, createdAt: clock.wallNow))
      try samples.withUnsafeBufferPointer { buffer in
        guard let start = buffer.baseAddress else { return }
        try encoder.encode(start, frames: frames) { writer.append($0, to: 0) }
        try encoder.finish { writer.append($0, to: 0) }
      }
      try writer.finish(at: [frames])
      size = writer.fileBytes
    } else if let law = G711(rawValue: format.rawValue) {
      let track = SoundTrack(
        law == .alaw ? .alaw : .mulaw, pcm: PCMFormat(sampleRate: 8000, channels: 1, bits: 8))
      var writer = WaveWriter(
        file: file, scratch: nil, description: FileDescription(sound: track, createdAt: clock.wallNow))
      samples.withUnsafeBufferPointer { buffer in
        guard let start = buffer.baseAddress else { return }
        law.encoded(start, count: frames).withUnsafeBytes { writer.append($0, to: 0) }
      }
      try writer.finish(at: [frames])
      size = writer.fileBytes
    } else {
      var writer = WaveWriter(
        file: file, scratch: nil, description: FileDescription(sound: SoundTrack(pcm: pcm), createdAt: clock.wallNow))
      Self.bytes(samples).withUnsafeBytes { writer.append($0, to: 0) }
      try writer.finish(at: [frames])
      size = writer.fileBytes
    }
    file.close()
    meta.linkedTake = before
    meta.setLength(frames: frames, fileSizeBytes: size)
    meta.stopReason = isLast ? "user" : "split"
    try library.complete(meta.id, meta)
    return meta.id
  }

  /// The files on the stick.
  var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: stickFolder.file("Mynah")))?.sorted() ?? []
  }

  func path(_ name: String) -> String { stickFolder.file("Mynah/\(name)") }

  /// What another program decodes of a file, as samples of 24 bits.
  func decoded(_ name: String) throws -> [UInt8] {
    let target = TemporaryFolder()
    try Tool.succeed(
      "ffmpeg", ["-v", "error", "-i", path(name), "-f", "s24le", "-c:a", "pcm_s24le", target.file("raw")])
    return target.bytes("raw") ?? []
  }
}
