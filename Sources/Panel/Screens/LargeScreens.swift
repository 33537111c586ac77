internal import Appliance
internal import Hardware

/// A row of a list in large text: a title, and below it what belongs to it.
struct LargeRow {
  var icons: [Icon] = []
  var title: String
  var value: String
  /// Names keep their end, words their beginning.
  var fit = Fit.end
}

/// Screens for people who need large letters (`ui.largeText`): less at a time, and what is too long ends with an ellipsis.
extension Drawing {
  var isLarge: Bool { state.settings.hasLargeText }

  /// Rows of a list that are in sight at a time.
  static let largeRows = 2
  private static let largePitch = 27

  /// The list around the highlighted row.
  ///
  /// - Parameter row: of this drawing the row of an index; `nil` where nothing is known of it yet.
  mutating func largeList(selected: Int, count: Int, row: (Drawing, Int) -> LargeRow?) {
    guard count > 0 else { return }
    let selected = max(0, min(selected, count - 1))
    let first = max(0, min(selected - selected % Self.largeRows, count - Self.largeRows))
    for index in first..<min(count, first + Self.largeRows) {
      guard let row = row(self, index) else { continue }
      let place = Area(
        0, Self.statusHeight + (index - first) * Self.largePitch, ListLayout.width, Self.largePitch)
      largeRow(row, in: place, isSelected: index == selected)
    }
    scrollBar(first: first, shown: Self.largeRows, count: count)
  }

  private mutating func largeRow(_ row: LargeRow, in area: Area, isSelected: Bool) {
    let ink = highlight(area, isSelected: isSelected)
    var x = area.x + 2
    for icon in row.icons {
      canvas.frame.icon(icon, x: x, y: area.y + 4, ink: ink)
      x += icon.width + 2
    }
    // With room for what hangs below the line.
    let title = Area(x, area.y - 1, area.endX - x - 2, 18)
    let value = Area(area.x + 2, area.y + 14, area.width - 4, 12)
    // What hangs below the line of the largest letters needs the place beside the value.
    let isValueBelow = Font.body.width(of: row.value) + 4 > title.width - Font.large.width(of: row.title)
    canvas.text(row.title, isValueBelow ? .bold : .large, in: title, fit: row.fit, ink: ink)
    canvas.text(row.value, .body, in: value, align: .trailing, fit: .middle, ink: ink)
  }

  /// Titles and values, one below the other, from one of the rows on.
  mutating func largeFacts(_ rows: [MenuRow], from top: Int) {
    let first = max(0, min(top, rows.count - 1))
    var y = Self.statusHeight + 1
    for row in rows.dropFirst(first) {
      guard y + 26 <= canvas.frame.height else { break }
      canvas.text(row.title, .bold, in: Area(0, y, ListLayout.width, 13), fit: .end)
      canvas.text(row.value, .body, in: Area(0, y + 13, ListLayout.width, 12), align: .trailing, fit: .middle)
      y += Self.largePitch
    }
    scrollBar(first: first, shown: Self.largeRows, count: rows.count)
  }

  /// A notice over all but the status bar: in the largest letters in which it is whole, else to its last word that fits.
  mutating func largeNotice(_ text: String) {
    let area = Area(0, 10, Canvas.width, 54)
    canvas.card(area)
    let body = area.inset(4, 2)
    for (font, pitch) in [(Font.large, 16), (.bold, 12), (.body, 10)] {
      let most = body.height / pitch
      let lines = wrapped(text, font, in: body.width, maximum: most + 1)
      if lines.count <= most { return write(lines, font, in: body, pitch: pitch) }
    }
    write(wrapped(text, .small, in: body.width, maximum: body.height / 8), .small, in: body, pitch: 8)
  }

  /// A timer twice as high as elsewhere.
  mutating func largeTimer(_ text: String) { canvas.doubled(text, .body, in: Area(0, 10, Canvas.width, 22)) }

  /// What can still be recorded, in large letters.
  mutating func largeTimeLeft(y: Int) {
    guard let seconds = readings.timeLeftSeconds else { return }
    let isLow = isRoomLow
    let words = amounts.brief(seconds) + " " + text(.left)
    let width = Font.bold.width(of: words)
    if isLow { canvas.frame.badge(Area(0, y, width + 13, 14)) }
    canvas.frame.icon(.card, x: isLow ? 2 : 0, y: y + 3, ink: isLow ? .dark : .lit)
    canvas.text(words, .bold, in: Area(11, y, width, 14), ink: isLow ? .dark : .lit)
  }
}
