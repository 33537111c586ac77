internal import Appliance
internal import Hardware

extension Drawing {
  /// The info card of an open take, running or paused.
  mutating func recording() {
    let timer = amounts.timer(readings.takeSeconds)
    // A notice covers all but the status bar: then the time is what must stay in sight.
    statusBar(isCovered ? timer : takeName, .middle)
    guard !isLarge else { return largeRecording(timer) }
    takeFacts(timer, readings.formatText, amounts.size(readings.sizeBytes))
    if state.health.hasMicrophone {
      meters(y: 27)
    } else {
      canvas.frame.badge(Area(0, 28, Canvas.width, 13))
      canvas.text(text(.silence), .body, in: Area(4, 29, 120, 11), align: .centre, ink: .dark)
    }
    if state.activity == .paused {
      canvas.frame.dots(row: 44, from: 0, to: Canvas.width)
      canvas.text(text(.hintResume), in: Area(0, 47, 64, 7))
      canvas.text(text(.hintSave), in: Area(64, 47, 63, 7), align: .trailing)
    } else if state.dictaphone.recording.isWaiting {
      canvas.frame.dots(row: 44, from: 0, to: Canvas.width)
      canvas.text(text(.waitingForVoice), in: Area(0, 47, Canvas.width, 7), align: .centre)
    } else {
      liveWaveform(in: Area(0, 44, Canvas.width, 12))
    }
    var end = markCount()
    let gain = state.settings.inputGain
    if gain != 0 {
      let words = amounts.gain(gain)
      let width = Font.small.width(of: words)
      end -= width + Font.small.width
      canvas.text(words, in: Area(end, Self.bottom.y, width, 7))
    }
    timeLeft(y: Self.bottom.y, before: end)
  }

  private mutating func largeRecording(_ timer: String) {
    largeTimer(timer)
    if state.health.hasMicrophone {
      meters(y: 33)
    } else {
      canvas.frame.badge(Area(0, 34, Canvas.width, 13))
      canvas.text(text(.silence), .body, in: Area(4, 35, 120, 11), align: .centre, ink: .dark)
    }
    largeTimeLeft(y: 50)
  }

  /// A timer, and two short facts on its right.
  mutating func takeFacts(_ timer: String, _ upper: String, _ lower: String) {
    // From 100 hours on the timer takes a place of the facts'.
    let column = max(83, Canvas.timerWidth(timer) + 1)
    canvas.timer(timer, in: Area(0, 11, column - 1, 14))
    canvas.text(upper, in: Area(column, 10, Canvas.width - column, 7), align: .trailing, fit: .end)
    canvas.text(lower, in: Area(column, 18, Canvas.width - column, 7), align: .trailing)
  }

  /// How many marks the take has, with a flag, in the bottom right corner.
  ///
  /// - Returns: where that begins.
  @discardableResult
  mutating func markCount() -> Int {
    guard readings.markCount > 0 else { return Canvas.width }
    let count = readings.markCount > 9999 ? "9999" : "\(readings.markCount)"
    let width = Font.small.width(of: count)
    canvas.text(count, in: Area(Canvas.width - width, Self.bottom.y, width, 7), align: .trailing)
    canvas.frame.icon(.mark, x: Canvas.width - width - 7, y: Self.bottom.y)
    return Canvas.width - width - 7
  }

  /// The take is being completed on the storage.
  mutating func saving() {
    statusBar(takeName, .middle)
    savingBody(amounts.timer(readings.takeSeconds) + "  " + amounts.size(readings.sizeBytes))
  }

  mutating func savingBody(_ facts: String) {
    canvas.text(text(.saving), .large, in: Area(0, 10, Canvas.width, 20), align: .centre)
    canvas.text(facts, .body, in: Area(0, 31, Canvas.width, 11), align: .centre)
    canvas.text(text(.savingAdvice), in: Area(0, 43, Canvas.width, 7), align: .centre)
    // A block that runs to and fro every two seconds: how long the storage takes is not known beforehand.
    let track = Area(4, 54, 120, 8)
    canvas.frame.outline(track)
    let period: Int64 = 2_000_000_000
    let phase = Double((now.nanoseconds % period + period) % period) / Double(period)
    let place = (phase < 0.5 ? phase : 1 - phase) * 2
    canvas.frame.fill(Area(track.x + 2 + Int(place * 92), track.y + 2, 24, 4))
  }
}
