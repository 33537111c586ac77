import Hardware

// The list of takes. The list itself lives on the storage worker; here is a window on it.
extension Turn {
  /// The window is asked for anew when the highlighted take comes this near to its edge.
  private static let margin = 4
  /// More takes than any card holds; keeps arithmetic on rows from overflowing, whatever is reported.
  private static let possibleCounts = 0...10_000_000

  mutating func moveSelection(by step: Int) {
    guard let target = Self.moved(state.files.selected, by: step, count: state.files.count) else {
      refuse(.atLimit)
      return
    }
    state.files.selected = target
    let start = state.files.windowStart
    let end = start + state.files.window.count
    let isNearStart = start > 0 && target < start + Self.margin
    let isNearEnd = end < state.files.count && target >= end - Self.margin
    if isNearStart || isNearEnd || target < start || target >= end { requestWindow() }
  }

  mutating func requestWindow() {
    let start = max(0, state.files.selected - FileList.windowLength / 2)
    switch state.mode {
    case .dictaphone: order(.window(start: start, count: FileList.windowLength))
    case .clips: order(.clipWindow(start: start, count: FileList.windowLength))
    case .dub: break
    }
  }

  mutating func playSelected() {
    guard let take = highlighted() else { return }
    play(take)
  }

  mutating func askDelete() {
    guard let take = highlighted() else { return }
    guard !take.isProtected else {
      refuse(.protected)
      return
    }
    state.files.isConfirmingDelete = true
  }

  mutating func confirmDelete() {
    state.files.isConfirmingDelete = false
    guard let take = highlighted() else { return }
    if state.loaded?.id == take.id { unload() }
    order(state.mode == .clips ? .deleteClip(id: take.id) : .delete(id: take.id))
  }

  /// The highlighted take; refuses and is `nil` if there is none or it is not known yet.
  mutating func highlighted() -> TakeReference? {
    if let take = state.files.selection { return take }
    refuse(state.files.count > 0 ? .busy("library") : .nothingLoaded)
    return nil
  }

  // MARK: Reports

  mutating func take(_ report: LibraryReport) {
    switch report {
    case .window(let start, let takes, let count): if state.mode == .dictaphone { window(start, takes, count) }
    case .changed(let count): if state.mode == .dictaphone { changed(count) }
    case .clipWindow(let start, let clips, let count): if state.mode == .clips { window(start, clips, count) }
    case .clipsChanged(let count, let last):
      state.clips.last = last
      if state.mode == .clips { changed(count) }
    case .protected(let clip): protected(clip)
    case .deleted(let take):
      if state.loaded?.id == take.id { unload() }
      if state.clips.last?.id == take.id { state.clips.last = nil }
      if state.clips.loadedElsewhere?.id == take.id { state.clips.loadedElsewhere = nil }
      raise(.information, "deleted", "\(take.displayName) is deleted.", for: .seconds(3))
    case .failed(let code, let text): fail(code, text)
    }
  }

  /// A clip has been protected, or may go again.
  private mutating func protected(_ clip: TakeReference) {
    for index in state.files.window.indices where state.files.window[index].id == clip.id {
      state.files.window[index].isProtected = clip.isProtected
    }
    if state.clips.last?.id == clip.id { state.clips.last?.isProtected = clip.isProtected }
    if state.files.selection?.id == clip.id { state.files.isConfirmingDelete = false }
  }

  private mutating func window(_ start: Int, _ takes: [TakeReference], _ count: Int) {
    let asked = state.files.selection?.id
    let count = Self.possible(count)
    let start = min(max(0, start), count)
    state.files.count = count
    state.files.windowStart = start
    state.files.window = takes.count <= count - start ? takes : Array(takes.prefix(count - start))
    clampSelection()
    // What is about to be deleted must not change under the user's thumb.
    if state.files.selection?.id != asked { state.files.isConfirmingDelete = false }
    if state.screen == .receipt, state.files.selection?.id != asked { state.screen = .files }
  }

  /// Rows have moved: until the library has answered anew, no row may stand for a take it no longer shows.
  private mutating func changed(_ count: Int) {
    state.files.count = Self.possible(count)
    state.files.windowStart = 0
    state.files.window = []
    state.files.isConfirmingDelete = false
    clampSelection()
    if state.screen == .receipt { state.screen = .files }
    if state.screen == .files { requestWindow() }
  }

  private static func possible(_ count: Int) -> Int {
    min(max(count, possibleCounts.lowerBound), possibleCounts.upperBound)
  }

  private mutating func clampSelection() {
    state.files.selected = min(max(0, state.files.selected), max(0, state.files.count - 1))
  }
}
