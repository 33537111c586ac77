public import Hardware
internal import Synchronization

/// A text that is to be spoken.
public struct SpeechRequest: Hashable, Sendable {
  /// The asker's own number for it.
  public var id: Int
  public var text: String
  public var language: String

  public init(id: Int, text: String, language: String) {
    self.id = id
    self.text = text
    self.language = language
  }
}

/// A text that was spoken.
public struct SpokenText: Hashable, Sendable {
  public var id: Int
  public var language: String
  /// One channel at 48 kHz; `nil` if it could not be spoken.
  public var samples: [Float]?
}

/// Where one lane asks for speech and another makes it: queues with bounds between them.
///
/// `ask`, `take`, `cancel`, `languages`: any thread; they do not block. The steps do the work, one text a step, and belong
/// on a lane of their own, so that decoding never waits for them.
public final class SpeechDesk: Stepper, @unchecked Sendable {
  private struct Queues {
    var requests: [SpeechRequest] = []
    var spoken: [SpokenText] = []
    /// Grows with every `cancel`: what was being spoken then is not wanted any more.
    var turn = 0
    var languages: [String] = []
    var problem: String?
    var wake: @Sendable () -> Void = {}
    var tell: @Sendable () -> Void = {}
  }

  /// Texts that may wait, and spoken ones that may wait to be taken.
  public static let limit = 8

  private let queues = Mutex(Queues())
  private let open: () throws(SpeechError) -> SpeechEngine
  private var engine: SpeechEngine?
  private var hasTried = false

  /// - Parameter data: finds the voices, on the desk's lane; may block on the storage.
  public init(data: @escaping () throws(SpeechError) -> SpeechData) {
    open = { () throws(SpeechError) in try SpeechEngine(data: data()) }
  }

  /// Sets who is told whenever something was spoken, or the languages became known.
  public func listen(_ tell: @escaping @Sendable () -> Void) { queues.withLock { $0.tell = tell } }

  /// Primary tags of the languages that there are voices for; empty until they are loaded.
  public var languages: [String] { queues.withLock { $0.languages } }
  /// Why there is no speech.
  public var problem: String? { queues.withLock { $0.problem } }

  /// Queues a text.
  ///
  /// - Returns: false if too many wait.
  public func ask(_ request: SpeechRequest) -> Bool {
    let wake: (@Sendable () -> Void)? = queues.withLock { queues in
      guard queues.requests.count < Self.limit, queues.problem == nil else { return nil }
      queues.requests.append(request)
      return queues.wake
    }
    wake?()
    return wake != nil
  }

  /// What has been spoken since the last call.
  public func take() -> [SpokenText] {
    let (spoken, wake) = queues.withLock { queues in
      defer { queues.spoken = [] }
      return (queues.spoken, queues.spoken.count >= Self.limit ? queues.wake : nil)
    }
    wake?()
    return spoken
  }

  /// Forgets everything that waits.
  public func cancel() {
    queues.withLock { queues in
      queues.requests = []
      queues.spoken = []
      queues.turn += 1
    }
  }

  // MARK: Stepper

  public func attach(wake: @escaping @Sendable () -> Void) { queues.withLock { $0.wake = wake } }

  public func step(now: Instant) -> Instant? {
    if !hasTried { begin() }
    guard let engine else { return nil }
    let work: (SpeechRequest, Int)? = queues.withLock { queues in
      guard !queues.requests.isEmpty, queues.spoken.count < Self.limit else { return nil }
      return (queues.requests.removeFirst(), queues.turn)
    }
    guard let (request, turn) = work else { return nil }
    var samples: [Float]?
    do throws(SpeechError) { samples = try engine.speak(request.text, language: request.language) } catch {}
    let spoken = SpokenText(id: request.id, language: request.language, samples: samples)
    let (tell, hasMore) = queues.withLock { queues in
      if queues.turn == turn { queues.spoken.append(spoken) }
      return (queues.tell, !queues.requests.isEmpty && queues.spoken.count < Self.limit)
    }
    tell()
    return hasMore ? now : nil
  }

  private func begin() {
    hasTried = true
    do throws(SpeechError) {
      let engine = try open()
      self.engine = engine
      queues.withLock { $0.languages = engine.languages }
    } catch {
      queues.withLock { queues in
        queues.problem = error.description
        queues.requests = []
      }
    }
    queues.withLock { $0.tell }()
  }
}
