internal import Hardware

/// What lies behind the list of takes, in words.
struct SpokenBrowser {
  private let state: State
  private let figures: PromptFigures
  private var browser: TakeBrowser { state.files.browser }
  private var take: TakeReference? { state.files.selection }

  init(_ state: State, _ figures: PromptFigures) {
    self.state = state
    self.figures = figures
  }

  var title: Translated {
    switch browser.page {
    case .menu where browser.marked != nil:
      .joined([Phrase.menu.words, PromptWords.markedTakes(browser.marked?.count ?? 0).words], ", ")
    case .menu: take.map { PromptWords.menu(of: $0.displayName).words } ?? Phrase.menu.words
    case .name: nameTitle
    case .tags: Phrase.tags.words
    case .search: Phrase.search.words
    case .info: .joined([Phrase.information.words, take.map { .takeName($0.displayName) } ?? Translated("")], ", ")
    case .storage: Phrase.storage.words
    case .stick: (browser.isOfAll ? Phrase.exportAll : .exportTake).words
    }
  }

  var item: SpokenItem? {
    switch browser.page {
    case .menu: SpokenItem(title(of: browser.chosen).words, value(of: browser.chosen))
    case .tags:
      browser.tag.map { SpokenItem(Translated($0), (take?.has($0) == true ? Phrase.yes : .no).words) }
        ?? SpokenItem(Phrase.newTag.words)
    case .search, .name: SpokenItem(letter)
    case .info: row(of: facts) ?? SpokenItem(Phrase.readingList.words)
    case .storage: row(of: card)
    case .stick: stick
    }
  }

  /// What has been typed.
  var typed: Translated {
    let text = browser.page == .name ? browser.typed : browser.view.query
    return text.isEmpty ? PromptWords.nothingTyped.words : Translated(text)
  }

  private var nameTitle: Translated {
    guard case .take = browser.naming else { return Phrase.newTag.words }
    return .joined([Phrase.renameTake.words, take.map { .takeName($0.displayName) } ?? Translated("")], ", ")
  }

  private var letter: Translated {
    let board = browser.board
    guard !board.isAtEnd else { return Phrase.typedAll.words }
    if board.isAtOtherLetters { return PromptWords.otherLetters.words }
    let letter = board.letters[board.cell]
    switch letter {
    case LetterBoard.space: return PromptWords.space.words
    case LetterBoard.rubOut: return PromptWords.rubOut.words
    case "-": return Translated("hyphen", "дефис")
    case ".": return Translated("dot", "точка")
    case "#": return Translated("tag sign", "знак тега")
    default: return Translated(String(letter))
    }
  }

  private func title(of row: TakeBrowser.Row) -> Phrase {
    switch row {
    case .marking: .markTakes
    case .protect: .protectTake
    case .favourite: .favourite
    case .tags: .tags
    case .info: .information
    case .search: .search
    case .order: .order
    case .shown: .shownTakes
    case .copy: .copyTake
    case .rename: .renameTake
    case .export: .exportTake
    case .exportAll: .exportAll
    case .delete: .deleteTake
    case .storage: .storage
    }
  }

  private func value(of row: TakeBrowser.Row) -> Translated? {
    switch row {
    case .favourite where browser.marked != nil, .protect where browser.marked != nil: Phrase.noOrYes.words
    case .marking: (browser.marked == nil ? Phrase.no : .yes).words
    case .protect: (take?.isProtected == true ? Phrase.yes : .no).words
    case .favourite: (take?.isFavourite == true ? Phrase.yes : .no).words
    case .tags: take.map { Translated($0.tags.split(separator: "\n").joined(separator: ", ")) }
    case .search: browser.view.query.isEmpty ? nil : Translated(browser.view.query)
    case .order: order.words
    case .shown:
      browser.view.tag.map { Translated($0) } ?? (browser.view.favouritesOnly ? Phrase.favourites : .all).words
    case .copy: browser.copied == nil ? nil : PromptWords.copying.words
    case .export, .exportAll: browser.exported.map(percent) ?? (browser.stick == .absent ? Phrase.noStick.words : nil)
    case .info, .rename, .delete, .storage: nil
    }
  }

  private var advice: Phrase { browser.isOfAll ? .stickReadyForAllAdvice : .stickReadyAdvice }

  /// How much is on the stick, or what is in the socket.
  private var stick: SpokenItem {
    if let exported = browser.exported { return SpokenItem(Phrase.stickWait.words, percent(exported)) }
    switch browser.stick {
    case .absent: return SpokenItem(Phrase.noStick, Phrase.noStickAdvice)
    case .plugged, .mounted: return SpokenItem(Phrase.stickReady, advice)
    case .safe: return SpokenItem(Phrase.stickSafe, advice)
    case .unusable: return SpokenItem(Phrase.stickUnusable, Phrase.stickUnusableAdvice)
    }
  }

  /// To the quarter: nobody wants to hear a hundred of them.
  private func percent(_ share: Int) -> Translated { Translated("\(max(0, min(100, share)) / 25 * 25) %") }

  private var order: Phrase {
    switch browser.view.order {
    case .newest: .newest
    case .oldest: .oldest
    case .name: .byName
    case .longest: .longest
    case .largest: .largest
    }
  }

  // MARK: Facts

  private func row(of rows: [(Phrase, Translated)]) -> SpokenItem? {
    guard !rows.isEmpty else { return nil }
    let row = rows[max(0, min(browser.line, rows.count - 1))]
    return SpokenItem(row.0.words, row.1)
  }

  /// What is known of the chosen take, in the order of the screen; none while it is not.
  private var facts: [(Phrase, Translated)] {
    guard let take, let found = browser.facts, found.id == take.id else { return [] }
    let zone = Zone(state.settings.zone) ?? .utc
    let rate = found.bitrateKbps.map { Translated(" \($0) kbit/s", " \($0) кбит/с") } ?? Translated("")
    let kilohertz = Translated(
      Amounts(.english).kilohertz(found.sampleRate), Amounts(.russian).kilohertz(found.sampleRate))
    return [
      (.name, .takeName(take.displayName)),
      (
        .date,
        found.createdAt.isPlausible
          ? Translated(zone.dateText(found.createdAt, in: .english), zone.dateText(found.createdAt, in: .russian))
          : .notSet
      ),
      (.length, .spoken(take.seconds)),
      (.format, .joined([Translated(found.format.uppercased()), rate, kilohertz], ", ")),
      (.size, size(Int64(clamping: found.bytes))), (.gaps, Translated("\(found.gaps)")),
      (.marks, Translated("\(found.marks)")),
      (.tags, Translated(found.tags.isEmpty ? "0" : found.tags.joined(separator: ", "))),
      (.files, Translated("\(found.parts)")), (.ended, Translated(found.stopReason ?? "")),
      (.microphone, Translated(found.source ?? "")),
    ]
  }

  /// What is on the card.
  private var card: [(Phrase, Translated)] {
    var rows: [(Phrase, Translated)] = []
    if let free = figures.freeBytes { rows.append((.free, size(free))) }
    if let all = figures.totalBytes { rows.append((.size, size(all))) }
    if let left = figures.timeLeftSeconds { rows.append((.length, PromptWords.left(left).words)) }
    return rows + [(.takes, Translated("\(max(0, figures.takes))")), (.clips, Translated("\(max(0, figures.clips))"))]
  }

  private func size(_ bytes: Int64) -> Translated {
    Translated(Amounts(.english).size(bytes), Amounts(.russian).size(bytes))
  }
}
