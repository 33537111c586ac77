/// The list of takes, or of clips: a window on the library, which lives on the storage lane.
public struct FileList: Hashable, Sendable {
  /// What is listed.
  public enum Kind: Hashable, Sendable {
    case takes
    case clips
  }

  private let kind: Kind
  /// Files in the library.
  public private(set) var count: Int
  /// The highlighted one, 0 is the newest.
  public private(set) var selected: Int
  /// Index of the first of `window`.
  public private(set) var windowStart: Int
  /// The files around the highlighted one; empty until the library has answered.
  public private(set) var window: [TakeReference]
  /// Set while the user is asked whether to delete the highlighted file.
  public private(set) var isConfirmingDelete: Bool
  /// Hardly ever anything else than as it begins: it is copied as a pointer.
  private var apart: Apart<TakeBrowser>?

  /// Files that are asked of the library at a time.
  public static let windowLength = 32
  /// Rows that LEFT and RIGHT turn over.
  public static let pageLength = 5
  /// The window is asked for anew when the highlighted file comes this near to its edge.
  private static let margin = 4
  /// More files than any card holds; keeps arithmetic on rows from overflowing, whatever is reported.
  private static let possibleCounts = 0...10_000_000

  public init(
    of kind: Kind = .takes, count: Int = 0, selected: Int = 0, windowStart: Int = 0, window: [TakeReference] = [],
    isConfirmingDelete: Bool = false, browser: TakeBrowser = TakeBrowser()
  ) {
    self.kind = kind
    self.count = count
    self.selected = selected
    self.windowStart = windowStart
    self.window = window
    self.isConfirmingDelete = isConfirmingDelete
    self.browser = browser
  }

  /// What lies behind the list, and which takes it shows.
  public var browser: TakeBrowser {
    get { if case .value(let browser) = apart { browser } else { TakeBrowser() } }
    set { apart = newValue == TakeBrowser() ? nil : .value(newValue) }
  }

  /// The highlighted file, if the library has told about it.
  public var selection: TakeReference? {
    window.indices.contains(selected - windowStart) ? window[selected - windowStart] : nil
  }

  /// What is known of a file by its id.
  func known(_ id: String) -> TakeReference? { window.first { $0.id == id } }

  // MARK: Moving

  /// Begins at the first file of all, and asks the library for it.
  mutating func open(_ transition: inout Transition) {
    if apart != nil {
      browser.view = browser.view.ofAll
      browser.endMarking()
    }
    begin(&transition)
  }

  /// The same of those that are to be shown.
  mutating func begin(_ transition: inout Transition) {
    selected = 0
    windowStart = 0
    window = []
    isConfirmingDelete = false
    requestWindow(&transition)
  }

  mutating func move(by step: Int, _ transition: inout Transition) {
    guard let target = Row.moved(selected, by: step, count: count) else {
      transition.refuse(.atLimit)
      return
    }
    selected = target
    let end = windowStart + window.count
    let isNearStart = windowStart > 0 && target < windowStart + Self.margin
    let isNearEnd = end < count && target >= end - Self.margin
    if isNearStart || isNearEnd || target < windowStart || target >= end { requestWindow(&transition) }
  }

  private func requestWindow(_ transition: inout Transition) {
    let start = max(0, selected - Self.windowLength / 2)
    switch kind {
    case .takes: transition.library(.window(start: start, count: Self.windowLength, view: browser.view))
    case .clips: transition.library(.clipWindow(start: start, count: Self.windowLength))
    }
  }

  /// The highlighted file; refuses and is `nil` if there is none or it is not known yet.
  func highlighted(_ transition: inout Transition) -> TakeReference? {
    if let file = selection { return file }
    transition.refuse(count > 0 ? .busy("library") : .nothingLoaded)
    return nil
  }

  // MARK: Deleting

  mutating func askDelete(_ transition: inout Transition) {
    guard let file = highlighted(&transition) else { return }
    if let marked = browser.marked {
      if marked.isEmpty { transition.refuse(.nothingLoaded) } else { isConfirmingDelete = true }
      return
    }
    guard !file.isProtected else {
      transition.refuse(.protected)
      return
    }
    isConfirmingDelete = true
  }

  mutating func cancelDelete() { isConfirmingDelete = false }

  /// The answer was yes.
  ///
  /// - Returns: what is to be deleted.
  mutating func confirmDelete(_ transition: inout Transition) -> TakeReference? {
    isConfirmingDelete = false
    return highlighted(&transition)
  }

  // MARK: Reports

  /// The library has sent a window.
  mutating func receive(start: Int, files: [TakeReference], count reported: Int) {
    let asked = selection?.id
    count = Self.possible(reported)
    windowStart = min(max(0, start), count)
    window = files.count <= count - windowStart ? files : Array(files.prefix(count - windowStart))
    clampSelection()
    // What is about to be deleted must not change under the user's thumb.
    if selection?.id != asked { isConfirmingDelete = false }
  }

  /// Rows have moved: until the library has answered anew, no row may stand for a file it no longer shows.
  mutating func change(count reported: Int, isShown: Bool, _ transition: inout Transition) {
    count = Self.possible(reported)
    windowStart = 0
    window = []
    isConfirmingDelete = false
    clampSelection()
    if isShown { requestWindow(&transition) }
  }

  /// A file has another name, or the like.
  mutating func renew(_ file: TakeReference, isShown: Bool, _ transition: inout Transition) {
    guard window.contains(where: { $0.id == file.id && $0 != file }) else { return }
    for index in window.indices where window[index].id == file.id { window[index] = file }
    // It may not be one of those that are shown any more.
    if isShown, !browser.view.showsAll { requestWindow(&transition) }
  }

  /// A file has been protected, or may go again.
  mutating func note(protectionOf file: TakeReference) {
    for index in window.indices where window[index].id == file.id { window[index].isProtected = file.isProtected }
    if selection?.id == file.id { isConfirmingDelete = false }
  }

  private static func possible(_ count: Int) -> Int {
    min(max(count, possibleCounts.lowerBound), possibleCounts.upperBound)
  }

  private mutating func clampSelection() { selected = min(max(0, selected), max(0, count - 1)) }
}
