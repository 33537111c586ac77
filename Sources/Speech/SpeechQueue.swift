public import Hardware
internal import Synchronization
internal import Threads

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
public final class SpeechQueue: Stepper, @unchecked Sendable {
  private struct State {
    var languages: [String] = []
    var problem: String?
  }

  /// Texts that may wait, and spoken ones that may wait to be taken.
  public static let limit = 8

  private let queue = WorkQueue<SpeechRequest, SpokenText>(limit: limit)
  private let state = Mutex(State())
  private let open: () throws(SpeechError) -> SpeechEngine
  private var engine: SpeechEngine?
  private var hasTried = false

  /// - Parameter data: finds the voices, on the queue's lane; may block on the storage.
  public init(data: @escaping () throws(SpeechError) -> SpeechData) {
    open = { () throws(SpeechError) in try SpeechEngine(data: data()) }
  }

  /// Sets the function that is called after each text, and once the languages are known.
  public func listen(_ tell: @escaping @Sendable () -> Void) { queue.listen(tell) }

  /// Primary tags of the languages that there are voices for; empty until they are loaded.
  public var languages: [String] { state.withLock { $0.languages } }
  /// Why there is no speech.
  public var problem: String? { state.withLock { $0.problem } }

  /// Queues a text.
  ///
  /// - Returns: false if too many wait, or if there is no speech.
  public func ask(_ request: SpeechRequest) -> Bool { queue.submit(request) }

  /// What has been spoken since the last call.
  public func take() -> [SpokenText] { queue.take() }

  /// Forgets everything that waits.
  public func cancel() { queue.cancel() }

  // MARK: Stepper

  public func attach(wake: @escaping @Sendable () -> Void) { queue.attach(wake: wake) }

  public func step(now: Instant) -> Instant? {
    if !hasTried { begin() }
    guard let engine else { return nil }
    let hasMore = queue.work { request in
      var samples: [Float]?
      do throws(SpeechError) { samples = try engine.speak(request.text, language: request.language) } catch {}
      return SpokenText(id: request.id, language: request.language, samples: samples)
    }
    return hasMore ? now : nil
  }

  private func begin() {
    hasTried = true
    do throws(SpeechError) {
      let engine = try open()
      self.engine = engine
      state.withLock { $0.languages = engine.languages }
    } catch {
      state.withLock { $0.problem = error.description }
      queue.close()
    }
    queue.tell()
  }
}
