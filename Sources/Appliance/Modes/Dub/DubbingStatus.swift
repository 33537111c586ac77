/// What the world is told of dubbed playback with every change.
public struct DubbingStatus: Hashable, Sendable {
  public var activity: DubActivity
  public var isPaused: Bool
  public var isOn: Bool
  public var source: DubSource?
  public var language: String
  public var rung: HeardRung
  public var isLinkLost: Bool
  public var reason: String
}

extension State {
  /// What is told of dubbed playback.
  public var dubbingStatus: DubbingStatus {
    DubbingStatus(
      activity: dub.activity, isPaused: dub.isPaused, isOn: dub.isOn, source: dub.play?.source,
      language: settings.dubLanguage, rung: dub.rung, isLinkLost: dub.isLinkLost, reason: dub.reason)
  }
}
