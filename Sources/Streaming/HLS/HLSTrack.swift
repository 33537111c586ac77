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

  private let network: any Network
  private let wake: @Sendable () -> Void
  private let limits: HLSLimits
  private let variables: PlaylistVariables
  private(set) var url: String
  private(set) var plan: LoaderPlan
  /// Tells of transfers: bytes, and how long they took.
  var measured: (Int, Duration) -> Void = { _, _ in }

  private var playlistFetch: (any HTTPTransfer)?
  private var pendingSwitch: Switch?
  private var job: Job?
  private var loaded: [Loaded] = []
  private var keys: [(url: String, bytes: [UInt8])] = []
  private var map: (map: SegmentMap, bytes: [UInt8])?
  private var linkUps: Int
  /// Why it can never be played.
  private(set) var failure: String?
  /// What went wrong last, for people.
  private(set) var problem: String?

  /// A segment that is being fetched, with what has to be there before.
  private struct Job {
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

  /// - Returns: whether something came of it.
  private func stepSegment(_ now: Instant, room: Int) -> Bool {
    if let current = job {
      switch current.fetch.progress {
      case .running: return false
      case .failed(let error):
        job = nil
        problem = "\(error)"
        // The playlist has gone on without it.
        guard plan.next == current.segment.sequence else { return true }
        if plan.segmentFailed(current.segment, error, now: now) == .skip {
          deliver(current.segment, .missing("\(error)"), now)
        }
      case .finished(let response):
        job = nil
        finish(current, response, now)
      }
      return true
    }
    switch plan.segment(now: now, room: room) {
    case nil: return false
    case .skip(let segment, let reason): deliver(segment, .missing(reason), now)
    case .fetch(let segment):
      plan.segmentRequested()
      begin(segment)
    }
    return true
  }

  /// Asks for what of a segment is not there yet: key, initialisation section, the segment.
  private func begin(_ segment: MediaSegment) {
    let part: Job.Part
    var request = HTTPRequest(url: segment.url, range: segment.range, largest: limits.segmentBytes)
    if let key = segment.key ?? segment.map?.key, self.key(key.url) == nil {
      part = .key(key.url)
      request = HTTPRequest(url: key.url, largest: 1024, timeout: .seconds(10))
    } else if let key = segment.map?.key, self.key(key.url) == nil {
      part = .key(key.url)
      request = HTTPRequest(url: key.url, largest: 1024, timeout: .seconds(10))
    } else if let map = segment.map, self.map?.map != map {
      part = .map(map)
      request = HTTPRequest(url: map.url, range: map.range, largest: 1 << 20, timeout: .seconds(10))
    } else {
      part = .segment
    }
    job = Job(segment: segment, part: part, fetch: network.fetch(request, wake: wake))
  }

  private func finish(_ job: Job, _ response: HTTPResponse, _ now: Instant) {
    var bytes = response.body
    do throws(MediaError) {
      switch job.part {
      case .key(let url):
        guard bytes.count == 16 else {
          throw MediaError(
            .damaged, subject: HLSTrack.name(url), operation: "use the key",
            reason: "\(bytes.count) bytes; AES-128 needs 16")
        }
        keys.removeAll { $0.url == url }
        keys.append((url, bytes))
        if keys.count > 4 { keys.removeFirst() }
        begin(job.segment)
      case .map(let map):
        try decrypt(&bytes, map.key, sequence: 0, name: map.url)
        self.map = (map, bytes)
        begin(job.segment)
      case .segment:
        measured(bytes.count, response.finished - response.requested)
        try decrypt(&bytes, job.segment.key, sequence: job.segment.sequence, name: job.segment.url)
        let initialization = job.segment.map == nil ? [] : map?.bytes ?? []
        deliver(job.segment, .bytes(bytes, initialization: initialization), now)
      }
    } catch {
      // Trying again would bring the same bytes.
      problem = "\(error)"
      deliver(job.segment, .missing("\(error)"), now)
    }
  }

  private func decrypt(
    _ bytes: inout [UInt8], _ key: SegmentKey?, sequence: Int, name: String
  ) throws(MediaError) {
    guard let key, let secret = self.key(key.url) else { return }
    try SegmentCipher.decrypt(
      &bytes, key: secret, vector: key.vector(sequence: sequence), name: HLSTrack.name(name))
  }

  private func key(_ url: String) -> [UInt8]? { keys.first { $0.url == url }?.bytes }

  private func deliver(_ segment: MediaSegment, _ content: Loaded.Content, _ now: Instant) {
    let isBreak = plan.breakAt == segment.sequence
    var wasSkipped = false
    if case .missing = content { wasSkipped = true }
    plan.segmentDone(segment, now: now, wasSkipped: wasSkipped)
    loaded.append(Loaded(segment: segment, content: content, isAfterBreak: isBreak))
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

extension HLSTrack.Loaded {
  fileprivate var hasBytes: Bool {
    if case .bytes = content { true } else { false }
  }
}
