/// What is in the player, and what is done with it. The dictaphone and the clips have one each; the player itself is
/// one, and has in it what is of the mode that claimed it last.
public struct Playback: Hashable, Sendable {
  public enum Phase: Hashable, Sendable {
    case stopped
    case playing
    case paused
  }

  public private(set) var phase: Phase
  /// The take or clip in the player; the one last recorded or chosen.
  public private(set) var loaded: TakeReference?
  /// The direction of a held LEFT (−1) or RIGHT (+1) while scrubbing, else 0.
  public private(set) var scrubbing: Int
  /// It was chosen and the player has not opened it yet: what the player reports is of the one before.
  public private(set) var isLoading = false

  public init(_ phase: Phase = .stopped, of loaded: TakeReference? = nil, scrubbing: Int = 0) {
    self.phase = phase
    self.loaded = loaded
    self.scrubbing = scrubbing
  }

  // MARK: Orders

  /// Whether something is loaded that can be played here.
  private func isPlayable(_ transition: inout Transition) -> Bool {
    if let loaded, !loaded.isSealed { return true }
    transition.refuse(loaded == nil ? .nothingLoaded : .sealed)
    return false
  }

  /// Goes on with what is in the player.
  mutating func play(_ transition: inout Transition) {
    guard isPlayable(&transition) else { return }
    guard transition.health.hasSpeaker else {
      transition.refuse(.deviceMissing(.speaker))
      return
    }
    phase = .playing
    transition.player(.play)
  }

  /// Opens a file where it was left, or at its beginning, and plays it.
  ///
  /// - Returns: whether it is being opened.
  mutating func open(_ file: TakeReference, fromStart: Bool, _ transition: inout Transition) -> Bool {
    guard !file.id.isEmpty else {
      transition.refuse(.nothingLoaded)
      return false
    }
    guard !file.isSealed else {
      transition.refuse(.sealed)
      return false
    }
    guard transition.health.hasSpeaker else {
      transition.refuse(.deviceMissing(.speaker))
      return false
    }
    letGo(&transition)
    loaded = file
    isLoading = true
    phase = .playing
    transition.player(.load(id: file.id, playing: true, fromStart: fromStart))
    return true
  }

  mutating func pause(_ transition: inout Transition) {
    phase = .paused
    transition.player(.pause)
  }

  /// Stops and keeps the position.
  mutating func stop(_ transition: inout Transition) {
    letGo(&transition)
    phase = .stopped
    transition.player(.stop)
  }

  mutating func seek(by seconds: Double, _ transition: inout Transition) {
    guard isPlayable(&transition) else { return }
    guard seconds.isFinite, seconds != 0 else {
      transition.refuse(.atLimit)
      return
    }
    transition.player(.seek(by: seconds))
  }

  /// Repeats what lies between two places, or (`nil`) no longer.
  mutating func loop(_ seconds: ClosedRange<Double>?, _ transition: inout Transition) {
    guard isPlayable(&transition) else { return }
    transition.player(.loop(seconds))
  }

  mutating func scrub(_ direction: Int, _ transition: inout Transition) {
    guard isPlayable(&transition) else { return }
    scrubbing = direction
    transition.player(.scrub(direction: direction))
  }

  /// To one of these frames, the next or the previous.
  mutating func skip(_ direction: Int, among frames: [Int], _ transition: inout Transition) {
    guard isPlayable(&transition) else { return }
    transition.player(.skip(direction: direction, among: frames))
  }

  /// The key that scrubs has lost its meaning.
  mutating func letGo(_ transition: inout Transition) {
    guard scrubbing != 0 else { return }
    scrubbing = 0
    transition.player(.scrub(direction: 0))
  }

  /// Puts a file into the player, at its beginning, without playing it.
  mutating func load(_ file: TakeReference, _ transition: inout Transition) {
    loaded = file
    // Of what is sealed the player is told nothing: what it reports is of the one before.
    isLoading = file.isSealed
    if !file.isSealed { transition.player(.load(id: file.id, playing: false, fromStart: true)) }
  }

  /// The player has been the other mode's: what was in it here comes back.
  mutating func reload(_ transition: inout Transition) {
    isLoading = loaded != nil
    if let loaded, !loaded.isSealed { transition.player(.load(id: loaded.id, playing: false, fromStart: false)) }
  }

  /// It has another name, or the like.
  mutating func renew(_ file: TakeReference) { if loaded?.id == file.id { loaded = file } }

  /// The file is no more.
  mutating func unload(_ id: String, _ transition: inout Transition) {
    // The safety take goes with its take.
    guard let loaded, loaded.id == id || loaded.id.hasPrefix(id.prefix { $0 != "." } + ".safety.") else { return }
    stop(&transition)
    self.loaded = nil
    isLoading = false
  }

  /// The file is no more, and the player has another mode's in it.
  mutating func forget(_ id: String) {
    if loaded?.id == id { loaded = nil }
  }

  // MARK: Reports

  /// - Parameters:
  ///   - isFree: nothing is being recorded.
  ///   - marks: those of what is loaded, where it has any.
  mutating func handle(_ report: PlayerReport, isFree: Bool, marks: MarkList? = nil, _ transition: inout Transition) {
    switch report {
    case .loaded(let file, _):
      // A take that nobody asked for is the one from before the restart; a stale answer is not.
      guard loaded?.id == file.id || (loaded == nil && isFree) else { return }
      var opened = file
      // The player knows the file, not what people call it.
      if let loaded, loaded.id == file.id, loaded.displayName != file.id { opened.keepWords(of: loaded) }
      loaded = opened
      isLoading = false
    case .marked(let frame):
      if let loaded { transition.tellMark(in: loaded, frame: frame, number: marks?.number(at: frame)) }
    case .looped(let start, let end): if let loaded { transition.tellLoop(of: loaded, from: start, to: end) }
    case .brokeOff(let code, let text): if loaded != nil, isFree, !isLoading { transition.fail(code, text) }
    case .ended:
      // While another file is being opened, it is the one before that has ended.
      guard isFree, let loaded, !isLoading, phase != .stopped || scrubbing != 0 else { return }
      letGo(&transition)
      phase = .stopped
      transition.player(.load(id: loaded.id, playing: false, fromStart: true))
    case .failed(let code, let text):
      transition.fail(code, text, device: code == "device-lost" ? .speaker : nil)
      letGo(&transition)
      phase = .stopped
      isLoading = false
      // A speaker that failed does not make the take unplayable.
      if code != "device-lost" { loaded = nil }
    }
  }
}
