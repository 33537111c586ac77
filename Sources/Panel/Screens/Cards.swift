internal import Appliance
internal import Hardware

/// Cards lie over a screen and leave its status bar free.
extension Drawing {
  /// What happened, to what, and what to do: an error on a card, all else in a strip at the bottom, as long as it is short.
  mutating func notice(_ notice: Notice) {
    if isLarge { return largeNotice(notice.sentence.text(in: language)) }
    if let lines = stripLines(of: notice) {
      let height = 8 * lines.count + 4
      let strip = Area(0, canvas.frame.height - height, Canvas.width, height)
      canvas.card(strip)
      return write(lines, .small, in: strip.inset(4, 2), pitch: 8)
    }
    // Whatever screen lies below: while a take is open its time stays in sight above the card.
    let area = Area(0, 10, Canvas.width, 54)
    canvas.card(area)
    if notice.severity == .error { canvas.frame.outline(area.inset(1, 1)) }
    let icon: Icon = notice.severity == .information ? .informationLarge : .warningLarge
    let footer = Area(area.x + 5, area.endY - 10, area.width - 10, 7)
    canvas.text(text(state.isLocked ? .unlockAdvice : .anyKey), in: footer, align: .trailing)
    let body = Area(24, 13, 100, 40)
    let wide = Area(5, 13, 117, 40)
    // As large as it fits: large letters beside the icon, small ones, small ones without the icon.
    if let lines = lines(notice.sentence.text(in: language), .body, in: body, pitch: 10) {
      canvas.frame.icon(icon, x: 4, y: 15)
      write(lines, .body, in: body, pitch: 10)
    } else if let lines = lines(notice.sentence.text(in: language), .small, in: body, pitch: 8) {
      canvas.frame.icon(icon, x: 4, y: 15)
      write(lines, .small, in: body, pitch: 8)
    } else {
      write(wrapped(notice.sentence.text(in: language), .small, in: wide.width, maximum: 5), .small, in: wide, pitch: 8)
    }
  }

  /// The lines of a notice that need not cover what it lies over; `nil`: it is grave, or long.
  private func stripLines(of notice: Notice) -> [String]? {
    guard notice.severity != .error, !isLarge else { return nil }
    return lines(notice.sentence.text(in: language), .small, in: Area(0, 0, Canvas.width - 8, 24), pitch: 8)
  }

  /// Whether a card hides what lies below the status bar.
  var isCovered: Bool { state.notice.map { stripLines(of: $0) == nil } ?? false }

  /// How to get out of the lock; the timer above it stays in sight.
  mutating func lockHint() {
    let card = Area(2, 28, 123, 34)
    canvas.card(card)
    canvas.frame.icon(.lockLarge, x: 36, y: card.y + 4)
    canvas.text(text(.locked), .bold, in: Area(54, card.y + 4, 60, 13))
    canvas.text(text(.unlockAdvice), in: Area(card.x + 3, card.y + 21, card.width - 6, 8), align: .centre)
  }

  /// The PIN being entered: only the digit that is being chosen can be read.
  mutating func pinEntry(_ pin: PinGate) {
    let card = Area(2, 12, 123, 50)
    canvas.card(card)
    canvas.frame.icon(.lockLarge, x: 7, y: 16)
    let digits = pin.digits ?? []
    canvas.text(text(.pin), .bold, in: Area(25, 15, 96, 13))
    let (width, gap) = (11, 3)
    var x = 64 - (PinGate.lengths.upperBound * (width + gap) - gap) / 2
    for place in 0..<PinGate.lengths.upperBound {
      let cell = Area(x, 30, width, 16)
      if place == digits.count - 1 {
        canvas.frame.badge(cell)
        canvas.text(String(digits[place]), .bold, in: cell.inset(1, 2), align: .centre, ink: .dark)
      } else if place < digits.count {
        canvas.frame.fill(Area(x + 3, 36, 5, 5))
      } else {
        canvas.frame.fill(Area(x + 2, 44, 7, 1))
      }
      x += width + gap
    }
    canvas.text(text(pin.wasWrong ? .pinWrong : .pinAdvice), in: Area(5, 51, 117, 8), align: .centre)
  }

  /// Whether the chosen take is to go.
  mutating func deleteQuestion(_ take: TakeReference) {
    let card = Area(2, 12, 123, 50)
    canvas.card(card)
    canvas.frame.icon(.binLarge, x: 7, y: 16)
    let marked = state.mode == .clips ? nil : state.files.browser.marked
    let question: Phrase = state.mode == .clips ? .deleteClip : marked == nil ? .deleteQuestion : .deleteMany
    canvas.text(text(question), .bold, in: Area(25, 15, 98, 13))
    let length = marked.map { "\($0.count)" } ?? amounts.timer(take.seconds)
    let lengthWidth = Font.small.width(of: length)
    let name = marked == nil ? shown(take.displayName) : text(.takes)
    canvas.text(name, in: Area(6, 29, 111 - lengthWidth, 8), fit: .middle)
    canvas.text(length, in: Area(121 - lengthWidth, 29, lengthWidth, 8), align: .trailing)
    canvas.frame.badge(Area(5, 39, 117, 10))
    canvas.text(text(.deleteYes), in: Area(7, 40, 114, 8), align: .centre, ink: .dark)
    canvas.text(text(.deleteNo), in: Area(7, 51, 114, 8), align: .centre)
  }

  private func lines(_ text: String, _ font: Font, in area: Area, pitch: Int) -> [String]? {
    let maximum = area.height / pitch
    let lines = wrapped(text, font, in: area.width, maximum: maximum + 1)
    return lines.count <= maximum ? lines : nil
  }

  mutating func write(_ lines: [String], _ font: Font, in area: Area, pitch: Int) {
    for (index, line) in lines.enumerated() {
      canvas.text(line, font, in: Area(area.x, area.y + index * pitch, area.width, pitch))
    }
  }
}
