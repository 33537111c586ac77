import CALSA
import Foundation
import Hardware

/// A PCM that follows a script in virtual time: what a device does that none of ours would do on command.
///
/// The port's functions get it as their `snd_pcm_t`. One thread.
final class PCMScript {
  /// What the next wait, and the read or write after it, meet.
  enum Step {
    /// So many frames, a period of time later.
    case frames(Int)
    /// Ready, and then this error.
    case failure(Int32)
    /// Nothing for as long as the wait lasts.
    case silence
    /// Ready, and then nothing.
    case lie
  }

  var steps: [Step]
  /// What follows when the script is through.
  var afterwards = Step.failure(ENODEV)
  var clock: Int64 = 5_000_000_000
  let rate: Int64
  /// Value of the next sample that is read (S16, mono), so that every frame can be told.
  var nextSample: Int16 = 0
  var written: [Int16] = []
  var calls: [String] = []
  var resumeResults: [Int32] = []
  var prepareResult: Int32 = 0
  private var current = Step.silence

  init(rate: Int, _ steps: [Step]) {
    self.rate = Int64(rate)
    self.steps = steps
  }

  var port: mynah_pcm_port {
    mynah_pcm_port(
      pcm: OpaquePointer(Unmanaged.passUnretained(self).toOpaque()),
      wait: { pcm, milliseconds in PCMScript.of(pcm).wait(Int(milliseconds)) },
      read: { pcm, target, count in PCMScript.of(pcm).read(target, Int(count)) },
      write: { pcm, source, count in PCMScript.of(pcm).write(source, Int(count)) },
      position: { pcm, time, delay in
        time?.pointee = PCMScript.of(pcm).clock
        delay?.pointee = 0
        return 0
      },
      prepare: { pcm in PCMScript.of(pcm).note("prepare", PCMScript.of(pcm).prepareResult) },
      start: { pcm in PCMScript.of(pcm).note("start", 0) },
      resume: { pcm in
        let script = PCMScript.of(pcm)
        return script.note("resume", script.resumeResults.isEmpty ? 0 : script.resumeResults.removeFirst())
      },
      now: { pcm in PCMScript.of(pcm).clock },
      sleep: { pcm, time in PCMScript.of(pcm).clock += time })
  }

  private static func of(_ pcm: OpaquePointer?) -> PCMScript {
    guard let pcm else { preconditionFailure("the port has lost its script") }
    return Unmanaged<PCMScript>.fromOpaque(UnsafeRawPointer(pcm)).takeUnretainedValue()
  }

  private func note(_ call: String, _ result: Int32) -> Int32 {
    calls.append(call)
    return result
  }

  private func wait(_ milliseconds: Int) -> Int32 {
    current = steps.isEmpty ? afterwards : steps.removeFirst()
    switch current {
    case .frames(let count): clock += Int64(count) * 1_000_000_000 / rate
    case .silence:
      clock += Int64(milliseconds) * 1_000_000
      return 0
    case .failure, .lie: break
    }
    return 1
  }

  private func read(_ target: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    switch current {
    case .frames(let available):
      let size = min(available, count)
      for index in 0..<size {
        target?.storeBytes(of: nextSample, toByteOffset: index * 2, as: Int16.self)
        nextSample &+= 1
      }
      return size
    case .failure(let code): return -Int(code)
    case .silence, .lie: return -Int(EAGAIN)
    }
  }

  private func write(_ source: UnsafeRawPointer?, _ count: Int) -> Int {
    switch current {
    case .frames(let room):
      let size = min(room, count)
      for index in 0..<size { written.append(source?.load(fromByteOffset: index * 2, as: Int16.self) ?? 0) }
      return size
    case .failure(let code): return -Int(code)
    case .silence, .lie: return -Int(EAGAIN)
    }
  }
}

/// All blocks and samples of a ring.
struct RingContents {
  var blocks: [CaptureBlock] = []
  var samples: [Float] = []

  mutating func drain(_ ring: CaptureRing) {
    while let block = ring.blocks.pointee.read() {
      blocks.append(block)
      var part = [Float](repeating: 0, count: Int(block.frames) * ring.channels)
      _ = ring.samples.pointee.read(into: &part, count: part.count)
      samples += part
    }
  }

  var kinds: [CaptureBlock.Kind] { blocks.map(\.kind) }
}
