internal import Appliance
internal import Hardware

extension Drawing {
  /// Dubbed playback: what could be played, or what is.
  mutating func dub() -> String {
    switch state.dub.activity {
    case .idle: sources()
    case .buffering: bufferingDub()
    case .playing: playingDub()
    }
    return state.dub.activity == .idle ? "sources" : state.dub.activity.rawValue
  }

  // MARK: Sources

  private mutating func sources() {
    let sources = state.dub.sources.all
    statusBar(text(.dub) + " " + wantedSound, .end, value: readings.clockText)
    guard !sources.isEmpty else {
      emptyList(.noSources, .noSourcesAdvice)
      return
    }
    if isLarge {
      return largeList(selected: state.dub.sources.selected, count: sources.count) { drawing, index in
        LargeRow(
          icons: [Self.icon(of: sources[index].kind)], title: drawing.shown(sources[index].name), value: "",
          fit: .middle)
      }
    }
    let first = ListLayout.first(selected: state.dub.sources.selected, count: sources.count)
    for index in first..<min(first + ListLayout.rows, sources.count) {
      let row = ListLayout.row(index - first)
      let ink = highlight(row, isSelected: index == state.dub.sources.selected)
      let icon = Self.icon(of: sources[index].kind)
      canvas.frame.icon(icon, x: row.x + 2 + (10 - icon.width) / 2, y: row.y + 2, ink: ink)
      let name = Area(row.x + 15, row.y, row.width - 17, row.height)
      canvas.text(shown(sources[index].name), in: name, fit: .middle, ink: ink)
    }
    scrollBar(first: first, shown: ListLayout.rows, count: sources.count)
  }

  private static func icon(of kind: DubSource.Kind) -> Icon {
    switch kind {
    case .stream: .stream
    case .clip: .camera
    case .take: .mark
    }
  }

  /// The language that is wanted, or that it is the original.
  private var wantedSound: String {
    state.dub.isOn ? dubLanguage : text(.original)
  }

  // MARK: On the way to sound

  private mutating func bufferingDub() {
    statusBar(dubName, .middle, value: "")
    canvas.text(text(state.dub.isPaused ? .dubPaused : .buffering), .bold, in: Area(0, 10, 80, 12))
    let held = Self.clamped(readings.dub.bufferSeconds, 99)
    let goal = Self.clamped(readings.dub.bufferGoalSeconds, 9)
    let figures = amounts.decimal(held, places: 1) + "/" + amounts.seconds(amounts.decimal(goal, places: 0))
    canvas.text(figures, in: Area(84, 13, Canvas.width - 84, 7), align: .trailing)
    gauge(Area(0, 24, Canvas.width, 6), fraction: goal > 0 ? held / goal : 0)
    for (index, line) in reasonLines.enumerated() { canvas.text(line, in: Area(0, 32 + 8 * index, Canvas.width, 7)) }
    bottomOfDub(text(.hintStop))
  }

  /// What it waits for, in three lines: of a long sentence its middle goes, since when it is tried again stands at its end.
  private var reasonLines: [String] {
    let most = 3
    var columns = dubReason.count
    var lines = wrapped(dubReason, .small, in: Canvas.width, maximum: most + 1)
    while lines.count > most, columns > 1 {
      columns -= 1
      lines = wrapped(
        Fit.middle.applied(to: dubReason, columns: columns), .small, in: Canvas.width, maximum: most + 1)
    }
    return lines
  }

  /// Why nothing better is heard, or nothing at all.
  private var dubReason: String {
    // What it is about stands at the top.
    state.dub.isLinkLost && state.dub.reason.isEmpty ? text(.linkLost) : PlainWords.reason(state.dub.reason)
  }

  // MARK: Sound

  private mutating func playingDub() {
    if state.settings.dubPicture == .large, let preview = readings.dub.preview {
      picturedDub(preview)
      return
    }
    let timer = amounts.timer(readings.dub.positionSeconds)
    // A notice covers all but the status bar: then the time is what must stay in sight.
    statusBar(isCovered ? timer : dubName, .middle)
    takeFacts(timer, lengthText, edgeText)
    let preview = state.settings.dubPicture == .off ? nil : readings.dub.preview
    let end = preview == nil ? Canvas.width : 83
    soundBadge(in: Area(0, 27, end, 11))
    progress(in: Area(0, 40, end, 6))
    health(in: Area(0, 48, end, 7))
    if let preview {
      let area = Area(85, 28, 42, 26)
      canvas.frame.outline(area)
      draw(preview, within: area.inset(1, 1))
    }
    bottomOfDub(hintOfDub)
  }

  /// What a key does; but for a reason why no better rung is heard.
  private var hintOfDub: String {
    if state.dub.isPaused { return text(.hintPlay) }
    return state.dub.isDubbed && !dubReason.isEmpty ? dubReason : text(recordHint)
  }

  /// What REC does where something else plays, or why it cannot.
  var recordHint: Phrase {
    if !state.health.hasMicrophone, !state.health.isMicrophoneOpening { return .noMicrophone }
    return state.health.storageTrouble(in: .dictaphone)?.phrase ?? .hintRecord
  }

  /// The picture as large as it can be below the status bar, and beside it what has to be read: the time, what is
  /// heard, how much of it is ready.
  private mutating func picturedDub(_ preview: GreyPicture) {
    let timer = amounts.timer(readings.dub.positionSeconds)
    statusBar(isCovered ? timer : dubName, .middle)
    draw(preview, within: Area(0, 10, 84, 46))
    let column = Area(86, 10, Canvas.width - 86, 7)
    let isDubbed = state.dub.isDubbed
    let rows = [
      timer, isDubbed ? dubLanguage : text(.original),
      isDubbed ? text(rungPhrase) : state.dub.isOn ? PlainWords.reason(state.dub.reason) : "", edgeText,
    ]
    for (index, words) in rows.enumerated() {
      let place = Area(column.x, column.y + 9 * index, column.width, column.height)
      if index == 1, isDubbed {
        canvas.frame.badge(Area(place.x, place.y - 1, place.width, 9))
        canvas.text(words, in: place.inset(2, 0), fit: .end, ink: .dark)
      } else {
        canvas.text(words, in: place, fit: .end)
      }
    }
    let held = Self.clamped(readings.dub.bufferSeconds, 99)
    let goal = Self.clamped(readings.dub.bufferGoalSeconds, 9)
    gauge(Area(column.x, 48, column.width, 7), fraction: goal > 0 ? held / goal : 0)
    bottomOfDub(hintOfDub)
  }

  /// A picture in its shape, as large as the area allows, in the middle of it.
  private mutating func draw(_ picture: GreyPicture, within area: Area) {
    var width = area.width
    var height = area.width * picture.height / picture.width
    if height > area.height {
      height = area.height
      width = area.height * picture.width / picture.height
    }
    width = max(1, min(area.width, width))
    height = max(1, min(area.height, height))
    draw(picture, in: Area(area.x + (area.width - width) / 2, area.y + (area.height - height) / 2, width, height))
  }

  private var lengthText: String {
    if readings.dub.isLive { return text(.live) }
    return readings.dub.durationSeconds.map { amounts.length($0) } ?? ""
  }

  /// How far behind the live edge it is, or how much is left.
  private var edgeText: String {
    if readings.dub.isLive { return readings.dub.behindLiveSeconds.map { "-" + amounts.brief($0) } ?? "" }
    let position = max(0, readings.dub.positionSeconds)
    return readings.dub.durationSeconds.map { "-" + amounts.brief(max(0, $0 - position)) } ?? ""
  }

  /// What is heard: filled for a dub, hollow for the original, with the reason if a dub was wanted.
  private mutating func soundBadge(in area: Area) {
    let isDubbed = state.dub.isDubbed
    let words = isDubbed ? text(rungPhrase) : text(.original)
    let language = isDubbed ? dubLanguage + ": " : ""
    let shown = Fit.end.applied(to: language + words, .body, in: area.width - 6)
    let width = Font.body.width(of: shown)
    let box = Area(area.x, area.y, width + 6, area.height)
    if isDubbed { canvas.frame.badge(box) } else { canvas.frame.outline(box) }
    let place = Area(box.x + 3, box.y, width, box.height)
    canvas.text(shown, .body, in: place, ink: isDubbed ? .dark : .lit)
    guard !isDubbed, state.dub.isOn else { return }
    let rest = Area(box.endX + 3, area.y, area.endX - box.endX - 3, area.height)
    if rest.width > 20 { canvas.text(dubReason, in: rest, fit: .end) }
  }

  private var rungPhrase: Phrase {
    switch state.dub.rung {
    case .service: .rungService
    case .rendition: .rungRendition
    case .sidecar: .rungSidecar
    case .synthesised: .rungSynthesised
    case .original: .original
    }
  }

  /// How far it has come; of a live stream, how near to the edge within the last minute.
  private mutating func progress(in area: Area) {
    let dub = readings.dub
    let fraction: Double
    if dub.isLive {
      fraction = 1 - Self.clamped(dub.behindLiveSeconds ?? 0, 60) / 60
    } else {
      let length = dub.durationSeconds ?? 0
      fraction = length > 0 ? dub.positionSeconds / length : 0
    }
    gauge(area, fraction: fraction)
  }

  /// What is ready to be heard, and how many dubs were in time.
  private mutating func health(in area: Area) {
    let held = Self.clamped(readings.dub.bufferSeconds, 99)
    let goal = Self.clamped(readings.dub.bufferGoalSeconds, 9)
    gauge(Area(area.x, area.y, 22, area.height), fraction: goal > 0 ? held / goal : 0)
    let seconds = amounts.seconds(amounts.decimal(held, places: 1))
    canvas.text(seconds, in: Area(area.x + 24, area.y, 30, area.height))
    guard let percent = readings.dub.onTimePercent else { return }
    let share = "\(Int(Self.clamped(percent, 100)))%" + (area.width > 100 ? " " + text(.onTime) : "")
    canvas.text(share, in: Area(area.x + 58, area.y, area.width - 58, area.height), align: .trailing)
  }

  // MARK: Parts

  /// What the language of the dub is called.
  private var dubLanguage: String { LanguageNames.words(of: state.settings.dubLanguage).text(in: language) }

  private mutating func bottomOfDub(_ hint: String) {
    let y = Self.bottom.y
    guard state.health.hasSpeaker else {
      let words = text(.noSpeaker)
      let width = Font.small.width(of: words)
      canvas.frame.badge(Area(0, y - 1, width + 14, 8))
      canvas.frame.icon(.speaker, x: 2, y: y, ink: .dark)
      canvas.text(words, in: Area(11, y, width, 7), ink: .dark)
      return
    }
    canvas.text(hint, in: Area(0, y, 100, 7), fit: .end)
    let segments = "\(max(0, min(9, readings.dub.segments)))/\(max(0, min(9, readings.dub.segmentLimit)))"
    canvas.text(segments, in: Area(104, y, Canvas.width - 104, 7), align: .trailing)
  }

  private var dubName: String {
    // Stations tell what they play; which one it is, whoever chose it knows.
    readings.dub.title.isEmpty ? state.dub.current.map { shown($0.name) } ?? "" : readings.dub.title
  }

  private mutating func gauge(_ area: Area, fraction: Double) {
    canvas.frame.outline(area)
    let share = fraction.isFinite ? min(1, max(0, fraction)) : 0
    canvas.frame.fill(Area(area.x + 2, area.y + 2, Int(share * Double(area.width - 4)), area.height - 4))
  }

  private static func clamped(_ value: Double, _ limit: Double) -> Double {
    value.isNaN ? 0 : min(limit, max(0, value))
  }
}
