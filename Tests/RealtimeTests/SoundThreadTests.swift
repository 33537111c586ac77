import CMallocCount
import Foundation
import Hardware
import LinuxHardware
import Testing

/// The drivers' real-time threads over libasound's `null` device, some hundred periods long.
@Suite(.serialized) struct SoundThreadAllocationTests {
  private static let request = SoundRequest(
    format: PCMFormat(sampleRate: 48_000, channels: 2), periodFrames: 240, bufferFrames: 960)
  private static let periods = 200

  /// Waits, with a deadline that only a broken driver meets, for a thread to get somewhere.
  private func wait(until isTrue: () -> Bool) -> Bool {
    let deadline = Date(timeIntervalSinceNow: 30)
    while !isTrue() {
      if Date() > deadline { return false }
      usleep(2000)
    }
    return true
  }

  @Test func `The capture thread does not allocate`() throws {
    let microphone = ALSAMicrophone(pcm: "null")
    let grant = try microphone.open(Self.request)
    let ring = CaptureRing(frames: 24_000, channels: grant.format.channels, blocks: 128)
    try microphone.start(into: ring)
    defer { microphone.close() }
    #expect(wait { microphone.counters.frames > 0 })
    let before = mynah_allocations_of_threads_named("microphone")
    #expect(before >= 0, "there is no thread of that name")
    // Nobody reads: the second half of the periods meets a full ring.
    #expect(wait { microphone.counters.ringOverflows >= Self.periods })
    Ceilings.check("capture-thread", mynah_allocations_of_threads_named("microphone") - before)
    Ceilings.check("capture-thread", microphone.counters.allocations)
  }

  @Test func `The speaker thread does not allocate`() throws {
    let speaker = ALSASpeaker(pcm: "null")
    let grant = try speaker.open(Self.request)
    let ring = UnsafeMutablePointer<RenderRing>.allocate(capacity: 1)
    ring.initialize(to: RenderRing(frames: 48_000, channels: grant.format.channels, rampFrames: 240))
    defer {
      ring.deinitialize(count: 1)
      ring.deallocate()
    }
    let sound = [Float](repeating: 0.25, count: 2 * 24_000)
    _ = ring.pointee.write(sound, frames: 24_000)
    ring.pointee.setRunning(true)
    try speaker.start(from: ring)
    defer { speaker.close() }
    #expect(wait { speaker.counters.frames > 0 })
    let before = mynah_allocations_of_threads_named("speaker")
    #expect(before >= 0, "there is no thread of that name")
    let start = speaker.counters.frames
    #expect(wait { speaker.counters.frames >= start + Self.periods * 240 })
    Ceilings.check("speaker-thread", mynah_allocations_of_threads_named("speaker") - before)
    Ceilings.check("speaker-thread", speaker.counters.allocations)
  }
}
