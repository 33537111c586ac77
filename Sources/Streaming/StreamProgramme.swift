public import Hardware

/// What is at an address: a stream by HLS, web radio, or a list that leads to one, of which the first is played that can
/// be. One lane, which it never blocks.
public final class StreamProgramme: Programme {
  private let network: any Network
  private var options: HLSOptions
  private let wake: @Sendable () -> Void
  private var opening: StreamOpening?
  private var inner: (any Programme)?
  private var failure: StreamFault?
  /// What is to be tried if this one cannot be played.
  private var others: [String] = []
  /// What has failed so often that the others came first.
  private var failing: Set<String> = []
  private var trouble: String?
  private var listsLeft = 3
  private var pendingSeek: Int?
  /// Where the sound of what was played before ended.
  private var reached = 0

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
    case .waiting(let time):
      guard opening.isFailing, !others.isEmpty else { return time }
      opening.cancel()
      trouble = opening.trouble
      failing.insert(opening.url)
      others.append(opening.url)
      return goOn(after: .closed, now)
    case .failed(let fault): return goOn(after: fault, now)
    case .opened(.list(let addresses)):
      listsLeft -= 1
      guard listsLeft >= 0 else { return goOn(after: StreamFault("malformed", "lists that lead to lists"), now) }
      others = addresses + others
      return goOn(after: StreamFault("malformed", "a list without an address"), now)
    case .sound(let beginning):
      begin(
        RadioProgramme(beginning, network: network, options: options, start: reached, now: now, wake: wake))
      return step(now: now)
    case .opened(let playlist):
      begin(HLSProgramme(playlist, network: network, options: options, wake: wake))
      return step(now: now)
    }
  }

  private func step(_ inner: any Programme, _ now: Instant) -> Instant? {
    let time = inner.step(now: now)
    // What has been heard is not left for something else.
    if !others.isEmpty, case .failed(let fault) = inner.status.phase, inner.status.decodedFrames == 0 {
      return goOn(after: fault, now)
    }
    // A list of pieces of music is played one after the other.
    if !others.isEmpty, case .ended = inner.status.phase, let radio = inner as? RadioProgramme {
      reached = radio.end
      return goOn(after: .silent("the list is at its end"), now)
    }
    return time
  }

  private func begin(_ programme: any Programme) {
    (opening, trouble) = (nil, nil)
    inner = programme
    programme.setLowPower(options.isLowPower)
    if let frame = pendingSeek { programme.seek(to: frame) }
    pendingSeek = nil
  }

  private func goOn(after fault: StreamFault, _ now: Instant) -> Instant? {
    inner?.close()
    inner = nil
    guard !others.isEmpty else {
      failure = fault
      return nil
    }
    open(others.removeFirst(), now: now)
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
      return status
    }
    var status = ProgrammeStatus()
    status.phase = failure.map { .failed($0) } ?? (opening?.trouble ?? trouble).map { .stalled($0) } ?? .opening
    return status
  }

  public func nextSound() -> SoundBlock? { inner?.nextSound() }
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
