public import Hardware
internal import Sound
internal import Threads

/// Where voices are made ready for the mixer: decoded, brought to its rate, made to fit their slots, and measured.
///
/// On a small processor that takes some 100 ms a voice, in which the mixer has to go on. `submit`, `take` and `cancel`: any
/// thread; they do not block. The step does the work, a voice a step, and belongs on a lane of its own.
public final class VoicePreparer: Stepper, Sendable {
  /// A voice as it comes from whoever spoke it.
  enum Raw: Sendable {
    case service(ServiceSound)
    /// One channel at 48 kHz.
    case spoken([Float])
  }

  /// A voice that is to be made ready.
  struct Job: Sendable {
    var slot: UtteranceSlot
    var rung: DubRung
    var raw: Raw
    /// The frame at which it begins, and the one before which it should end.
    var start: Int
    var end: Int
  }

  /// What became of it.
  struct Outcome: Sendable {
    var job: (slot: UtteranceSlot, rung: DubRung, start: Int)
    var voice: Result<ReadyVoice, ServiceFault>
  }

  /// Without a bound: no voice comes that was not asked for, and `DubSources` asks only so far ahead.
  private let queue = WorkQueue<Job, Outcome>()

  public init() {}

  // MARK: Any thread

  /// Sets who is told whenever a voice is ready.
  func listen(_ tell: @escaping @Sendable () -> Void) { queue.listen(tell) }

  func submit(_ job: Job) { _ = queue.submit(job) }

  /// What is done since the last call.
  func take() -> [Outcome] { queue.take() }

  /// Forgets everything on it.
  func cancel() { queue.cancel() }

  // MARK: Stepper

  public func attach(wake: @escaping @Sendable () -> Void) { queue.attach(wake: wake) }

  public func step(now: Instant) -> Instant? {
    let hasMore = queue.work { job in
      Outcome(job: (job.slot, job.rung, job.start), voice: Self.ready(job))
    }
    return hasMore ? now : nil
  }

  // MARK: The work

  private static func ready(_ job: Job) -> Result<ReadyVoice, ServiceFault> {
    let mono: [Float]
    do throws(ServiceFault) { mono = try samples(of: job.raw) } catch { return .failure(error) }
    let own = max(1, job.slot.end - job.start)
    let fitted = SlotFitter.fit(mono, own: own, slot: max(1, job.end - job.start))
    return .success(ReadyVoice(levelling: fitted.samples))
  }

  private static func samples(of raw: Raw) throws(ServiceFault) -> [Float] {
    switch raw {
    case .spoken(let samples): return samples
    case .service(let sound):
      switch sound.codec {
      case .pcm16: return RateConverter.to48k(sound.monoSamples, rate: sound.sampleRate)
      case .aac:
        guard let samples = AACSound.decode(sound.payload), !samples.isEmpty else {
          throw .undecodable("\(sound.payload.count) bytes of AAC")
        }
        return samples
      }
    }
  }
}
