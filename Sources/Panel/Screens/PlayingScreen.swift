internal import Appliance
internal import Hardware

extension Drawing {
  /// The player: position, length, progress with the marks, and the shape of the take.
  mutating func playing() {
    statusBar(takeName, .middle)
    let remaining = max(0, readings.durationSeconds - max(0, readings.positionSeconds))
    guard !isLarge else { return largePlaying(remaining: remaining) }
    takeFacts(
      amounts.timer(readings.positionSeconds), amounts.length(readings.durationSeconds),
      "-" + amounts.brief(remaining))
    progressBar(y: 27)
    if let span = readings.waveformSpan {
      // Which stretch of the bar the picture below shows.
      let ends = [span.lowerBound, span.upperBound].map { 2 + Int(fraction(of: $0) * Double(Canvas.width - 5)) }
      canvas.frame.fill(Area(ends[0], 37, max(2, ends[1] - ends[0] + 1), 1))
    }
    let middle = Area(0, 39, Canvas.width, 16)
    if readings.waveform.isEmpty { meters(y: middle.y) } else { overview(in: middle) }
    if !state.health.hasSpeaker {
      let words = text(.noSpeaker)
      let width = Font.small.width(of: words)
      canvas.frame.badge(Area(0, Self.bottom.y - 1, width + 14, 8))
      canvas.frame.icon(.speaker, x: 2, y: Self.bottom.y, ink: .dark)
      canvas.text(words, in: Area(11, Self.bottom.y, width, 7), ink: .dark)
    } else if !howItPlays.isEmpty {
      canvas.text(howItPlays, in: Area(0, Self.bottom.y, 100, 7))
    } else {
      let hint = state.activity == .playbackPaused && state.scrubbing == 0 ? text(.hintPlay) : seekHint
      canvas.text(hint, in: Area(0, Self.bottom.y, 100, 7))
    }
    markCount()
  }

  private mutating func largePlaying(remaining: Double) {
    largeTimer(amounts.timer(readings.positionSeconds))
    progressBar(y: 35)
    let left = "-" + amounts.brief(remaining)
    canvas.text(left, .bold, in: Area(0, 50, Canvas.width, 13), align: .trailing)
    guard !state.health.hasSpeaker else { return }
    let end = Canvas.width - Font.bold.width(of: left) - 6
    canvas.text(text(.noSpeaker), .body, in: Area(0, 50, end, 13), fit: .end)
  }

  /// In clip mode LEFT and RIGHT are the ring's, not the player's.
  private var seekHint: String {
    state.mode == .clips ? text(.hintStop) : text(state.settings.skip == .marks ? .hintMarks : .hintSeek)
  }

  /// What is not as recorded: `x1.5 +200ct >> A-B`.
  private var howItPlays: String {
    let settings = state.settings
    let pitch = settings.playbackPitchCents
    var parts = settings.playbackRate == 1 ? [] : ["x\(settings.playbackRate)"]
    if pitch != 0 { parts.append((pitch > 0 ? "+" : "") + "\(pitch)ct") }
    if settings.skipsSilence, readings.loopSeconds.count < 2 { parts.append(">>") }
    if !readings.loopSeconds.isEmpty { parts.append(readings.loopSeconds.count == 1 ? "A-" : "A-B") }
    return parts.joined(separator: " ")
  }

  /// Ten rows from `y`: marks as flags above, then the bar.
  private mutating func progressBar(y: Int) {
    let bar = Area(0, y + 3, Canvas.width, 7)
    canvas.frame.outline(bar)
    canvas.frame.fill(Area(bar.x + 2, bar.y + 2, Int(playedFraction * Double(bar.width - 4)), 3))
    // A and B are the ends of a line above the bar.
    let ends = readings.loopSeconds.map { 2 + Int(fraction(of: $0) * Double(bar.width - 5)) }
    if let first = ends.first, let last = ends.last {
      canvas.frame.fill(Area(first, y + 1, max(1, last - first + 1), 1))
      for x in ends { canvas.frame.column(x, from: y, count: 3) }
    }
    for seconds in readings.markSeconds {
      let x = 2 + Int(fraction(of: seconds) * Double(bar.width - 5))
      canvas.frame.fill(Area(x - 1, y, 3, 1))
      canvas.frame.column(x, from: y + 1, count: 2)
      canvas.frame.column(x, from: bar.y + 2, count: 3, ink: .inverted)
    }
  }
}
