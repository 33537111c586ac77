internal import Appliance
internal import Hardware

extension Drawing {
  /// Clips with their thumbnails, two at a time.
  mutating func clipRows() {
    let list = state.files
    let shown = 2
    let first = max(0, min(list.selected - list.selected % shown, list.count - 1))
    for index in first..<min(first + shown, max(first, list.count)) {
      guard list.window.indices.contains(index - list.windowStart) else { continue }
      let row = Area(0, Self.statusHeight + 1 + (index - first) * 27, ListLayout.width, 26)
      clipRow(list.window[index - list.windowStart], in: row, isSelected: index == list.selected)
    }
    scrollBar(first: first, shown: shown, count: list.count)
  }

  private mutating func clipRow(_ clip: TakeReference, in row: Area, isSelected: Bool) {
    let card = readings.clips.cards[clip.id]
    let picture = Area(row.x + 2, row.y + 1, 42, 24)
    if let thumbnail = card?.thumbnail {
      draw(thumbnail, in: picture.fitting(thumbnail))
    } else {
      canvas.frame.outline(picture)
      canvas.frame.icon(.cameraLarge, x: picture.x + 13, y: picture.y + 6)
    }
    let words = Area(picture.endX + 2, row.y, row.endX - picture.endX - 2, row.height)
    if isSelected {
      canvas.frame.badge(words)
      canvas.frame.outline(Area(row.x, row.y, picture.width + 4, row.height))
    }
    let ink: Ink = isSelected ? .dark : .lit
    var x = words.x + 3
    if clip.id == state.loaded?.id && state.activity != .idle {
      canvas.frame.icon(.play, x: x, y: words.y + 2, ink: ink)
      x += 8
    }
    let nameEnd = words.endX - (clip.isProtected ? 9 : 2)
    canvas.text(shown(clip.displayName), in: Area(x, words.y + 1, nameEnd - x, 9), fit: .middle, ink: ink)
    if clip.isProtected { canvas.frame.icon(.lock, x: words.endX - 7, y: words.y + 2, ink: ink) }
    let zone = Zone(state.settings.zone) ?? .utc
    canvas.text(
      card?.made.map { zone.dayAndClock($0, in: language) } ?? "",
      in: Area(words.x + 3, words.y + 10, words.width - 5, 7), fit: .end, ink: ink)
    canvas.text(amounts.brief(clip.seconds), in: Area(words.x + 3, words.y + 18, words.width - 5, 7), ink: ink)
  }

  /// The facts of the highlighted clip.
  mutating func receipt() -> String {
    guard let clip = state.files.selection else { return files() }
    heading(shown(clip.displayName))
    let rows = readings.clips.receipt.prefix(6)
    if rows.isEmpty { emptyList(.readingList, nil) }
    for (index, row) in rows.enumerated() {
      let y = 10 + index * 9
      let titleWidth = min(Font.small.width(of: row.title), 60)
      canvas.text(row.title, in: Area(0, y, titleWidth, 8), fit: .end)
      canvas.text(
        row.value, in: Area(titleWidth + 4, y, 124 - titleWidth, 8), align: .trailing, fit: .middle)
    }
    return "receipt"
  }
}
