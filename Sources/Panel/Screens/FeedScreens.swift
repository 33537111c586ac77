internal import Appliance
internal import Hardware

extension Drawing {
  /// The feed: the item that is shown, what is known of it, and why it is not heard.
  mutating func feed() -> String {
    let activity = state.feed.activity
    switch activity {
    case .loading:
      statusBar(feedName, .end, value: readings.clockText)
      canvas.text(text(.feedLoading), .bold, in: Area(0, 22, Canvas.width, 13), align: .centre)
      hintOfFeed(text(recordHint))
    case .empty:
      statusBar(feedName, .end, value: readings.clockText)
      emptyList(.feedEmpty, .feedEmptyAdvice)
    case .failed: failedFeed()
    case .idle, .buffering, .playing: feedItem()
    }
    return "feed-\(activity.rawValue)"
  }

  // MARK: An item

  private mutating func feedItem() {
    let timer = amounts.timer(readings.dub.positionSeconds)
    statusBar(isCovered ? timer : feedName, .end, value: feedFlag)
    let preview = state.settings.dubPicture == .off ? nil : readings.dub.preview
    let end = preview == nil ? Canvas.width : 83
    feedTitle(in: Area(0, 10, end, 26))
    if let preview {
      let area = Area(85, 11, 42, 26)
      canvas.frame.outline(area)
      draw(preview, in: area.inset(1, 1))
    }
    canvas.text(timer, in: Area(0, 38, 60, 7))
    let length = state.feed.isBusy ? readings.dub.durationSeconds : state.feed.item?.seconds
    let right = readings.dub.isLive ? text(.live) : length.map { amounts.length($0) } ?? ""
    canvas.text(right, in: Area(62, 38, Canvas.width - 62, 7), align: .trailing)
    let gauge = Area(0, 47, Canvas.width, 6)
    canvas.frame.outline(gauge)
    let share = (length ?? 0) > 0 ? readings.dub.positionSeconds / (length ?? 1) : 0
    let fraction = share.isFinite ? min(1, max(0, share)) : 0
    canvas.frame.fill(Area(gauge.x + 2, gauge.y + 2, Int(fraction * Double(gauge.width - 4)), gauge.height - 4))
    hintOfFeed(text(feedHint))
  }

  /// The title in two lines, behind the star of a favourite.
  private mutating func feedTitle(in area: Area) {
    var start = area.x
    if state.feed.isFavourite {
      canvas.frame.icon(.star, x: area.x, y: area.y + 2)
      start += Icon.star.width + 3
    }
    let title = state.feed.item.map { shown($0.title) } ?? ""
    let place = Area(start, area.y, area.endX - start, area.height)
    var lines = wrapped(title, .bold, in: place.width, maximum: 3)
    if lines.count > 2 {
      lines = [lines[0], Fit.end.applied(to: lines[1...].joined(separator: " "), .bold, in: place.width)]
    }
    write(lines, .bold, in: place, pitch: 13)
  }

  private var feedHint: Phrase {
    if !state.feed.isBusy || state.feed.isPaused { return .hintPlay }
    if state.feed.activity == .buffering { return .buffering }
    return state.feed.isMuted ? .hintUnmute : recordHint
  }

  /// What one has to know of how it plays.
  private var feedFlag: String {
    if state.feed.isMuted, state.feed.isBusy { return text(.muted) }
    return state.feed.presenter.isOffline ? text(.offline) : ""
  }

  private var feedName: String {
    guard !state.settings.feedSource.isEmpty else { return text(.feed) }
    return shown(FeedSources.name(of: state.settings.feedSource, state.settings))
  }

  // MARK: The error card

  private mutating func failedFeed() {
    statusBar(feedName, .end, value: feedFlag)
    let name = state.feed.item.map { shown($0.title) } ?? text(.feedFailed)
    canvas.text(name, .bold, in: Area(0, 10, Canvas.width, 13), fit: .end)
    if let fault = state.feed.fault {
      let sentence = Sentence.told(code: fault.code, fault.text).text(in: language)
      write(
        wrapped(sentence, .small, in: Canvas.width, maximum: 4), .small, in: Area(0, 24, Canvas.width, 32), pitch: 8)
    }
    hintOfFeed(text(.hintRetry))
  }

  private mutating func hintOfFeed(_ hint: String) {
    let place = state.feed.presenter.place
    canvas.text(hint, in: Area(0, Self.bottom.y, 100, 7), fit: .end)
    guard state.feed.item != nil, place > 0 else { return }
    canvas.text("\(min(place, 99_999))", in: Area(102, Self.bottom.y, Canvas.width - 102, 7), align: .trailing)
  }
}
