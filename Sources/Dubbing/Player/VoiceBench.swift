public import Hardware
internal import Sound
internal import Synchronization
internal import Threads

/// Where voices are made ready for the mixer: decoded, brought to its rate, made to fit their slots, and measured.
///
/// On a small processor that takes some 100 ms a voice, in which the mixer has to go on. `submit`, `take`, `cancel` and
/// `holds`: any thread; they do not block. The step does the work, a voice a step, and belongs on a lane of its own.
public final class VoiceBench: Stepper, @unchecked Sendable {
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

  private struct Queues {
    var jobs: [Job] = []
    var current: DubRung?
    var done: [Outcome] = []
    /// Grows with every `cancel`: what was on the bench then is not wanted any more.
    var turn = 0
    var tell: @Sendable () -> Void = {}
  }

  private let queues = Mutex(Queues())
  private let wake = WakeCell()

  public init() {}

  // MARK: Any thread

  /// Sets who is told whenever a voice is ready.
  func listen(_ tell: @escaping @Sendable () -> Void) { queues.withLock { $0.tell = tell } }

  func submit(_ job: Job) {
    queues.withLock { $0.jobs.append(job) }
    wake.call()
  }

  /// What is done since the last call.
  func take() -> [Outcome] {
    queues.withLock { queues in
      defer { queues.done = [] }
      return queues.done
    }
  }

  /// Whether a voice of this rung is on the bench.
  func holds(_ rung: DubRung) -> Bool {
    queues.withLock { queues in
      queues.current == rung || queues.jobs.contains { $0.rung == rung } || queues.done.contains { $0.job.rung == rung }
    }
  }

  /// Forgets everything on it.
  func cancel() {
    queues.withLock { queues in
      queues.jobs = []
      queues.done = []
      queues.current = nil
      queues.turn += 1
    }
  }

  // MARK: Stepper

  public func attach(wake: @escaping @Sendable () -> Void) { self.wake.set(wake) }

  public func step(now: Instant) -> Instant? {
    let work: (Job, Int)? = queues.withLock { queues in
      guard !queues.jobs.isEmpty else { return nil }
      let job = queues.jobs.removeFirst()
      queues.current = job.rung
      return (job, queues.turn)
    }
    guard let (job, turn) = work else { return nil }
    let outcome = Outcome(job: (job.slot, job.rung, job.start), voice: Self.ready(job))
    let (tell, hasMore) = queues.withLock { queues in
      if queues.turn == turn {
        queues.current = nil
        queues.done.append(outcome)
      }
      return (queues.tell, !queues.jobs.isEmpty)
    }
    tell()
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
