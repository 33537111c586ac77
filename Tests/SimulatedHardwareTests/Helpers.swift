import Foundation
import Hardware
import SimulatedHardware

/// One microphone or speaker period in these tests: 20 ms at 48 kHz.
let period = 960

/// Everything a ring holds, read out as a recorder would.
struct Captured {
  var blocks: [CaptureBlock] = []
  var samples: [Float] = []

  mutating func drain(_ ring: CaptureRing) {
    while let block = ring.blocks.pointee.read() {
      blocks.append(block)
      var part = [Float](repeating: 0, count: Int(block.frames) * ring.channels)
      let count = ring.samples.pointee.read(into: &part, count: part.count)
      samples += part[0..<count]
    }
  }

  var soundFrames: Int { blocks.reduce(0) { $0 + Int($1.frames) } }
}

/// Moves a virtual clock on from wake-up to wake-up, as the runtime's scheduler does.
func run(_ clock: VirtualClock, until end: Instant, _ steppers: [any Stepper], each: () -> Void = {}) {
  while true {
    var next = end
    for stepper in steppers { next = min(next, stepper.step(now: clock.now) ?? end) }
    each()
    if clock.now >= end { return }
    clock.advance(to: max(next, clock.now + .nanoseconds(1)))
  }
}

func request(rate: Int = 48_000, channels: Int = 1, bits: Int = 16, period: Int = period) -> SoundRequest {
  SoundRequest(
    format: PCMFormat(sampleRate: rate, channels: channels, bits: bits), periodFrames: period, bufferFrames: 4 * period)
}

/// A source whose samples are their own frame numbers, modulo 30,000, as 16-bit integers.
func countingSource(format: PCMFormat? = nil) -> FunctionSource {
  FunctionSource(format: format) { frame, channel in Float((frame + channel) % 30_000) / 32_768 }
}

func storageError(_ body: () throws -> Void) -> StorageError? {
  do {
    try body()
    return nil
  } catch { return error as? StorageError }
}

func deviceError(_ body: () throws -> Void) -> DeviceError? {
  do {
    try body()
    return nil
  } catch { return error as? DeviceError }
}
