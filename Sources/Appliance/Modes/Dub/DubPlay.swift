internal import Hardware

/// What dubbed playback is doing. The raw value follows `dub.` in the mode's name.
public enum DubActivity: String, Hashable, Sendable, CaseIterable {
  /// Nothing plays; the list of what could is shown.
  case idle
  /// Something is chosen, and nothing of it can be heard yet, or not at the moment.
  case buffering
  /// Sound comes out of the speaker, or would if it were not paused.
  case playing
}

/// A source that is played, from its start to its end, as the player reports of it.
public struct DubPlay: Hashable, Sendable {
  public let source: DubSource
  /// Nothing of it can be heard yet, or not at the moment.
  public var isBuffering = true
  /// CENTRE has stopped the sound for a while.
  public var isPaused = false
  /// What is heard of the ladder.
  public var rung = HeardRung.original
  /// Why it buffers, or why nothing better is heard, in words; empty if there is nothing to say.
  public var reason = ""
  /// The stream or the service cannot be reached at the moment.
  public var isLinkLost = false
  /// Languages that can be heard of it; empty while not known.
  public var languages: [String] = []
  /// The direction of a held LEFT (−1) or RIGHT (+1) while scrubbing, else 0.
  public var scrubbing = 0

  /// More languages are not offered.
  static let mostLanguages = 32
  static let linkLostCode = "link-lost"

  public init(of source: DubSource) { self.source = source }

  /// What was heard was of another language, or is no longer wanted.
  mutating func hearOriginal() {
    rung = .original
    reason = ""
  }

  /// The key that scrubs has lost its meaning.
  mutating func letGo(_ transition: inout Transition) {
    guard scrubbing != 0 else { return }
    scrubbing = 0
    transition.dub(.scrub(direction: 0))
  }

  // MARK: Reports

  /// - Parameter isOn: a dub is wanted.
  mutating func handle(_ report: DubReport, isOn: Bool, _ transition: inout Transition) {
    switch (report, isBuffering) {
    case (.buffering(let why), _):
      isBuffering = true
      reason = why
    case (.playing, true):
      isBuffering = false
      reason = ""
    case (.playing, false): break
    case (.rung(let heard, let why), _):
      // What was on its way when the dub was switched off is not heard.
      guard isOn || heard == .original else { return }
      rung = heard
      reason = why
    case (.languages(let offered), _): offer(offered)
    case (.linkLost(let text), _): loseLink(text, &transition)
    case (.linkRestored, _): restoreLink(&transition)
    case (.ended, _), (.failed, _): break  // It is over: see `DubState`.
    }
  }

  private mutating func offer(_ offered: [String]) {
    languages = []
    // What cannot be chosen would be where the row of the language ends: strangers write `es_MX`, and worse.
    for language in offered.map({ String($0.map { $0 == "_" ? "-" : $0 }) })
    where Languages.isTag(language) && !languages.contains(language) {
      if languages.count < Self.mostLanguages { languages.append(language) }
    }
  }

  private mutating func loseLink(_ text: String, _ transition: inout Transition) {
    guard !isLinkLost else { return }
    isLinkLost = true
    if isBuffering { reason = text }
    transition.raise(.warning, Self.linkLostCode, .linkLost(text), for: .seconds(4))
  }

  private mutating func restoreLink(_ transition: inout Transition) {
    guard isLinkLost else { return }
    isLinkLost = false
    if isBuffering { reason = "" }
    Self.dismissLinkNotice(&transition)
    transition.raise(.information, "link-restored", .linkRestored, for: .seconds(2))
  }

  static func dismissLinkNotice(_ transition: inout Transition) {
    transition.dismissNotice { $0.code == linkLostCode }
  }
}
