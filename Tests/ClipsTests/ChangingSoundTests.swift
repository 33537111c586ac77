import Foundation
import Hardware
import Media
import Recording
import SimulatedHardware
import TestSupport
import Testing

@testable import Clips

/// The microphone comes back as another one while clips are made.
@Suite struct ChangingSoundTests {
  private func change(_ bench: Bench, rate: Int, channels: Int) {
    let format = PCMFormat(sampleRate: rate, channels: channels)
    bench.sound.configure(
      request: SoundRequest(format: format, periodFrames: rate / 50, bufferFrames: rate / 12), historySeconds: 0)
  }

  /// A clip without end from 5 s to 30 s, with another microphone from 12.3 s on: it goes on in another clip.
  private func captureOver(_ bench: Bench, rate: Int, channels: Int) {
    bench.recorder.arm()
    bench.run(until: 5)
    bench.recorder.startContinuous(at: bench.instant(5))
    bench.run(until: 12.3)
    change(bench, rate: rate, channels: channels)
    bench.run(until: 30)
    bench.recorder.endPostRoll(at: bench.instant(30))
    bench.run(until: 31)
    bench.finish()
    #expect(bench.log.failures == [])
    #expect(bench.log.saved.map(\.stopReason) == ["split", "user"])
  }

  /// A clip without end would be silent until somebody ends it.
  @Test(arguments: [(8000, 1, false), (16_000, 2, false), (8000, 1, true)])
  func whatGoesOnWithoutEndIsHeardInTheNewFormat(rate: Int, channels: Int, isOnDisk: Bool) throws {
    var settings = ClipSettings.small(pre: 2, post: 2)
    if isOnDisk { settings.ringStore = .disk }
    let bench = try Bench(settings)
    captureOver(bench, rate: rate, channels: channels)
    #expect(bench.log.saved.map(\.sound.sampleRate) == [16_000, rate])
    #expect(bench.log.saved.map(\.sound.channels) == [1, channels])
    // Not a picture is missing or there twice.
    let numbers = try bench.log.saved.flatMap { try ClipContent(bench, $0.id).shown.map(\.number) }
    #expect(numbers.count > 800 && zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
    let folder = TemporaryFolder()
    let last = try #require(bench.log.saved.last)
    #expect((last.start - bench.origin).inSeconds < 14)
    let beeps = try ClipContent.beeps(folder.put(try bench.bytes(of: last.id), "last.mp4"), rate: rate)
    #expect(beeps.count >= 15)
    let start = (last.start - bench.origin).inSeconds
    for beep in beeps { #expect(abs(start + beep - (start + beep).rounded()) < 0.010) }
  }

  /// One that was begun without sound goes on in another with it.
  @Test func whatWasBegunBesideARateThatAACHasNotIsHeardInOneThatItHas() throws {
    let bench = try Bench(.small(pre: 2, post: 2), rate: 192_000)
    captureOver(bench, rate: 16_000, channels: 1)
    #expect(bench.log.saved.map(\.sound.sampleRate) == [0, 16_000])
    #expect((bench.log.saved.last?.sound.frames ?? 0) > 15 * 16_000)
  }

  /// A short one is not parted for it.
  @Test func aClipThatIsNearlyOverKeepsItsFormat() throws {
    let bench = try Bench(.small(pre: 2, post: 4))
    bench.recorder.arm()
    bench.run(until: 5)
    bench.recorder.trigger(at: bench.instant(5), cause: .key)
    bench.run(until: 6)
    change(bench, rate: 8000, channels: 1)
    bench.run(until: 14)
    bench.recorder.trigger(at: bench.instant(14), cause: .key)
    bench.run(until: 19)
    bench.finish()
    #expect(bench.log.failures == [] && bench.log.saved.map(\.sound.sampleRate) == [16_000, 8000])
    #expect(Set(bench.log.saved.first?.gaps.map(\.reason) ?? []) == ["microphone-lost"])
    #expect(bench.log.saved.last?.gaps == [])
  }

  @Test func `A rate that AAC has not costs no pictures`() throws {
    let bench = try Bench(.small(pre: 2, post: 2), rate: 192_000)
    bench.capture(at: 5, until: 8)
    #expect(bench.log.failures == [])
    let receipt = try #require(bench.log.saved.first)
    #expect(receipt.sound.frames == 0)
    #expect(receipt.gaps.map(\.reason) == ["microphone-rate"])
    let content = try ClipContent(bench, receipt.id)
    #expect(content.isUnbroken)
    #expect(abs(content.reader.duration - 4) < 0.05)
  }
}
