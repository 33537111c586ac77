internal import Appliance
internal import Hardware

/// What lies behind the list of takes.
extension Drawing {
  mutating func library() -> String {
    let browser = state.files.browser
    switch browser.page {
    case .menu: menu(browser)
    case .name: name(browser)
    case .tags: tags(browser)
    case .search: search(browser)
    case .info: information(browser)
    case .storage: card(browser)
    case .stick: stick(browser)
    }
    return browser.page.rawValue
  }

  /// The menu of the chosen take, and of the list.
  private mutating func menu(_ browser: TakeBrowser) {
    let name = state.files.selection?.shownName(in: language) ?? text(.menu)
    heading(browser.marked == nil ? name : text(.menu), value: browser.marked.map { "\($0.count)" } ?? "")
    let rows = browser.rows.map { row in
      MenuRow(title(of: row), value(of: row, browser, isChosen: row == browser.chosen))
    }
    values(
      rows, selected: browser.rows.firstIndex(of: browser.chosen) ?? 0, isStepped: browser.chosen.isValue)
  }

  private func title(of row: TakeBrowser.Row) -> String {
    switch row {
    case .marking: text(.markTakes)
    case .protect: text(.protectTake)
    case .favourite: text(.favourite)
    case .tags: text(.tags)
    case .info: text(.information)
    case .search: text(.search)
    case .order: text(.order)
    case .shown: text(.shownTakes)
    case .copy: text(.copyTake)
    case .rename: text(.renameTake)
    case .export: text(.exportTake)
    case .exportAll: text(.exportAll)
    case .delete: text(.deleteTake)
    case .storage: text(.storage)
    }
  }

  private func value(of row: TakeBrowser.Row, _ browser: TakeBrowser, isChosen: Bool) -> String {
    let take = state.files.selection
    switch row {
    case .favourite where browser.marked != nil, .protect where browser.marked != nil: return text(.noOrYes)
    case .marking: return text(browser.marked == nil ? .no : .yes)
    case .protect: return text(take?.isProtected == true ? .yes : .no)
    case .favourite: return text(take?.isFavourite == true ? .yes : .no)
    case .order: return order(browser.view.order)
    case .shown: return browser.view.tag.map { "#\($0)" } ?? text(browser.view.favouritesOnly ? .favourites : .all)
    case .copy:
      guard let percent = browser.copied else { break }
      return "\(percent) %" + (isChosen ? ", \(text(.stopIt))" : "")
    case .export, .exportAll:
      if let percent = browser.exported { return "\(percent) %" }
      if !isChosen { return browser.stick == .absent ? "" : text(.stick) }
      guard browser.stick != .absent else { return text(.noStick) }
    case .tags where take?.tags.isEmpty == false && !isChosen:
      return (take?.tags ?? "").split(separator: "\n").joined(separator: ", ")
    case .search where !browser.view.query.isEmpty && !isChosen: return browser.view.query
    case .tags, .search, .info, .rename, .delete, .storage: break
    }
    return isChosen ? text(.press) : ""
  }

  private func order(_ order: ListView.Order) -> String {
    switch order {
    case .newest: text(.newest)
    case .oldest: text(.oldest)
    case .name: text(.byName)
    case .longest: text(.longest)
    case .largest: text(.largest)
    }
  }

  /// All tags, and which of them the chosen take has.
  private mutating func tags(_ browser: TakeBrowser) {
    let take = state.files.selection
    heading(take?.shownName(in: language) ?? text(.tags))
    let rows = browser.tags.map { MenuRow($0, take?.has($0) == true ? text(.yes) : "") } + [MenuRow(text(.newTag), "")]
    values(rows, selected: browser.tagRow, isStepped: false)
  }

  /// The words, the letters, and the first that fit.
  private mutating func search(_ browser: TakeBrowser) {
    heading(text(.search), value: "\(max(0, state.files.count))")
    letters(browser.board, of: browser.view.query)
    for (row, take) in state.files.window.prefix(2).enumerated() {
      canvas.text(take.shownName(in: language), in: Area(0, 46 + row * 9, Canvas.width, 9), fit: .middle)
    }
  }

  /// A name and the letters for it, and what it is complete with.
  private mutating func name(_ browser: TakeBrowser) {
    if case .take = browser.naming { heading(text(.renameTake)) } else { heading(text(.newTag)) }
    letters(browser.board, of: browser.typed)
    let words = text(.typedAll)
    let width = Font.small.width(of: words) + 8
    let place = Area((Canvas.width - width) / 2, 48, width, 9)
    if browser.board.isAtEnd { canvas.frame.badge(place) }
    canvas.text(words, in: place, align: .centre, ink: browser.board.isAtEnd ? .dark : .lit)
  }

  /// What has been typed, and the letters.
  private mutating func letters(_ board: LetterBoard, of typed: String) {
    canvas.text(typed + "|", in: Area(0, 10, Canvas.width, 9), fit: .middle)
    for (index, letter) in board.letters.enumerated() {
      let place = Area(5 + index % LetterBoard.columns * 9, 19 + index / LetterBoard.columns * 9, 9, 9)
      let isChosen = index == board.cell
      if isChosen { canvas.frame.badge(place) }
      canvas.text(String(letter), in: place, align: .centre, ink: isChosen ? .dark : .lit)
    }
  }

  /// What is known of the chosen take.
  private mutating func information(_ browser: TakeBrowser) {
    let take = state.files.selection
    heading(take?.shownName(in: language) ?? text(.information))
    guard let take, let found = browser.facts, found.id == take.id else { return emptyList(.readingList, nil) }
    let zone = Zone(state.settings.zone) ?? .utc
    // The clock was not set when it began.
    let date = found.createdAt.isPlausible ? zone.dateText(found.createdAt, in: language) : "-"
    let rate = found.bitrateKbps.map { " " + amounts.rate($0 * 1000) } ?? ""
    let rows: [(Phrase, String)] = [
      (.name, take.shownName(in: language)), (.date, date),
      (.length, amounts.timer(take.seconds)),
      (.format, "\(found.format.uppercased())\(rate) \(amounts.kilohertz(found.sampleRate)) x\(found.channels)"),
      (.size, amounts.size(Int64(found.bytes))), (.gaps, "\(found.gaps)"), (.marks, "\(found.marks)"),
      (.tags, found.tags.isEmpty ? "-" : found.tags.joined(separator: ", ")), (.files, "\(found.parts)"),
      (.ended, found.stopReason ?? "-"), (.microphone, found.source ?? "-"),
    ]
    facts(rows.map { MenuRow(text($0.0), $0.1) }, from: browser.line)
  }

  /// How much of the take is on the stick, or what is in the socket.
  private mutating func stick(_ browser: TakeBrowser) {
    heading(browser.isOfAll ? text(.exportAll) : state.files.selection?.shownName(in: language) ?? text(.stick))
    if let percent = browser.exported {
      canvas.text("\(percent) %", .bold, in: Area(0, 13, Canvas.width, 13), align: .centre)
      let bar = Area(4, 29, Canvas.width - 8, 8)
      canvas.frame.outline(bar)
      let length = (bar.width - 4) * max(0, min(100, percent)) / 100
      canvas.frame.fill(Area(bar.x + 2, bar.y + 2, length, bar.height - 4))
      canvas.text(text(.stickWait), in: Area(0, 42, Canvas.width, 9), align: .centre)
      canvas.text(text(.stickWaitAdvice), in: Area(0, 53, Canvas.width, 9), align: .centre)
      return
    }
    switch browser.stick {
    case .absent: emptyList(.noStick, .noStickAdvice)
    case .plugged, .mounted: emptyList(.stickReady, browser.isOfAll ? .stickReadyForAllAdvice : .stickReadyAdvice)
    case .safe: emptyList(.stickSafe, browser.isOfAll ? .stickReadyForAllAdvice : .stickReadyAdvice)
    case .unusable: emptyList(.stickUnusable, .stickUnusableAdvice)
    }
  }

  /// What is on the card, and how long it lasts.
  private mutating func card(_ browser: TakeBrowser) {
    heading(text(.storage), value: readings.clockText)
    var rows = [
      MenuRow(
        text(.free),
        (readings.freeBytes.map { amounts.size($0) } ?? "?")
          + (readings.totalBytes.map { " / \(amounts.size($0))" } ?? "")),
      MenuRow(text(.takes), "\(max(0, readings.takeCount)), \(amounts.brief(readings.takesSeconds))"),
      MenuRow(text(.clips), "\(max(0, readings.clipCount))"),
    ]
    rows += readings.formatTimes.map { MenuRow($0.format, "\(amounts.brief($0.seconds)) \(text(.left))") }
    facts(rows, from: browser.line)
  }
}
