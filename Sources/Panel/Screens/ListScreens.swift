internal import Appliance
internal import Hardware

/// The geometry of lists: five rows of eleven pixels under the status bar, a scroll bar on the right.
enum ListLayout {
  static let rows = 5
  static let pitch = 11
  static let top = 9
  static let width = 123

  static func row(_ index: Int) -> Area { Area(0, top + index * pitch, width, pitch) }

  /// The first row to show, so that the selected one is in sight with one more on either side where there is one.
  static func first(selected: Int, count: Int) -> Int {
    max(0, min(selected - rows / 2, count - rows))
  }
}

extension Drawing {
  /// The takes, newest first.
  mutating func files() -> String {
    let list = state.files
    let position = list.count > 0 ? "\(min(list.selected, list.count - 1) + 1)/\(list.count)" : ""
    let isClips = state.mode == .clips
    heading(isClips ? text(.clips) : listTitle, value: list.browser.worked.map { "\($0) %" } ?? position)
    if list.count == 0, !isClips, !list.browser.view.showsAll {
      emptyList(.nothingFound, .nothingFoundAdvice)
    } else if list.count == 0 {
      emptyList(isClips ? .noClips : .noTakes, isClips ? .noClipsAdvice : .noTakesAdvice)
    } else if list.window.isEmpty {
      emptyList(.readingList, nil)
    } else if isClips {
      clipRows()
    } else {
      takeRows()
    }
    guard list.isConfirmingDelete, let take = list.selection else { return "files" }
    deleteQuestion(take)
    return "deleteQuestion"
  }

  /// Which takes are shown.
  private var listTitle: String {
    let view = state.files.browser.view
    let words = [view.query, view.tag.map { "#\($0)" } ?? "", view.favouritesOnly ? text(.favourites) : ""]
    return view.showsAll ? text(.takes) : words.filter { !$0.isEmpty }.joined(separator: ", ")
  }

  private mutating func takeRows() {
    let list = state.files
    guard !isLarge else { return largeTakes() }
    let first = ListLayout.first(selected: list.selected, count: list.count)
    var rows: [(take: TakeReference, index: Int)] = []
    for index in first..<min(first + ListLayout.rows, max(first, list.count)) {
      let offset = index - list.windowStart
      if list.window.indices.contains(offset) { rows.append((list.window[offset], index)) }
    }
    let lengths = rows.map { amounts.brief($0.take.seconds) }
    // The body font if all names in sight fit, else the small one for all: sizes do not mix in a list.
    let fits = zip(rows, lengths).allSatisfy { row, length in
      Font.body.width(of: shown(row.take.displayName)) <= nameArea(ListLayout.row(0), length).width
    }
    for ((take, index), length) in zip(rows, lengths) {
      let row = ListLayout.row(index - first)
      let ink = highlight(row, isSelected: index == list.selected)
      let isCurrent = take.id == state.loaded?.id && state.activity != .idle
      var name = nameArea(row, length)
      let isMarked = list.browser.marked?.contains(take.id) == true
      for sign in [isMarked ? Icon.mark : nil, isCurrent ? Icon.play : nil, take.isFavourite ? .star : nil] {
        guard let sign else { continue }
        canvas.frame.icon(sign, x: name.x, y: row.y + 2, ink: ink)
        let step = sign.width + 2
        name = Area(name.x + step, name.y, name.width - step, name.height)
      }
      canvas.text(shown(take.displayName), fits ? .body : .small, in: name, fit: .middle, ink: ink)
      let width = Font.small.width(of: length)
      canvas.text(length, in: Area(row.endX - width - 2, row.y, width, row.height), align: .trailing, ink: ink)
    }
    scrollBar(first: first, shown: ListLayout.rows, count: list.count)
  }

  private mutating func largeTakes() {
    let list = state.files
    let current = state.activity == .idle ? nil : state.loaded?.id
    largeList(selected: list.selected, count: list.count) { drawing, index in
      guard list.window.indices.contains(index - list.windowStart) else { return nil }
      let take = list.window[index - list.windowStart]
      let isMarked = list.browser.marked?.contains(take.id) == true
      let icons = [isMarked ? Icon.mark : nil, take.id == current ? Icon.play : nil, take.isFavourite ? .star : nil]
        .compactMap { $0 }
      return LargeRow(
        icons: icons, title: drawing.shown(take.displayName), value: drawing.amounts.brief(take.seconds),
        fit: .middle)
    }
  }

  /// The marks of the take in the player, the earliest first.
  mutating func marks() -> String {
    let list = state.dictaphone.loadedMarks ?? MarkList()
    heading(text(.marks), value: list.marks.isEmpty ? "" : "\(list.selected + 1)/\(list.marks.count)")
    if list.marks.isEmpty { emptyList(.noMarks, .noMarksAdvice) }
    let rate = Double(max(1, state.loaded?.sampleRate ?? 1))
    if isLarge {
      largeList(selected: list.selected, count: list.marks.count) { drawing, index in
        let mark = list.marks[index]
        return LargeRow(title: Self.name(of: mark, index), value: drawing.place(of: mark, rate))
      }
      return "marks"
    }
    let first = ListLayout.first(selected: list.selected, count: list.marks.count)
    for (index, mark) in list.marks.enumerated().dropFirst(first).prefix(ListLayout.rows) {
      let row = ListLayout.row(index - first)
      let ink = highlight(row, isSelected: index == list.selected)
      let place = place(of: mark, rate)
      canvas.text(Self.name(of: mark, index), in: nameArea(row, place), fit: .end, ink: ink)
      let width = Font.small.width(of: place)
      canvas.text(place, in: Area(row.endX - width - 2, row.y, width, row.height), align: .trailing, ink: ink)
    }
    scrollBar(first: first, shown: ListLayout.rows, count: list.marks.count)
    return "marks"
  }

  /// When it is, to a tenth of a second.
  private func place(of mark: MarkReference, _ rate: Double) -> String {
    let tenths = Int((Double(mark.frame) / rate * 10).rounded(.down))
    return amounts.timer(Double(tenths) / 10) + ".\(tenths % 10)"
  }

  private static func name(of mark: MarkReference, _ index: Int) -> String {
    mark.title.isEmpty ? "\(index + 1)" : "\(index + 1) \(mark.title)"
  }

  private func nameArea(_ row: Area, _ length: String) -> Area {
    Area(row.x + 2, row.y, row.width - Font.small.width(of: length) - 8, row.height)
  }

  /// The options: groups, or what can be set in one.
  mutating func options() -> String {
    let menu = state.options
    heading(menu.group?.title.text(in: language) ?? text(.options), value: readings.clockText)
    values(readings.options, selected: menu.selected, isStepped: menu.row.isValue)
    return "options"
  }

  /// Titles and values, that of the highlighted row between the arrows of the keys that change it.
  mutating func values(_ rows: [MenuRow], selected: Int, isStepped: Bool = true) {
    let selected = max(0, min(selected, rows.count - 1))
    if isLarge {
      return largeList(selected: selected, count: rows.count) { _, index in
        let value = rows[index].value
        return LargeRow(title: rows[index].title, value: index == selected && isStepped ? "◀ \(value) ▶" : value)
      }
    }
    let first = ListLayout.first(selected: selected, count: rows.count)
    for index in first..<min(first + ListLayout.rows, max(first, rows.count)) {
      let row = ListLayout.row(index - first)
      let isSelected = index == selected
      let ink = highlight(row, isSelected: isSelected)
      let value = isSelected && isStepped ? "◀ \(rows[index].value) ▶" : rows[index].value
      let titleWidth = min(Font.small.width(of: rows[index].title), row.width - 4 - 30)
      let rest = Area(row.x + 2 + titleWidth + 4, row.y, row.width - 4 - titleWidth - 4, row.height)
      canvas.text(rows[index].title, in: Area(row.x + 2, row.y, titleWidth, row.height), fit: .end, ink: ink)
      canvas.text(value, in: rest, align: .trailing, fit: .middle, ink: ink)
    }
    scrollBar(first: first, shown: ListLayout.rows, count: rows.count)
  }

  /// What the keys do, then facts about the device. A row whose parts have no room beside each other takes two lines.
  mutating func guide() -> String {
    heading(text(.guide))
    let rows = readings.guide + readings.information.prefix(10)
    // At the last key the facts behind it are in sight, however many there are.
    let isAtEnd = readings.guideTop >= readings.guide.count - 1
    facts(rows, from: isAtEnd ? max(readings.guideTop, rows.count - Self.factRows) : readings.guideTop)
    return "guide"
  }

  /// Titles and values, from one of the rows on.
  mutating func facts(_ rows: [MenuRow], from top: Int) {
    guard !isLarge else { return largeFacts(rows, from: top) }
    let first = max(0, min(top, rows.count - 1))
    var y = 10
    for row in rows.dropFirst(first) {
      let titleWidth = Font.small.width(of: row.title)
      let isOneLine = titleWidth + 6 + Font.small.width(of: row.value) <= ListLayout.width - 1
      guard y + (isOneLine ? 8 : 17) <= canvas.frame.height else { break }
      canvas.text(row.title, in: Area(0, y, min(titleWidth, ListLayout.width - 1), 8), fit: .end)
      if !isOneLine { y += 9 }
      let start = isOneLine ? titleWidth + 6 : 6
      canvas.text(row.value, in: Area(start, y, ListLayout.width - 1 - start, 8), align: .trailing, fit: .middle)
      y += 9
    }
    scrollBar(first: first, shown: Self.factRows, count: rows.count)
  }

  private static let factRows = 6

  mutating func emptyList(_ what: Phrase, _ advice: Phrase?) {
    canvas.text(text(what), .bold, in: Area(0, 22, Canvas.width, 13), align: .centre)
    if let advice { canvas.text(text(advice), in: Area(0, 38, Canvas.width, 9), align: .centre) }
  }

  /// - Returns: the ink for what stands in the row.
  mutating func highlight(_ row: Area, isSelected: Bool) -> Ink {
    guard isSelected else { return .lit }
    // Its first row of pixels stays dark, apart from what is above.
    canvas.frame.badge(Area(row.x, row.y + 1, row.width, row.height - 1))
    return .dark
  }

  mutating func scrollBar(first: Int, shown: Int, count: Int) {
    guard count > shown else { return }
    let track = Area(124, ListLayout.top + 1, 3, 54)
    canvas.frame.column(track.x + 1, from: track.y, count: track.height)
    let length = max(5, track.height * shown / count)
    // The guide scrolls until its last row is the first in sight.
    let place = min(track.height - length, (track.height - length) * first / max(1, count - shown))
    canvas.frame.fill(Area(track.x, track.y + place, 3, length))
  }
}
