public import Hardware

/// What is at an address: a stream by HLS, web radio, or a list that leads to one, of which the first is played that can
/// be. One lane, which it never blocks.
public final class StreamProgramme: Programme {
  /// An address, and in how many lists it stands, one in the other.
  private struct Entry {
    var url: String
    var depth: Int
  }

  private let network: any Network
  private var options: HLSOptions
  private let wake: @Sendable () -> Void
  private var opening: StreamOpening?
  /// Of what is opened: in how many lists it stands.
  private var depth = 0
  private var inner: (any Programme)?
  /// Where what plays is from.
  private var playing: Entry?
  private var failure: StreamFault?
  /// What is to be tried if this one cannot be played.
  private var others: [Entry] = []
  /// What has failed so often that the others came first.
  private var failing: Set<String> = []
  private var trouble: String?
  /// Lists that have been read: each leads to what it leads to once.
  private var lists: Set<String> = []
  private var pendingSeek: Int?
  /// Where the sound of what was played before ended, and the epoch that was heard last.
  private var reached = 0
  /// What is decoded and has not been heard may be of what was played before.
  private var titles: [ProgrammeTitle] = []
  private var epoch = 0

  private static let deepestList = 4
  private static let mostLists = 64
  private static let mostOthers = 2000
  /// For what does not answer at all, where there is something else.
  private static let longestSilence = Duration.seconds(5)

  /// - Parameters:
  ///   - url: of a playlist or of sound, `http://` or `https://`.
  ///   - wake: called from the network's thread when there is something to do; must not block.
  public init(
    url: String, network: any Network, options: HLSOptions = HLSOptions(), wake: @escaping @Sendable () -> Void
  ) {
    self.network = network
    self.options = options
    self.wake = wake
    open(url)
  }

  private func open(_ url: String, now: Instant? = nil) {
    guard URLReference.isFetchable(url) else {
      failure = StreamFault("bad-address", "\(HLSTrack.name(url)) is no address that begins with http:// or https://")
      return
    }
    opening = StreamOpening(
      url: url, notBefore: failing.contains(url) ? now.map { $0 + .seconds(5) } : nil, network: network,
      limits: PlaylistLimits(), seed: options.seed, wake: wake)
  }

  public func step(now: Instant) -> Instant? {
    guard failure == nil else { return nil }
    if let inner { return step(inner, now) }
    guard let opening else { return nil }
    switch opening.step(now: now) {
    case .waiting(let time): return wait(for: opening, until: time, now)
    case .failed(let fault): return goOn(after: fault, now)
    case .opened(.list(let addresses)):
      guard depth < Self.deepestList, lists.count < Self.mostLists, lists.insert(opening.url).inserted else {
        return goOn(after: StreamFault("malformed", "lists that lead to lists"), now)
      }
      let found = addresses.map { Entry(url: $0, depth: depth + 1) } + others
      others = Array(found.prefix(Self.mostOthers))
      return goOn(after: StreamFault("malformed", "a list without an address"), now)
    case .sound(let beginning):
      begin(
        RadioProgramme(beginning, network: network, options: options, start: reached, now: now, wake: wake))
      return step(now: now)
    case .opened(let playlist):
      // Another sound follows, which has a clock of its own.
      let first = reached > 0 ? epoch + 1 : 0
      begin(
        HLSProgramme(playlist, network: network, options: options, start: reached, epoch: first, wake: wake))
      return step(now: now)
    }
  }

  /// - Returns: when to call again at the latest.
  private func wait(for opening: StreamOpening, until time: Instant?, _ now: Instant) -> Instant? {
    guard !others.isEmpty else { return time }
    // Who comes once more is waited for longer.
    let limit = failing.contains(opening.url) ? nil : opening.silentSince.map { $0 + Self.longestSilence }
    let isSilent = limit.map { now >= $0 } ?? false
    guard opening.isFailing || isSilent else { return [time, limit].compactMap { $0 }.min() }
    opening.cancel()
    let reason = opening.trouble ?? "\(HLSTrack.name(opening.url)): it does not answer"
    return leave(Entry(url: opening.url, depth: depth), because: reason, now)
  }

  /// What may come yet is tried again behind the others.
  private func leave(_ entry: Entry, because reason: String, _ now: Instant) -> Instant? {
    trouble = reason
    failing.insert(entry.url)
    others.append(entry)
    return goOn(after: .closed, now)
  }

  private func step(_ inner: any Programme, _ now: Instant) -> Instant? {
    let time = inner.step(now: now)
    // What has been heard is not left for something else.
    if !others.isEmpty, case .failed(let fault) = inner.status.phase, inner.status.decodedFrames == 0 {
      return goOn(after: fault, now)
    }
    // That its list comes is no sign that its segments do.
    if !others.isEmpty, let playing, let reason = hls?.standstill { return leave(playing, because: reason, now) }
    // A list of pieces of music is played one after the other.
    if !others.isEmpty, case .ended = inner.status.phase, inner is RadioProgramme {
      return goOn(after: .silent("the list is at its end"), now)
    }
    return time
  }

  private func begin(_ programme: any Programme) {
    playing = opening.map { Entry(url: $0.url, depth: depth) }
    (opening, trouble) = (nil, nil)
    inner = programme
    programme.setLowPower(options.isLowPower)
    if let frame = pendingSeek { programme.seek(to: frame) }
    pendingSeek = nil
  }

  private func goOn(after fault: StreamFault, _ now: Instant) -> Instant? {
    // What follows does so on the timeline too.
    if let end = (inner as? RadioProgramme)?.end ?? hls?.end { reached = end }
    if let said = inner?.status.titles, !said.isEmpty {
      let end = ProgrammeTitle(frame: reached, text: "")
      titles = Array((titles + said + [end]).suffix(RadioProgramme.mostTitles))
    }
    inner?.close()
    inner = nil
    guard !others.isEmpty else {
      failure = fault
      return nil
    }
    let next = others.removeFirst()
    depth = next.depth
    open(next.url, now: now)
    return step(now: now)
  }

  public var status: ProgrammeStatus {
    if failure == nil, let inner {
      var status = inner.status
      if case .ended = status.phase, !others.isEmpty, inner is RadioProgramme {
        // The next piece of the list follows.
        (status.phase, status.length) = (.running, nil)
      }
      // Of a list of pieces nobody knows how long they are together.
      if !others.isEmpty, inner is RadioProgramme { status.length = nil }
      if !titles.isEmpty { status.titles = titles + status.titles }
      return status
    }
    var status = ProgrammeStatus()
    status.titles = titles
    status.phase = failure.map { .failed($0) } ?? (opening?.trouble ?? trouble).map { .stalled($0) } ?? .opening
    return status
  }

  public func nextSound() -> SoundBlock? {
    guard let block = inner?.nextSound() else { return nil }
    epoch = block.epoch
    return block
  }

  public func nextCue() -> SubtitleCue? { inner?.nextCue() }
  public func nextPicture() -> ProgrammePicture? { inner?.nextPicture() }
  public func nextRemark() -> String? { inner?.nextRemark() }

  public func rendition(language: String, from frame: Int) -> (any Programme)? {
    inner?.rendition(language: language, from: frame)
  }

  public func seek(to frame: Int) { if let inner { inner.seek(to: frame) } else { pendingSeek = frame } }

  public func selectSubtitles(language: String, from frame: Int) -> Bool {
    options.subtitleLanguages = [language]
    return inner?.selectSubtitles(language: language, from: frame) ?? false
  }

  public func setLowPower(_ isLow: Bool) {
    options.isLowPower = isLow
    inner?.setLowPower(isLow)
  }

  public func close() {
    opening?.cancel()
    inner?.close()
    failure = failure ?? .closed
  }

  // MARK: For tests

  /// Bytes held: segments, decoded sound, pictures, playlists, subtitles.
  var heldBytes: Int { hls?.heldBytes ?? 0 }
  /// The stream, once its playlist is there.
  var hls: HLSProgramme? { inner as? HLSProgramme }
}
