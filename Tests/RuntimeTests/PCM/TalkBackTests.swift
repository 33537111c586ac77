import Foundation
import Hardware
import SimulatedHardware
import Synchronization
import Testing

@testable import Runtime

/// A room in which the microphone hears what is said in it, and the speaker, 3 ms later and again from the wall.
private final class CoupledRoom: SoundSource {
  private let played = Mutex<[Float]>([])
  private let coupling: Float
  private let said: @Sendable (Double) -> Float
  private static let rate = 48_000
  let fixedFormat: PCMFormat? = PCMFormat(sampleRate: rate, channels: 1)

  /// - Parameters:
  ///   - coupling: of what the speaker plays, at the microphone.
  ///   - said: what is heard in the room besides, at a time.
  init(coupling: Float, said: @escaping @Sendable (Double) -> Float) {
    self.coupling = coupling
    self.said = said
  }

  func listen(to speaker: SimulatedSpeaker) {
    speaker.listen { at, samples, format in
      let start = Int((at.seconds * Double(Self.rate)).rounded())
      self.played.withLock { played in
        let frames = samples.count / format.channels
        if played.count < start + frames { played += [Float](repeating: 0, count: start + frames - played.count) }
        for frame in 0..<frames { played[start + frame] = samples[frame * format.channels] }
      }
    }
  }

  /// When something louder than that is played for the first time.
  func first(above level: Float) -> Double? {
    played.withLock { $0.firstIndex { abs($0) > level } }.map { Double($0) / Double(Self.rate) }
  }

  /// Root of the mean square between two times.
  func level(from start: Double, to end: Double) -> Float {
    played.withLock { played in
      let range = (Int(start * Double(Self.rate))..<Int(end * Double(Self.rate))).clamped(to: 0..<played.count)
      guard !range.isEmpty else { return 0 }
      return (played[range].reduce(0) { $0 + $1 * $1 } / Float(range.count)).squareRoot()
    }
  }

  func fill(_ target: UnsafeMutablePointer<Float>, frames: Int, from position: Int, format: PCMFormat) {
    played.withLock { played in
      func sound(_ index: Int) -> Float { played.indices.contains(index) ? played[index] : 0 }
      for frame in 0..<frames {
        let place = position + frame
        target[frame] = max(
          -1,
          min(
            1,
            said(Double(place) / Double(Self.rate)) + coupling * (sound(place - 144) + 0.4 * sound(place - 720))))
      }
    }
  }
}

@Suite struct TalkBackTests {
  private static func run(_ room: CoupledRoom, _ script: String) throws -> RuntimeBench {
    let bench = try RuntimeBench()
    var options = SimulationOptions(clock: bench.clock, storage: bench.memory)
    options.source = room
    let devices = try SimulatedHardware(options)
    bench.hardware = devices.hardwareSet
    room.listen(to: try #require(devices.speaker))
    #expect(try bench.run(script) == nil)
    return bench
  }

  @Test func `S3: what is said is heard within 60 ms, as loud as it is, and no more once it is off`() throws {
    // A quarter of a second of a voice's noise each second.
    let room = CoupledRoom(coupling: 0) { time in
      guard time >= 2, time.truncatingRemainder(dividingBy: 1) < 0.25 else { return 0 }
      return Float(0.2 * sin(2 * .pi * 220 * time) + 0.1 * sin(2 * .pi * 1370 * time))
    }
    _ = try Self.run(
      room,
      """
      0 call session.talkBack
      6 call session.talkBack {"on":false}
      9 quit
      """)
    let heard = try #require(room.first(above: 0.01))
    #expect(heard - 2 > 0.005 && heard - 2 <= 0.06, "\(heard - 2) s")
    let loud = room.level(from: 3 + (heard - 2), to: 3.2 + (heard - 2))
    #expect(abs(loud / (0.05 / 2).squareRoot() - 1) < 0.1)
    #expect(room.level(from: 6.2, to: 9) == 0)
  }

  @Test(arguments: [Float(1.2), 2, 4])
  func `S3: a speaker that the microphone hears louder than itself does not howl`(coupling: Float) throws {
    let room = CoupledRoom(coupling: coupling) { $0 >= 1 && $0 < 1.05 ? 0.1 : 0 }
    _ = try Self.run(room, "0 call settings.set {\"session.talkBack\":true}\n20 quit")
    // It begins to, and is held down within a second and a half; when the gain is back, once more at most. A howl of several
    // tones at once is known by its loudness only, after 600 ms.
    #expect(room.first(above: 0.02) != nil)
    let levels = stride(from: 3.0, to: 20, by: 0.5).map { room.level(from: $0, to: $0 + 0.5) }
    #expect(levels.allSatisfy { $0 < 0.25 }, "\(levels)")
    #expect(levels.filter { $0 > 0.01 }.count <= 3, "\(levels)")
    #expect(levels.suffix(20).allSatisfy { $0 < 0.01 }, "\(levels)")
  }

  @Test func `It is off by default, opens nothing then, and waits for what is played`() throws {
    let room = CoupledRoom(coupling: 0) { Float(0.2 * sin(2 * .pi * 440 * $0)) }
    _ = try Self.run(room, "3 quit")
    #expect(room.first(above: 0) == nil)
  }
}
