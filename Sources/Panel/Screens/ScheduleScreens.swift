internal import Appliance
internal import Hardware

extension Drawing {
  /// When the device records by itself, and what of it comes next.
  mutating func schedules() -> String {
    heading(text(.schedules), value: readings.nextScheduleText)
    let rows = ScheduleMenu.rows(state.settings)
    let selected = state.shown.schedules.selected(of: rows)
    if isLarge {
      largeList(selected: selected, count: rows.count) { drawing, index in
        let words = drawing.words(of: rows[index])
        return LargeRow(title: words.title, value: words.value)
      }
      return "schedules"
    }
    let first = ListLayout.first(selected: selected, count: rows.count)
    for (index, row) in rows.enumerated().dropFirst(first).prefix(ListLayout.rows) {
      let area = ListLayout.row(index - first)
      let ink = highlight(area, isSelected: index == selected)
      let (title, value) = words(of: row)
      let width = min(Font.small.width(of: value), max(20, area.width - Font.small.width(of: title) - 12))
      let start = area.endX - width - 2
      canvas.text(title, in: Area(area.x + 2, area.y, start - area.x - 8, area.height), fit: .end, ink: ink)
      canvas.text(value, in: Area(start, area.y, width, area.height), align: .trailing, fit: .middle, ink: ink)
    }
    scrollBar(first: first, shown: ListLayout.rows, count: rows.count)
    return "schedules"
  }

  private func words(of row: ScheduleMenu.Row) -> (title: String, value: String) {
    switch row {
    case .schedule(let schedule): (schedule.words.text(in: language), text(schedule.isOn ? .on : .off))
    case .add: (text(.addSchedule), "+")
    case .clock: (text(.zoneAndPlace), state.settings.zone)
    }
  }

  /// One of them, or zone and place, being edited.
  mutating func schedule() -> String {
    heading(text(.schedule), value: readings.clockText)
    if let draft = state.shown.schedules.draft {
      values(
        draft.texts.map { MenuRow($0.title.text(in: language), $0.value.text(in: language)) }, selected: draft.selected)
    }
    return "schedule"
  }
}
