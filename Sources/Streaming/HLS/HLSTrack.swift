internal import Hardware
internal import Media

/// Carries out a `LoaderPlan`: one media playlist and its segments, through the network. One thread, which it never
/// blocks.
final class HLSTrack {
  /// What became of a segment.
  struct Loaded {
    enum Content {
      case bytes([UInt8], initialization: [UInt8])
      /// It is left out, because of this.
      case missing(String)
    }

    var segment: MediaSegment
    var content: Content
    /// Segments before it were left out without being mentioned.
    var isAfterBreak: Bool
  }

  private struct Switch {
    var url: String
    var fetch: any HTTPTransfer
  }

  let network: any Network
  let wake: @Sendable () -> Void
  let limits: HLSLimits
  private let variables: PlaylistVariables
  private(set) var url: String
  var plan: LoaderPlan
  /// Tells of transfers: bytes, and how long they took.
  var measured: (Int, Duration) -> Void = { _, _ in }

  private var playlistFetch: (any HTTPTransfer)?
  private var pendingSwitch: Switch?
  var job: Job?
  var loaded: [Loaded] = []
  var keys: [(url: String, bytes: [UInt8])] = []
  var map: (map: SegmentMap, bytes: [UInt8])?
  private var linkUps: Int
  /// Why it can never be played.
  private(set) var failure: String?
  /// What went wrong last, for people.
  var problem: String?

  /// A segment that is being fetched, with what has to be there before.
  struct Job {
    enum Part { case key(String), map(SegmentMap), segment }

    var segment: MediaSegment
    var part: Part
    var fetch: any HTTPTransfer
  }

  /// - Parameter playlist: if it has been read already.
  init(
    url: String, playlist: MediaPlaylist? = nil, start: LoaderPlan.Start = .natural, variables: PlaylistVariables,
    network: any Network, limits: HLSLimits, seed: UInt64, now: Instant, wake: @escaping @Sendable () -> Void
  ) {
    self.url = url
    self.variables = variables
    self.network = network
    self.limits = limits
    self.wake = wake
    linkUps = network.linkUps
    plan = LoaderPlan(start: start, seed: seed)
    if let playlist {
      plan.playlistRequested(now: now)
      plan.playlistCame(playlist, now: now)
    }
  }

  /// Segments that are held whole or being fetched.
  var held: Int { loaded.filter(\.hasBytes).count + (job == nil ? 0 : 1) }

  /// Bytes that are held.
  var heldBytes: Int {
    var sum = (plan.playlist?.heldBytes ?? 0) + (map?.bytes.count ?? 0)
    for case .bytes(let bytes, _) in loaded.map(\.content) { sum += bytes.count }
    if case .running(let received) = job?.fetch.progress { sum += received }
    return sum
  }

  var waiting: Int { loaded.count }

  /// Nothing is left to be taken, and nothing will come.
  var isOver: Bool { loaded.isEmpty && plan.isOver }

  /// The next segment, in order.
  func take() -> Loaded? { loaded.isEmpty ? nil : loaded.removeFirst() }

  /// The segment that is the next to be taken, as far as it is known.
  func peek() -> MediaSegment? { loaded.first?.segment }

  /// The segment that is fetched next.
  func upcoming() -> MediaSegment? { plan.next.flatMap { plan.segment(numbered: $0) } }

  /// A segment by its number, as the playlist has it now.
  func segment(numbered sequence: Int) -> MediaSegment? { plan.segment(numbered: sequence) }

  /// The segment in which a time of the playlist lies, as the playlist has it now.
  func segment(at time: Duration) -> MediaSegment? { plan.segment(at: time) }

  /// - Parameter room: segments that may be held, those included that were taken and are in use.
  /// - Returns: when something is due.
  func step(now: Instant, room: Int) -> Instant? {
    guard failure == nil else { return nil }
    if network.linkUps != linkUps {
      linkUps = network.linkUps
      plan.linkCameUp(now: now)
    }
    stepPlaylist(now)
    stepSwitch(now)
    // More than one may finish at once: a skipped one costs nothing.
    for _ in 0..<8 where stepSegment(now, room: room - held) {}
    return [
      plan.wake, playlistFetch?.nextChange, pendingSwitch?.fetch.nextChange, job?.fetch.nextChange,
    ].compactMap { $0 }.min()
  }

  func seek(to time: Duration) {
    job?.fetch.cancel()
    job = nil
    loaded = []
    plan.seek(to: time)
  }

  /// Goes over to another playlist of the same stream as soon as that is there.
  func change(to url: String) {
    guard url != self.url, pendingSwitch?.url != url else { return }
    pendingSwitch?.fetch.cancel()
    pendingSwitch = Switch(url: url, fetch: network.fetch(playlistRequest(url), wake: wake))
  }

  /// Address to which the last change failed; asking forgets it.
  func takeFailedChange() -> String? {
    defer { failedChange = nil }
    return failedChange
  }
  private var failedChange: String?

  func close() {
    playlistFetch?.cancel()
    pendingSwitch?.fetch.cancel()
    job?.fetch.cancel()
    (playlistFetch, pendingSwitch, job) = (nil, nil, nil)
    loaded = []
    failure = failure ?? "closed"
  }

  private func playlistRequest(_ url: String) -> HTTPRequest {
    HTTPRequest(url: url, largest: limits.playlist.bytes, timeout: .seconds(15))
  }

  private func stepPlaylist(_ now: Instant) {
    if let fetch = playlistFetch {
      switch fetch.progress {
      case .running: return
      case .failed(let error):
        playlistFetch = nil
        problem = "\(error)"
        if !plan.playlistFailed(error, now: now) { failure = "\(error)" }
      case .finished(let response):
        playlistFetch = nil
        do throws(PlaylistError) {
          plan.playlistCame(
            try MediaPlaylist(response.body, url: response.url, imported: variables, limits: limits.playlist), now: now)
        } catch {
          problem = "\(error)"
          if !plan.playlistDamaged("\(error)", now: now) || error.kind == .unsupported { failure = "\(error)" }
        }
      }
    }
    if failure == nil, plan.needsPlaylist(now: now) {
      plan.playlistRequested(now: now)
      playlistFetch = network.fetch(playlistRequest(url), wake: wake)
    }
  }

  private func stepSwitch(_ now: Instant) {
    guard let pending = pendingSwitch else { return }
    switch pending.fetch.progress {
    case .running: return
    case .failed(let error):
      problem = "\(error)"
      failedChange = pending.url
    case .finished(let response):
      do throws(PlaylistError) {
        let playlist = try MediaPlaylist(
          response.body, url: response.url, imported: variables, limits: limits.playlist)
        playlistFetch?.cancel()
        playlistFetch = nil
        job?.fetch.cancel()
        job = nil
        url = pending.url
        plan.adopt(playlist, now: now)
      } catch {
        problem = "\(error)"
        failedChange = pending.url
      }
    }
    pendingSwitch = nil
  }

  /// An address as people may see it: without user name, password and parameters.
  static func name(_ url: String) -> String {
    var text = url.prefix { $0 != "?" && $0 != "#" }
    if let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") {
      let beginning = text.index(colon, offsetBy: 3)
      let authority = text[beginning...].prefix { $0 != "/" }
      if let at = authority.lastIndex(of: "@") { text = text[..<beginning] + text[text.index(after: at)...] }
    }
    return String(text)
  }
}
