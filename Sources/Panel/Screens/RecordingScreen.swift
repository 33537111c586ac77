internal import Appliance
internal import Hardware

extension Drawing {
  /// The info card of an open take, running or paused.
  mutating func recording() {
    let timer = Amounts.timer(readings.takeSeconds)
    // A notice covers all but the status bar: then the time is what must stay in sight.
    statusBar(state.notice == nil ? takeName : timer, .middle)
    takeFacts(timer, readings.formatText, Amounts.size(readings.sizeBytes))
    if state.health.hasMicrophone {
      meters(y: 27)
    } else {
      canvas.frame.badge(Area(0, 28, 128, 13))
      canvas.text(text(.silence), .body, in: Area(4, 29, 120, 11), align: .centre, ink: .dark)
    }
    if state.activity == .paused {
      canvas.frame.dots(row: 44, from: 0, to: 128)
      canvas.text(text(.hintResume), in: Area(0, 47, 64, 7))
      canvas.text(text(.hintSave), in: Area(64, 47, 64, 7), align: .trailing)
    } else {
      liveWaveform(in: Area(0, 44, 128, 12))
    }
    timeLeft(y: Self.bottom.y)
    if state.dictaphone.recording.inputGain != 0 {
      canvas.text(
        Amounts.gain(state.dictaphone.recording.inputGain), in: Area(68, Self.bottom.y, 32, 7), align: .trailing)
    }
    markCount()
  }

  /// A timer, and two short facts on its right.
  mutating func takeFacts(_ timer: String, _ upper: String, _ lower: String) {
    // From 100 hours on the timer takes a place of the facts'.
    let column = max(83, Canvas.timerWidth(timer) + 1)
    canvas.timer(timer, in: Area(0, 11, column - 1, 14))
    canvas.text(upper, in: Area(column, 10, 128 - column, 7), align: .trailing, fit: .end)
    canvas.text(lower, in: Area(column, 18, 128 - column, 7), align: .trailing)
  }

  /// How many marks the take has, with a flag, in the bottom right corner.
  mutating func markCount() {
    guard readings.markCount > 0 else { return }
    let count = readings.markCount > 9999 ? "9999" : "\(readings.markCount)"
    let width = Font.small.width(of: count)
    canvas.text(count, in: Area(128 - width, Self.bottom.y, width, 7), align: .trailing)
    canvas.frame.icon(.mark, x: 128 - width - 7, y: Self.bottom.y)
  }

  /// The take is being completed on the storage.
  mutating func saving() {
    statusBar(takeName, .middle)
    savingBody(Amounts.timer(readings.takeSeconds) + "  " + Amounts.size(readings.sizeBytes))
  }

  mutating func savingBody(_ facts: String) {
    canvas.text(text(.saving), .large, in: Area(0, 10, 128, 20), align: .centre)
    canvas.text(facts, .body, in: Area(0, 31, 128, 11), align: .centre)
    canvas.text(text(.savingAdvice), in: Area(0, 43, 128, 7), align: .centre)
    // A block that runs to and fro every two seconds: how long the storage takes is not known beforehand.
    let track = Area(4, 54, 120, 8)
    canvas.frame.outline(track)
    let period: Int64 = 2_000_000_000
    let phase = Double((now.nanoseconds % period + period) % period) / Double(period)
    let place = (phase < 0.5 ? phase : 1 - phase) * 2
    canvas.frame.fill(Area(track.x + 2 + Int(place * 92), track.y + 2, 24, 4))
  }
}
