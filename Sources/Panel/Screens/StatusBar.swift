internal import Appliance
internal import Hardware

extension Drawing {
  /// Draws the top line: what is being done with sound, then `title`, then on the right `value`, the signs of what
  /// is missing or low, and the lock.
  ///
  /// - Parameter fit: `.middle` for names of takes.
  mutating func statusBar(_ title: String, _ fit: Fit = .whole, value: String = "") {
    let start = activityBadge()
    let end = statusSigns(value, from: start)
    canvas.text(title, in: Area(start, 0, end - start, Self.statusHeight), fit: fit)
  }

  /// - Returns: where the title may begin.
  private mutating func activityBadge() -> Int {
    if state.scrubbing != 0 {
      return badge(state.scrubbing < 0 ? .rewind : .forward, text(.badgeScrub), isFilled: true)
    }
    if state.mode == .clips, let start = clipBadge() { return start }
    if state.mode == .dub { return dubBadge() }
    if state.mode == .feed { return feedBadge() }
    switch state.activity {
    case .idle: return 0
    case .recording: return badge(.record, text(.badgeRecording), isFilled: true)
    case .paused: return badge(.pause, text(.badgePaused), isFilled: false)
    case .saving: return badge(.save, text(.badgeSaving), isFilled: true)
    case .playing:
      canvas.frame.icon(.play, x: 0, y: 1)
      return 10
    case .playbackPaused:
      canvas.frame.icon(.pause, x: 0, y: 1)
      return 10
    }
  }

  /// What comes before playing: a clip that runs or is being saved. The camera stands for clip mode.
  private mutating func clipBadge() -> Int? {
    switch state.clips.activity {
    case .capturing: return badge(.record, text(.badgeRecording), isFilled: true)
    case .saving: return badge(.save, text(.badgeSaving), isFilled: true)
    case .buffering:
      guard state.activity == .idle else { return nil }
      canvas.frame.icon(.camera, x: 0, y: 1)
      return Icon.camera.width + 3
    }
  }

  /// The loudspeaker stands for dubbed playback; what plays or waits is told by its own sign.
  private mutating func dubBadge() -> Int {
    let icon: Icon =
      switch state.dub.activity {
      case .idle: .speaker
      case .buffering, .playing: state.dub.isPaused ? .pause : state.dub.activity == .playing ? .play : .stream
      }
    canvas.frame.icon(icon, x: 0, y: 1)
    return icon.width + 3
  }

  /// What plays, waits or is paused; the loudspeaker stands for a feed that is silent.
  private mutating func feedBadge() -> Int {
    let icon: Icon =
      switch state.feed.activity {
      case .idle, .empty, .failed: .speaker
      case .loading: .stream
      case .buffering, .playing: state.feed.isPaused ? .pause : state.feed.activity == .playing ? .play : .stream
      }
    canvas.frame.icon(icon, x: 0, y: 1)
    return icon.width + 3
  }

  /// A box with an icon and a word: filled for what goes on, hollow for what waits.
  private mutating func badge(_ icon: Icon, _ word: String, isFilled: Bool) -> Int {
    let textWidth = Font.small.width(of: word)
    let box = Area(0, 0, icon.width + textWidth + 7, Self.statusHeight)
    if isFilled { canvas.frame.badge(box) } else { canvas.frame.outline(box) }
    let ink: Ink = isFilled ? .dark : .lit
    canvas.frame.icon(icon, x: 2, y: 1, ink: ink)
    canvas.text(word, in: Area(icon.width + 4, 0, textWidth, Self.statusHeight), ink: ink)
    return box.endX + 3
  }

  /// - Returns: where the title has to end.
  private mutating func statusSigns(_ value: String, from start: Int) -> Int {
    var x = Canvas.width
    var signs: [Icon] = []
    if state.isLocked { signs.append(.lock) }
    if isRoomLow { signs.append(.cardLow) }
    if !state.health.hasMicrophone, state.mode != .dub, state.mode != .feed { signs.append(.microphoneLost) }
    if state.mode == .clips, !state.health.hasCamera, !state.health.isCameraOpening { signs.append(.cameraLost) }
    if state.mode == .dub, state.dub.isLinkLost || !state.health.hasNetwork { signs.append(.linkLost) }
    if state.mode == .feed, state.feed.play?.isLinkLost == true || state.feed.presenter.isOffline {
      signs.append(.linkLost)
    }
    if readings.isThrottled { signs.append(.throttled) }
    if let percent = readings.batteryPercent { signs.append(.battery(percent)) }
    for sign in signs {
      // What is being done comes first; on a screen with much to say, signs make room.
      guard x - sign.width >= start else { break }
      x -= sign.width
      canvas.frame.icon(sign, x: x, y: 1)
      x -= 3
    }
    guard !value.isEmpty else { return x }
    let width = Font.small.width(of: value)
    // Only in clip mode can so much be wrong at a time that there is no room.
    guard x - width >= start else { return x }
    canvas.text(value, in: Area(x - width, 0, width, Self.statusHeight), align: .trailing)
    return x - width - 4
  }

  /// The heading of a screen that is not about the take: while one is open or plays, its time stays in sight.
  mutating func heading(_ title: String, value: String = "") {
    let time: String? =
      switch state.activity {
      case .idle, .saving: nil
      case .recording, .paused: amounts.timer(readings.takeSeconds)
      case .playing, .playbackPaused: amounts.timer(readings.positionSeconds)
      }
    if state.mode == .dub && state.dub.isBusy || state.mode == .feed && state.feed.isBusy {
      statusBar(title, .end, value: amounts.timer(readings.dub.positionSeconds))
      return
    }
    if state.hasTakeInHand {
      statusBar("", value: time ?? "")
    } else {
      statusBar(title, .end, value: value)
    }
  }

  /// There is little room on the card, or no card.
  var isRoomLow: Bool {
    state.health.isStorageLow || state.health.storageTrouble(in: state.mode) != nil
  }

  /// How much can still be recorded, after a card; inverted when it is little.
  ///
  /// - Parameter end: where it has to end; the word goes where there is no room for it.
  mutating func timeLeft(y: Int, before end: Int = Canvas.width) {
    guard let seconds = readings.timeLeftSeconds else { return }
    let isLow = isRoomLow
    var words = amounts.brief(seconds) + " " + text(.left)
    // Two texts in a line are nearly a blank apart at least.
    if 9 + Font.small.width(of: words) + 4 > end { words = amounts.brief(seconds) }
    let width = Font.small.width(of: words)
    if isLow { canvas.frame.badge(Area(0, y - 1, width + 11, 9)) }
    canvas.frame.icon(.card, x: isLow ? 1 : 0, y: y, ink: isLow ? .dark : .lit)
    canvas.text(words, in: Area(9, y, width, 7), ink: isLow ? .dark : .lit)
  }
}
