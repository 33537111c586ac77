internal import Appliance
internal import Hardware

/// Date, time and zone being set.
extension Drawing {
  mutating func clock() -> String {
    heading(text(.dateAndTime), value: readings.clockText)
    guard let draft = state.shown.clock else { return "clock" }
    let font = isLarge ? Font.large : .bold
    let height = isLarge ? 18 : 15
    // Strokes and colons are drawn, not written: they belong to no field.
    var x = clockFields([.year, .month, .day], draft, font, from: 2, y: 12, height: height)
    x = isLarge ? 2 : x + 8
    let y = isLarge ? 12 + height : 12
    _ = clockFields([.hour, .minute], draft, font, from: x, y: y, height: height)
    let zone = Area(0, isLarge ? 49 : 31, Canvas.width, isLarge ? 14 : 13)
    if isLarge, draft.isWaiting {
      canvas.text(text(.clockWait), in: zone, align: .centre)
      return "clock"
    }
    let ink = highlight(zone, isSelected: draft.field == .zone)
    canvas.text(draft.zone, .body, in: zone.inset(2, 1), align: .centre, fit: .middle, ink: ink)
    if !isLarge {
      canvas.text(
        text(draft.isWaiting ? .clockWait : .clockAdvice), in: Area(0, 50, Canvas.width, 9), align: .centre)
    }
    return "clock"
  }

  /// Fields beside each other.
  ///
  /// - Returns: where the last one ends.
  private mutating func clockFields(
    _ fields: [ClockDraft.Field], _ draft: ClockDraft, _ font: Font, from start: Int, y: Int, height: Int
  ) -> Int {
    var x = start
    for field in fields {
      let value = draft.text(of: field)
      let area = Area(x, y, font.width(of: value) + 4, height)
      let ink = highlight(area, isSelected: draft.field == field)
      canvas.text(value, font, in: area.inset(2, 1), ink: ink)
      x = area.endX + 5
      guard field != fields.last else { continue }
      let middle = y + height / 2
      switch field {
      case .hour:
        for dot in [middle - 2, middle + 2] { canvas.frame.fill(Area(x - 3, dot, 1, 2)) }
      default: canvas.frame.fill(Area(x - 4, middle, 3, 1))
      }
    }
    return x - 5
  }
}
