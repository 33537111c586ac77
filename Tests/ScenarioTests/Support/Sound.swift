import Foundation
import TestSupport

/// Sound files as an independent tool sees them.
enum Sound {
  /// 16-bit samples of every channel, interleaved, decoded by ffmpeg at the file's own rate.
  static func samples(_ file: URL) throws -> [Int16] {
    let folder = TemporaryFolder()
    let raw = folder.file("raw")
    try Tool.succeed("ffmpeg", ["-v", "error", "-i", file.path, "-f", "s16le", "-c:a", "pcm_s16le", raw])
    let data = try Data(contentsOf: URL(fileURLWithPath: raw))
    return data.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
  }

  /// One field of the first stream, by ffprobe.
  static func field(_ name: String, of file: URL) throws -> String {
    try Tool.succeed(
      "ffprobe",
      ["-v", "error", "-select_streams", "a:0", "-show_entries", "stream=\(name)", "-of", "csv=p=0", file.path]
    ).trimmingCharacters(in: CharacterSet(charactersIn: ",\n "))
  }

  /// Length in frames by the container's own account, by ffprobe.
  static func frames(_ file: URL) throws -> Int {
    let timeBase = try field("time_base", of: file).split(separator: "/").compactMap { Int($0) }
    let duration = Int(try field("duration_ts", of: file)) ?? -1
    let rate = Int(try field("sample_rate", of: file)) ?? 0
    guard timeBase.count == 2, timeBase[1] > 0 else { return -1 }
    return duration * timeBase[0] * rate / timeBase[1]
  }

  /// Writes 16-bit WAV with the simplest possible header.
  static func write(_ samples: [Int16], channels: Int, rate: Int = 48_000, to path: String) throws {
    var data = Data("RIFF".utf8)
    let append32 = { (data: inout Data, value: Int) in
      withUnsafeBytes(of: UInt32(value).littleEndian) { data.append(contentsOf: $0) }
    }
    let append16 = { (data: inout Data, value: Int) in
      withUnsafeBytes(of: UInt16(value).littleEndian) { data.append(contentsOf: $0) }
    }
    append32(&data, 36 + samples.count * 2)
    data.append(contentsOf: Array("WAVEfmt ".utf8))
    append32(&data, 16)
    append16(&data, 1)
    append16(&data, channels)
    append32(&data, rate)
    append32(&data, rate * channels * 2)
    append16(&data, channels * 2)
    append16(&data, 16)
    data.append(contentsOf: Array("data".utf8))
    append32(&data, samples.count * 2)
    samples.withUnsafeBytes { data.append(contentsOf: $0) }
    try data.write(to: URL(fileURLWithPath: path))
  }

  /// Noise with the spectrum of nothing in particular, the same in every run: no two stretches are alike.
  static func noise(frames: Int, channels: Int, seed: UInt64 = 7, amplitude: Int = 12_000) -> [Int16] {
    var state = seed
    return (0..<frames * channels).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int16(truncatingIfNeeded: Int(state >> 33) % (2 * amplitude) - amplitude)
    }
  }

  /// Correlation of `heard` with `said` shifted by `lag`, over what both have.
  static func correlation(_ heard: [Int16], _ said: [Int16], lag: Int) -> Double {
    var product = 0.0
    var heardPower = 0.0
    var saidPower = 0.0
    for index in stride(from: 0, to: heard.count, by: 1) where said.indices.contains(index + lag) {
      let left = Double(heard[index])
      let right = Double(said[index + lag])
      product += left * right
      heardPower += left * left
      saidPower += right * right
    }
    return heardPower > 0 && saidPower > 0 ? product / (heardPower * saidPower).squareRoot() : 0
  }

  /// Speech by espeak-ng, resampled by sox to 48 kHz stereo.
  static func speech(_ text: String, to path: String) throws {
    let folder = TemporaryFolder()
    try Tool.succeed("espeak-ng", ["-w", folder.file("speech.wav"), text])
    try Tool.succeed("sox", [folder.file("speech.wav"), "-r", "48000", "-c", "2", "-b", "16", path, "gain", "-3"])
  }
}
