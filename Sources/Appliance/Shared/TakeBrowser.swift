public import Hardware

/// What lies behind the list of takes: the menu of the chosen one, its name and tags, the search, facts of the take and of
/// the card.
public struct TakeBrowser: Hashable, Sendable {
  public enum Page: String, Hashable, Sendable, CaseIterable {
    case menu, name, tags, search, info, storage, stick
  }

  /// A row of the menu.
  public enum Row: Hashable, Sendable, CaseIterable {
    case marking, favourite, tags, info, search, order, shown, copy, rename, export, exportAll, delete, protect, storage

    /// Of what can be done to several takes at once.
    static let ofMany: [Row] = [.delete, .protect, .favourite, .export, .marking]

    /// Whether LEFT and RIGHT change it.
    public var isValue: Bool { [.favourite, .protect, .order, .shown].contains(self) }
    /// Whether it is about the chosen take.
    var isOfTake: Bool {
      [.marking, .favourite, .tags, .info, .copy, .rename, .export, .delete, .protect].contains(self)
    }
  }

  /// What a name is typed for, by the take's name in the library.
  public enum Naming: Hashable, Sendable {
    case take(String)
    case newTag(of: String)
  }

  /// What becomes of the screen.
  enum Outcome {
    case stays
    case refused(IgnoredReason)
    /// The list is asked for anew.
    case views
    /// The list is what comes next.
    case lists
    case asksDelete
  }

  public internal(set) var page = Page.menu
  public internal(set) var view = ListView()
  /// The highlighted row of the menu.
  public private(set) var row = 0
  /// All tags that takes have, A to Z, and the highlighted one.
  public private(set) var tags: [String] = []
  public private(set) var tagRow = 0
  /// The letters of the search, or of a name.
  public private(set) var board = LetterBoard()
  /// The name that is being typed, and what it is to be of.
  public private(set) var typed = ""
  public private(set) var naming: Naming?
  /// First line of the facts on the screen.
  public private(set) var line = 0
  public private(set) var facts: TakeFacts?
  /// Names of the takes that are marked, to do something to all of them; `nil`: one at a time.
  public private(set) var marked: Set<String>?
  /// Percent of what is being done to many takes.
  public private(set) var worked: Int?
  /// Percent of the copy that is being made.
  public private(set) var copied: Int?
  /// Percent of what is being copied to the stick.
  public private(set) var exported: Int?
  public private(set) var stick = StickState.Condition.absent
  /// The page of the stick is about all takes and clips, not about the chosen take.
  public private(set) var isOfAll = false

  public init() {}

  /// A page, for pictures and tests.
  public init(
    _ page: Page, row: Int = 0, view: ListView = ListView(), tags: [String] = [], cell: Int = 0,
    facts: TakeFacts? = nil,
    stick: StickState.Condition = .absent, exported: Int? = nil, isOfAll: Bool = false, marked: Set<String>? = nil,
    worked: Int? = nil, naming: Naming? = nil, typed: String = ""
  ) {
    (self.naming, self.typed) = (naming, typed)
    self.marked = marked
    self.worked = worked
    self.page = page
    self.row = max(0, min(row, rows.count - 1))
    self.view = view
    self.tags = tags
    board = LetterBoard(cell: cell, isOfNames: page == .name)
    self.facts = facts
    self.stick = stick
    self.exported = exported
    self.isOfAll = isOfAll
  }

  /// The highlighted row of the menu.
  public var chosen: Row { rows[max(0, min(row, rows.count - 1))] }
  /// The rows of the menu.
  public var rows: [Row] { marked == nil ? Row.allCases : Row.ofMany }
  /// The highlighted tag.
  public var tag: String? { tags.indices.contains(tagRow) ? tags[tagRow] : nil }

  /// Whether UP has nowhere to go on this page.
  var isAtTop: Bool {
    switch page {
    case .menu: row == 0
    case .tags: tagRow == 0
    case .search, .name: board.isAtTop
    case .info, .storage: line == 0
    case .stick: true
    }
  }

  // MARK: Keys

  mutating func open(_ transition: inout Transition) {
    page = .menu
    row = 0
    transition.library(.tags)
  }

  /// Up or down.
  mutating func move(by step: Int) -> Bool {
    switch page {
    case .menu: Appliance.Row.move(&row, by: step, count: rows.count)
    case .tags: Appliance.Row.move(&tagRow, by: step, count: tags.count + 1)
    case .info, .storage: Appliance.Row.move(&line, by: step, count: 12)
    case .search, .name: board.move(by: step * LetterBoard.columns)
    case .stick: false
    }
  }

  mutating func moveInLetters(by step: Int) -> Bool {
    board.move(by: step)
  }

  /// LEFT or RIGHT in the menu.
  mutating func change(
    by direction: Int, of take: TakeReference?, isFree: Bool, _ transition: inout Transition
  ) -> Outcome {
    switch chosen {
    case .favourite where marked != nil: return work(.favourite(direction > 0), &transition)
    case .protect where marked != nil: return work(.protect(direction > 0), &transition)
    case .protect:
      guard let take else { return .refused(.nothingLoaded) }
      guard take.isProtected != (direction > 0) else { return .refused(.atLimit) }
      transition.library(.protect(id: take.id, direction > 0))
      return .stays
    case .favourite:
      guard let take else { return .refused(.nothingLoaded) }
      guard take.isFavourite != (direction > 0) else { return .refused(.atLimit) }
      transition.library(.favourite(id: take.id, direction > 0))
      return .stays
    case .order:
      let orders = ListView.Order.allCases
      let place = (orders.firstIndex(of: view.order) ?? 0) + direction
      guard orders.indices.contains(place) else { return .refused(.atLimit) }
      view.order = orders[place]
      return .views
    case .shown:
      guard let next = view.stepped(by: direction, tags: tags) else { return .refused(.atLimit) }
      view = next
      return .views
    case .marking, .tags, .info, .search, .copy, .rename, .export, .exportAll, .delete, .storage:
      return direction > 0 ? enter(take, isFree: isFree, &transition) : .refused(.atLimit)
    }
  }

  /// CENTRE on whatever page.
  ///
  /// - Parameter isFree: nothing is being recorded, and takes may be deleted.
  mutating func enter(_ take: TakeReference?, isFree: Bool, _ transition: inout Transition) -> Outcome {
    switch page {
    case .search: return type()
    case .name: return typeName(&transition)
    case .info, .storage: return .refused(.atLimit)
    case .stick: return copyToStick(take, &transition)
    case .tags:
      guard let take else { return .refused(.nothingLoaded) }
      guard let tag else { return name(.newTag(of: take.id), from: "") }
      transition.library(.tag(id: take.id, tag, !take.has(tag)))
      return .stays
    case .menu: break
    }
    guard take != nil || !chosen.isOfTake else { return .refused(.nothingLoaded) }
    let id = take?.id ?? ""
    switch chosen {
    case .marking:
      marked = marked == nil ? [id] : nil
      return .lists
    case .favourite where marked != nil, .protect where marked != nil:
      return change(by: 1, of: take, isFree: isFree, &transition)
    case .protect: transition.library(.protect(id: id, take?.isProtected == false))
    case .favourite: transition.library(.favourite(id: id, take?.isFavourite == false))
    case .order, .shown:
      let isLast = change(by: 1, of: take, isFree: isFree, &transition)
      guard case .refused = isLast else { return isLast }
      if chosen == .order { view.order = .newest } else { view = view.ofAll }
      return .views
    case .tags:
      page = .tags
      tagRow = 0
    case .search:
      page = .search
      board = LetterBoard()
    case .rename:
      // A number is nothing to go on from.
      let isNamed = take.map { $0.shownName() == $0.displayName } ?? false
      return name(.take(id), from: isNamed ? take?.displayName ?? "" : "")
    case .info:
      show(.info)
      if facts?.id != id { facts = nil }
      transition.library(.facts(id: id))
    case .copy: transition.library(copied == nil ? .copy(id: id) : .cancelCopy)
    case .export, .exportAll:
      show(.stick)
      isOfAll = chosen == .exportAll
      // What is under way is looked at; without a stick the page says what to do.
      guard exported == nil, stick != .absent else { return .stays }
      return copyToStick(take, &transition)
    case .delete: return isFree ? .asksDelete : .refused(.busy("recording"))
    case .storage: show(.storage)
    }
    return .stays
  }

  /// Begins to copy the take, or all, to the stick, or ends what is being copied.
  mutating func copyToStick(_ take: TakeReference?, _ transition: inout Transition) -> Outcome {
    guard exported == nil else {
      transition.library(.cancelExport)
      return .stays
    }
    if isOfAll {
      transition.library(.exportAll)
      return .stays
    }
    if marked != nil { return work(.export, &transition) }
    guard let take else { return .refused(.nothingLoaded) }
    transition.library(.export(id: take.id))
    return .stays
  }

  // MARK: Several takes

  /// More are not marked by hand; that many names are known to be handled at once.
  static let mostMarked = 1000

  /// Marks a take, or no longer.
  mutating func toggle(_ take: TakeReference) -> Outcome {
    guard var marked else { return .refused(.nothingLoaded) }
    if marked.remove(take.id) == nil {
      guard marked.count < Self.mostMarked else { return .refused(.atLimit) }
      marked.insert(take.id)
    }
    self.marked = marked
    return .stays
  }

  /// Each take for itself again.
  mutating func endMarking() { (marked, row) = (nil, 0) }

  /// Has something done to all that are marked, and marks none any more unless it can be looked at.
  mutating func work(_ work: TakesWork, _ transition: inout Transition) -> Outcome {
    guard worked == nil else { return .refused(.busy("takes")) }
    guard let marked, !marked.isEmpty else { return .refused(.nothingLoaded) }
    transition.library(.work(work, ids: marked.sorted()))
    if work == .export { return .stays }
    endMarking()
    worked = 0
    return .lists
  }

  /// STOP.
  ///
  /// - Returns: whether the list comes next.
  mutating func leave() -> Bool {
    if page == .menu || page == .search { return true }
    if page == .name, case .newTag = naming { page = .tags } else { page = .menu }
    return false
  }

  private mutating func show(_ page: Page) {
    self.page = page
    line = 0
  }

  // MARK: What is typed

  /// The highlighted letter.
  private mutating func type() -> Outcome {
    switch board.press(on: &view.query) {
    case .typed: .views
    case .turned, .done: .stays
    case .refused: .refused(.atLimit)
    }
  }

  private mutating func name(_ naming: Naming, from text: String) -> Outcome {
    (page, self.naming, typed) = (.name, naming, text)
    board = LetterBoard(isOfNames: true)
    return .stays
  }

  private mutating func typeName(_ transition: inout Transition) -> Outcome {
    switch board.press(on: &typed) {
    case .typed, .turned: return .stays
    case .refused: return .refused(.atLimit)
    case .done: break
    }
    // What was typed with much patience stays until there is a card to take it.
    guard !transition.health.isStorageMissing else { return .refused(.deviceMissing(.storage)) }
    if typed.last == " " { typed.removeLast() }
    guard let naming, !typed.isEmpty else { return .refused(.atLimit) }
    switch naming {
    case .take(let id):
      transition.library(.rename(id: id, typed))
      page = .menu
    case .newTag(let id):
      transition.library(.tag(id: id, typed, true))
      transition.library(.tags)
      page = .tags
    }
    self.naming = nil
    return .stays
  }

  // MARK: Reports

  mutating func receive(tags: [String]) {
    self.tags = tags
    tagRow = min(tagRow, tags.count)
  }

  mutating func receive(_ facts: TakeFacts) { self.facts = facts }
  mutating func note(worked percent: Int?) { worked = percent }
  mutating func note(copied percent: Int?) { copied = percent }
  mutating func note(exported percent: Int?) { exported = percent }
  mutating func note(_ stick: StickState.Condition) { self.stick = stick }
}
