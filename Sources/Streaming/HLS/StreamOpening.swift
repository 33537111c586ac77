internal import Hardware

/// Fetches what a stream begins with, and tries again while that has a chance. One thread, which it never blocks.
final class StreamOpening {
  enum Outcome {
    /// To be asked again at this time, or when the network wakes.
    case waiting(Instant?)
    case opened(Playlist)
    /// It can never be played.
    case failed(StreamFault)
  }

  private let url: String
  private let network: any Network
  private let limits: PlaylistLimits
  private let wake: @Sendable () -> Void
  private var fetch: (any HTTPTransfer)?
  private var retry: Backoff
  private var retryAt: Instant?
  /// Why it takes long; `nil` while all is well.
  private(set) var trouble: String?

  init(
    url: String, network: any Network, limits: PlaylistLimits, seed: UInt64, wake: @escaping @Sendable () -> Void
  ) {
    self.url = url
    self.network = network
    self.limits = limits
    self.wake = wake
    retry = Backoff(seed: seed)
  }

  func step(now: Instant) -> Outcome {
    if let fetch {
      switch fetch.progress {
      case .running: return .waiting(fetch.nextChange)
      case .failed(let error):
        self.fetch = nil
        guard let time = retry.ended(.failed(error), at: now) else { return .failed(StreamFault(error)) }
        retryAt = time
        if retry.failures > 1 { trouble = "\(error)" }
      case .finished(let response):
        self.fetch = nil
        trouble = nil
        do throws(PlaylistError) {
          return .opened(try Playlist(response.body, url: response.url, limits: limits))
        } catch {
          return .failed(StreamFault(error))
        }
      }
    }
    if let retryAt, retryAt > now { return .waiting(retryAt) }
    let new = network.fetch(HTTPRequest(url: url, largest: limits.bytes, timeout: .seconds(15)), wake: wake)
    fetch = new
    return .waiting(new.nextChange)
  }

  func cancel() {
    fetch?.cancel()
    fetch = nil
  }
}
