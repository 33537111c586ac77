internal import Appliance
internal import Hardware

extension Drawing {
  /// Stopped: whether a REC press would be recorded, and what it would keep.
  mutating func idle() {
    let rate = readings.sampleRate > 0 ? " " + amounts.rate(readings.sampleRate) : ""
    statusBar(readings.formatText + rate, .end, value: readings.clockText)
    if let trouble = state.health.storageTrouble(in: state.mode) {
      cannotRecord(trouble.phrase, trouble.advice(in: state.mode))
    } else if !state.health.hasMicrophone {
      cannotRecord(.noMicrophone, .noMicrophoneAdvice)
      canvas.frame.icon(.microphoneLarge, x: 107, y: 13)
      // Crossed out, with a dark edge so that the line is seen on the lit parts.
      for (offset, ink) in [(-1, Ink.dark), (1, .dark), (0, .lit)] {
        canvas.frame.line(from: (x: 105 + offset, y: 11), to: (x: 121 + offset, y: 27), ink: ink)
      }
    } else {
      armed()
    }
    // In large letters what can be recorded reaches down to here.
    guard !isLarge || !state.isArmed else { return }
    if let take = state.loaded, !take.displayName.isEmpty {
      // What CENTRE plays.
      canvas.frame.icon(.play, x: 0, y: 57)
      canvas.text(shown(take.displayName), in: Area(9, 57, guideHintStart - 12, 7), fit: .middle)
    } else {
      canvas.text(text(.hintTakes), in: Area(0, 57, guideHintStart - 3, 7))
    }
    guideHint()
  }

  /// How to get to the guide, in the bottom right corner.
  mutating func guideHint() {
    canvas.text(text(.hintGuide), in: Area(guideHintStart, 57, Canvas.width - guideHintStart, 7), align: .trailing)
  }

  var guideHintStart: Int { Canvas.width - Font.small.width(of: text(.hintGuide)) }

  private mutating func armed() {
    canvas.text(text(.ready), .large, in: Area(0, 8, 56, 20))
    preRecordGauge(in: Area(58, 10, 70, 17))
    meters(y: 29)
    guard !isLarge else { return largeTimeLeft(y: 49) }
    timeLeft(y: 47)
    let gain = state.settings.inputGain
    let next = readings.nextScheduleText
    let other = next.isEmpty ? readings.freeBytes.map(amounts.size) : text(.nextSchedule) + " " + next
    if let fact = gain != 0 ? text(.gain) + " " + amounts.gain(gain) : other {
      let width = Font.small.width(of: fact)
      canvas.text(fact, in: Area(Canvas.width - width, 47, width, 7), align: .trailing)
    }
  }

  /// How much of the sound before now a REC press would keep.
  private mutating func preRecordGauge(in area: Area) {
    let limit = readings.preRecordLimitSeconds
    let line = Area(area.x, area.y, area.width, 7)
    guard limit > 0 else {
      canvas.text(text(.preRecordOff), in: line, align: .trailing)
      return
    }
    let held = min(max(0, readings.preRecordSeconds), limit, 999)
    canvas.text(text(.preRecord) + " \(min(99, Int(held)))" + text(.seconds), in: line, align: .trailing)
    let bar = Area(area.x + 1, area.y + 9, area.width - 2, 7)
    canvas.frame.outline(bar)
    canvas.frame.fill(Area(bar.x + 2, bar.y + 2, Int(held / limit * Double(bar.width - 4)), 3))
  }

  mutating func cannotRecord(_ what: Phrase, _ advice: Phrase) {
    canvas.text(text(what), .large, in: Area(0, 10, Canvas.width, 20))
    for (index, line) in wrapped(text(advice), .small, in: Canvas.width, maximum: 3).enumerated() {
      canvas.text(line, in: Area(0, 31 + 8 * index, Canvas.width, 7))
    }
  }

}
