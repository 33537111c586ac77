internal import Hardware
internal import Media

/// Fetches what a stream begins with, and tries again while that has a chance. One thread, which it never blocks.
final class StreamOpening {
  enum Outcome {
    /// To be asked again at this time, or when the network wakes.
    case waiting(Instant?)
    case opened(Playlist)
    /// No playlist, but sound itself.
    case sound(RadioProgramme.Beginning)
    /// It can never be played.
    case failed(StreamFault)
  }

  let url: String
  private let network: any Network
  private let limits: PlaylistLimits
  private let wake: @Sendable () -> Void
  private var fetch: (any HTTPTransfer)?
  private var body: [UInt8] = []
  /// So many bytes are waited for until sound is looked for in them: not with each few that come.
  private var nextLook = 0
  private static let lookStep = 4096
  /// Servers that keep their lists compressed send them so to everybody: it is asked for as a list, which is inflated.
  private var isList = false
  private var deadline = Instant.distantFuture
  private static let patience = Duration.seconds(15)
  /// What is in so many bytes neither a list nor sound is none: frames may begin 64 KiB behind the beginning, and have
  /// to follow each other.
  private static let mostForeign = 96 << 10
  private var retry: Backoff
  private var retryAt: Instant?
  /// It has failed so often that something else is worth trying, where there is anything else.
  var isFailing: Bool { retry.failures >= 2 }
  /// Since when nothing at all has been answered.
  private(set) var silentSince: Instant?
  /// Why it takes long; `nil` while all is well.
  private(set) var trouble: String?

  init(
    url: String, notBefore: Instant? = nil, network: any Network, limits: PlaylistLimits, seed: UInt64,
    wake: @escaping @Sendable () -> Void
  ) {
    self.url = url
    self.network = network
    self.limits = limits
    self.wake = wake
    retry = Backoff(seed: seed)
    retryAt = notBefore
  }

  func step(now: Instant) -> Outcome {
    if let fetch {
      let progress = fetch.progress
      body += fetch.take()
      if !body.isEmpty { silentSince = nil }
      if fetch.head?.isCompressed == true, !isList {
        isList = true
        cancel()
        return begin(now)
      }
      switch progress {
      case .running:
        if let beginning = beginning(fetch, fetch.head ?? HTTPHead(url: url), isWhole: false) {
          return .sound(beginning)
        }
        if body.count > limits.bytes || isForeign(now) {
          let fault =
            isText
            ? StreamFault("too-large", "\(HLSTrack.name(url)): it is larger than a playlist of \(limits.bytes) bytes")
            : StreamFault("not-hls", "\(HLSTrack.name(url)): neither a playlist nor sound that can be played")
          cancel()
          return .failed(fault)
        }
        guard now >= deadline else { return .waiting([fetch.nextChange, deadline].compactMap { $0 }.min()) }
        cancel()
        let error = NetworkError(.timeout, subject: HLSTrack.name(url), reason: "it took too long: the server is slow")
        return lost(error, now)
      case .failed(let error):
        // It came at once up to where it broke off: it goes on from there.
        if body.count >= SoundStream.certainty,
          let beginning = beginning(fetch, fetch.head ?? HTTPHead(url: url), isWhole: false)
        {
          return .sound(beginning)
        }
        self.fetch = nil
        return lost(error, now)
      case .finished(let response):
        body += response.body
        trouble = nil
        let head = fetch.head ?? HTTPHead(url: response.url)
        if let beginning = beginning(fetch, head, isWhole: true) { return .sound(beginning) }
        self.fetch = nil
        do throws(PlaylistError) {
          return .opened(try Playlist(body, url: response.url, limits: limits))
        } catch {
          return .failed(StreamFault(error))
        }
      }
    }
    if let retryAt, retryAt > now { return .waiting(retryAt) }
    return begin(now)
  }

  private func begin(_ now: Instant) -> Outcome {
    (body, nextLook) = ([], 0)
    deadline = now + Self.patience
    silentSince = silentSince ?? now
    let request =
      isList
      ? HTTPRequest(url: url, largest: limits.bytes, timeout: Self.patience) : RadioProgramme.request(url)
    let new = network.fetch(request, wake: wake)
    fetch = new
    return .waiting(new.nextChange)
  }

  private func lost(_ error: NetworkError, _ now: Instant) -> Outcome {
    if case .status = error.kind { silentSince = nil }
    guard let time = retry.ended(.failed(error), at: now) else { return .failed(StreamFault(error)) }
    retryAt = time
    if retry.failures > 1 { trouble = "\(error)" }
    return .waiting(time)
  }

  /// What has come, if it is sound.
  private func beginning(_ transfer: any HTTPTransfer, _ head: HTTPHead, isWhole: Bool) -> RadioProgramme.Beginning? {
    guard body.count >= SoundStream.beginning, isWhole || body.count >= nextLook, !isText else {
      return nil
    }
    // Slow stations bring little at a time.
    nextLook = body.count + min(Self.lookStep, 64 + body.count / 2)
    if body.count < SoundStream.certainty { nextLook = min(nextLook, SoundStream.certainty) }
    guard let kind = SoundStream.Kind(beginning: body, contentType: head.contentType, isLast: isWhole) else {
      return nil
    }
    fetch = nil
    return RadioProgramme.Beginning(
      url: url, kind: kind, transfer: transfer, head: head, bytes: body, isWhole: isWhole)
  }

  /// Whatever a server calls it, sound or a list, a list begins like one, or has no such bytes as there are in any sound.
  private var isText: Bool {
    let head = body.prefix(12)
    // Of text in UTF-16, which begins like MP3, or has zeros in it.
    if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF, 0]) { return true }
    return ["#EXT", "\u{FEFF}#EXT", "[play", "[Play", "[PLAY", "http", "<"].contains { head.starts(with: $0.utf8) }
      || !body.prefix(SoundStream.certainty).contains { $0 < 9 }
  }

  /// Whether what comes is something else, such as WebM or FLV: a station has no end that would tell. Of a slow one there
  /// are fewer bytes when it is given up. Before sound there may be megabytes of tags.
  private func isForeign(_ now: Instant) -> Bool {
    body.count >= (now < deadline ? Self.mostForeign : SoundStream.certainty) && !isText
      && !body.starts(with: "ID3".utf8)
  }

  func cancel() {
    fetch?.cancel()
    fetch = nil
    body = []
  }
}
