internal import Hardware
internal import Media

/// Carries out a `LoaderPlan`: one media playlist and its segments, through the network. One thread, which it never
/// blocks.
final class HLSTrack {
  private struct Switch {
    var url: String
    var fetch: any HTTPTransfer
  }

  private let network: any Network
  private let wake: @Sendable () -> Void
  private let limits: HLSLimits
  private let variables: PlaylistVariables
  private(set) var url: String
  /// The one that was asked for first.
  let firstURL: String
  private(set) var plan: LoaderPlan
  private let segments: SegmentFetcher

  private var playlistFetch: (any HTTPTransfer)?
  private var pendingSwitch: Switch?
  private var linkUps: Int
  /// Why it can never be played.
  private(set) var failure: StreamFault?
  /// What went wrong with a playlist last.
  private var playlistProblem: String?
  /// Address to which the last change failed.
  private var failedChange: String?
  /// The number behind the last segment of lists that were left while nothing came of them, by their addresses.
  private var left: [String: Int] = [:]
  /// What was passed over in the playlist that came last.
  private(set) var remarks: [String] = []

  /// What went wrong last, for people.
  var problem: String? { playlistProblem ?? segments.problem }

  /// - Parameters:
  ///   - playlist: if it has been read already.
  ///   - measured: told of each segment's bytes, and how long they took.
  ///   - mayBeElsewhere: whether there is another variant that may have what cannot be had here.
  init(
    url: String, playlist: MediaPlaylist? = nil, start: LoaderPlan.Start = .natural, variables: PlaylistVariables,
    network: any Network, limits: HLSLimits, seed: UInt64, now: Instant, wake: @escaping @Sendable () -> Void,
    measured: @escaping (Int, Duration) -> Void = { _, _ in }, mayBeElsewhere: @escaping () -> Bool = { false }
  ) {
    self.url = url
    firstURL = url
    self.variables = variables
    self.network = network
    self.limits = limits
    self.wake = wake
    linkUps = network.linkUps
    segments = SegmentFetcher(
      network: network, limits: limits, wake: wake, measured: measured, mayBeElsewhere: mayBeElsewhere)
    plan = LoaderPlan(start: start, seed: seed)
    if let playlist {
      remark(playlist)
      plan.playlistRequested(now: now)
      plan.playlistCame(playlist, now: now)
      refuseVoid(playlist)
    }
  }

  /// Segments that are held whole or being fetched.
  var held: Int { segments.held }

  /// Bytes that are held.
  var heldBytes: Int { (plan.playlist?.heldBytes ?? 0) + segments.heldBytes }

  var waiting: Int { segments.waiting }

  /// Nothing is left to be taken, and nothing will come.
  var isOver: Bool { segments.waiting == 0 && plan.isOver }

  /// The next segment, in order.
  func take() -> LoadedSegment? { segments.take() }

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
    for _ in 0..<8 where segments.step(&plan, now: now, room: room - held) {}
    // What is due already waits for room.
    let due = plan.wake.flatMap { $0 > now ? $0 : nil }
    return [
      due, playlistFetch?.nextChange, pendingSwitch?.fetch.nextChange, segments.nextChange,
    ].compactMap { $0 }.min()
  }

  func seek(to time: Duration) {
    segments.clear()
    plan.seek(to: time)
  }

  /// Goes over to another playlist of the same stream as soon as that is there.
  func change(to url: String) {
    guard url != self.url, pendingSwitch?.url != url else { return }
    pendingSwitch?.fetch.cancel()
    pendingSwitch = Switch(url: url, fetch: DataAddress.fetch(playlistRequest(url), network, wake: wake))
  }

  /// Another playlist is on its way.
  var isChanging: Bool { pendingSwitch != nil }

  /// Address to which the last change failed; asking forgets it.
  func takeFailedChange() -> String? {
    defer { failedChange = nil }
    return failedChange
  }

  func close() {
    playlistFetch?.cancel()
    pendingSwitch?.fetch.cancel()
    (playlistFetch, pendingSwitch) = (nil, nil)
    segments.clear()
    failure = failure ?? .closed
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
        playlistProblem = "\(error)"
        if !plan.playlistFailed(error, now: now) { failure = StreamFault(error) }
      case .finished(let response):
        playlistFetch = nil
        do throws(PlaylistError) {
          let playlist = try MediaPlaylist(
            response.body, url: response.url, imported: variables, limits: limits.playlist,
            follows: plan.playlist != nil)
          remark(playlist)
          if plan.playlist == nil { refuseVoid(playlist) }
          plan.playlistCame(playlist, now: now)
        } catch {
          playlistProblem = "\(error)"
          let isFinal = error.kind == .silent || error.kind == .encrypted
          if !plan.playlistDamaged("\(error)", now: now) || isFinal { failure = StreamFault(error) }
        }
      }
    }
    if failure == nil, plan.needsPlaylist(now: now) {
      plan.playlistRequested(now: now)
      playlistFetch = DataAddress.fetch(playlistRequest(url), network, wake: wake)
    }
  }

  /// What is empty from the beginning on, and stays so, is not waited for.
  private func refuseVoid(_ playlist: MediaPlaylist) {
    guard playlist.isVoid else { return }
    failure = StreamFault("malformed", "\(Self.name(playlist.url)): no segment in it")
  }

  private func remark(_ playlist: MediaPlaylist) {
    remarks = playlist.remarks.map { "\(Self.name(playlist.url)), \($0)" }
  }

  private func stepSwitch(_ now: Instant) {
    guard let pending = pendingSwitch else { return }
    switch pending.fetch.progress {
    case .running: return
    case .failed(let error):
      playlistProblem = "\(error)"
      failedChange = pending.url
    case .finished(let response):
      do throws(PlaylistError) {
        let playlist = try MediaPlaylist(
          response.body, url: response.url, imported: variables, limits: limits.playlist)
        // What stands still since would be heard again.
        guard playlist.isEnded || left[pending.url] != playlist.endSequence else {
          failedChange = pending.url
          break
        }
        left[url] = plan.isFailing ? plan.playlist?.endSequence : nil
        playlistFetch?.cancel()
        playlistFetch = nil
        segments.cancel()
        url = pending.url
        remark(playlist)
        plan.adopt(playlist, now: now)
      } catch {
        playlistProblem = "\(error)"
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
