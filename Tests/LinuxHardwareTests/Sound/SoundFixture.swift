import Foundation
import Hardware
import TestSupport

@testable import LinuxHardware

/// PCMs that every machine has: libasound's `null` and `file` plug-ins, by a configuration of our own.
///
/// The configuration begins with the built-in one of systems without /usr/share/alsa, which is tried by it as well.
enum SoundFixture {
  /// 24,000 frames of S16_LE in stereo.
  static let samples16: [Int16] = (0..<48_000).map { Int16(truncatingIfNeeded: $0 &* 7919 &+ 13) }
  /// 12,000 frames of 24-bit samples in stereo, in the upper bytes of S32_LE.
  static let samples24: [Int32] = (0..<24_000).map {
    Int32(truncatingIfNeeded: $0 &* 1_664_525 &+ 1_013_904_223) & ~255
  }

  static let outPath = folder.appendingPathComponent("out.raw").path

  /// Call before opening one of ours.
  static func prepare() { _ = folder }

  private static let folder: URL = {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mynah-alsa-\(UUID().uuidString)")
    let path = { (name: String) in folder.appendingPathComponent(name).path }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try samples16.withUnsafeBytes { try Data($0).write(to: folder.appendingPathComponent("in16.raw")) }
      try samples24.withUnsafeBytes { try Data($0).write(to: folder.appendingPathComponent("in24.raw")) }
      let text =
        ALSAConfiguration.builtIn + """
          pcm.in16 { type file slave.pcm { type null } file "/dev/null" infile "\(path("in16.raw"))" format raw }
          pcm.in24 { type file slave.pcm { type null } file "/dev/null" infile "\(path("in24.raw"))" format raw }
          pcm.out { type file slave.pcm { type null } file "\(path("out.raw"))" format raw }
          pcm.only44 { type plug slave { pcm { type null } rate 44100 } }

          """
      try text.write(toFile: path("alsa.conf"), atomically: true, encoding: .utf8)
    } catch {
      preconditionFailure("cannot write \(folder.path): \(error)")
    }
    setenv("ALSA_CONFIG_PATH", path("alsa.conf"), 1)
    return folder
  }()

  /// What the 16-bit file holds, as the rings have it.
  static func request(bits: Int = 16, rate: Int = 48_000) -> SoundRequest {
    SoundRequest(
      format: PCMFormat(sampleRate: rate, channels: 2, bits: bits), periodFrames: 480, bufferFrames: 1920)
  }

  /// Waits, with a deadline that only a broken driver meets, for a driver's thread to get somewhere.
  static func wait(until isTrue: () -> Bool) -> Bool {
    let deadline = Date(timeIntervalSinceNow: 30)
    while !isTrue() {
      if Date() > deadline { return false }
      usleep(2000)
    }
    return true
  }
}
