internal import Hardware

extension Drawing {
  /// The last seconds of the open take, the newest on the right, with its marks, and ticks of time in the two rows below.
  mutating func liveWaveform(in area: Area) {
    let strip = Area(area.x, area.y, area.width, area.height - 2)
    let peaks = readings.waveform.suffix(area.width)
    let scale = Self.scale(of: peaks)
    for (x, peak) in zip((area.endX - peaks.count)..<area.endX, peaks) { bar(peak * scale, x: x, in: strip) }
    liveTicks(in: area)
    for seconds in readings.markSeconds {
      guard let x = liveColumn(of: seconds, in: area) else { continue }
      markFlag(x: x, in: strip)
    }
  }

  /// The take, or a stretch of it: what has been played is solid, what is to come shaded, the playhead between them; ticks
  /// of time in the two rows below. A stretch has the marks in it, too: on the bar above they are a dot apart.
  mutating func overview(in area: Area) {
    let strip = Area(area.x, area.y, area.width, area.height - 2)
    let span = shownSpan
    let playhead = column(of: readings.positionSeconds, in: span, width: area.width) ?? 0
    // While it is being made, only its beginning is there.
    let peaks = readings.waveform.prefix(area.width)
    let scale = Self.scale(of: peaks)
    for (column, peak) in peaks.enumerated() {
      bar(peak * scale, x: area.x + column, in: strip, isShaded: column > playhead)
    }
    overviewTicks(span, in: area)
    if readings.waveformSpan != nil {
      for mark in readings.markSeconds {
        guard let x = column(of: mark, in: span, width: area.width) else { continue }
        markFlag(x: area.x + x, in: strip)
      }
    }
    canvas.frame.fill(Area(area.x + playhead - 1, area.y, 3, area.height), ink: .dark)
    canvas.frame.column(area.x + playhead, from: area.y, count: area.height)
  }

  /// First and last second of what the columns stand for.
  private var shownSpan: ClosedRange<Double> {
    let whole = 0...max(0, readings.durationSeconds.isFinite ? readings.durationSeconds : 0)
    guard let span = readings.waveformSpan, span.upperBound.isFinite, span.lowerBound < span.upperBound else {
      return whole
    }
    return span
  }

  /// Where between them a time is; `nil` if it is not.
  private func column(of seconds: Double, in span: ClosedRange<Double>, width: Int) -> Int? {
    let length = span.upperBound - span.lowerBound
    guard length > 0, span.contains(seconds) else { return nil }
    return Int((seconds - span.lowerBound) / length * Double(width - 1))
  }

  /// How much of the take has been played, 0…1.
  var playedFraction: Double { fraction(of: readings.positionSeconds) }

  /// Where in the take a time is, 0…1.
  func fraction(of seconds: Double) -> Double {
    guard readings.durationSeconds > 0, seconds > 0 else { return 0 }
    return min(1, seconds / readings.durationSeconds)
  }

  /// The loudest peak fills the strip, as long as it is no quieter than −26 dBFS: how loud it is, is the meters' to say,
  /// and quiet speech is to look like speech.
  private static func scale(of peaks: ArraySlice<Float>) -> Float {
    1 / min(1, peaks.reduce(0.05) { $1 > $0 ? $1 : $0 })
  }

  /// One column. Its height goes with the peak to the power of ¾: the pauses between syllables are seen as such.
  private mutating func bar(_ peak: Float, x: Int, in strip: Area, isShaded: Bool = false) {
    let root = peak > 0 ? min(1, peak).squareRoot() : 0
    let level = root * root.squareRoot()
    let height = max(1, Int((level * Float(strip.height)).rounded()))
    let top = strip.y + (strip.height - height) / 2
    if isShaded {
      canvas.frame.shade(Area(x, top, 1, height))
    } else {
      canvas.frame.column(x, from: top, count: height)
    }
  }

  /// A flag on a staff, cut out of what lies below.
  private mutating func markFlag(x: Int, in strip: Area) {
    canvas.frame.fill(Area(x - 1, strip.y, 3, strip.height), ink: .dark)
    canvas.frame.column(x, from: strip.y, count: strip.height)
    canvas.frame.fill(Area(x - 1, strip.y, min(3, strip.endX - x + 1), 2))
  }

  // MARK: Ticks of time

  /// From tick to tick, in seconds: as many as can be told apart.
  private static let tickSteps = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 600, 1800, 3600, 10_800, 43_200]
  private static let leastColumns = 12.0

  private static func tickStep(secondsPerColumn: Double) -> Double? {
    tickSteps.first { $0 / secondsPerColumn >= leastColumns }
  }

  /// Where in the live strip a time of the take is; `nil` if it has left it.
  private func liveColumn(of seconds: Double, in area: Area) -> Int? {
    let scale = readings.waveformSecondsPerColumn
    guard scale > 0, scale.isFinite, readings.takeSeconds.isFinite, readings.takeSeconds < 1e7 else { return nil }
    let age = (readings.takeSeconds - seconds) / scale
    guard age >= 0, age < Double(area.width) else { return nil }
    return area.endX - 1 - Int(age)
  }

  private mutating func liveTicks(in area: Area) {
    guard readings.waveformSecondsPerColumn > 0,
      let step = Self.tickStep(secondsPerColumn: readings.waveformSecondsPerColumn)
    else { return }
    var number = (readings.takeSeconds / step).rounded(.down)
    while number >= 0, let x = liveColumn(of: number * step, in: area) {
      canvas.frame.column(x, from: area.endY - 2, count: 2)
      number -= 1
    }
  }

  private mutating func overviewTicks(_ span: ClosedRange<Double>, in area: Area) {
    let length = span.upperBound - span.lowerBound
    guard length > 0, span.upperBound < 1e7, let step = Self.tickStep(secondsPerColumn: length / Double(area.width))
    else { return }
    var number = (span.lowerBound / step).rounded(.up)
    while let x = column(of: number * step, in: span, width: area.width) {
      canvas.frame.column(area.x + x, from: area.endY - 2, count: 2)
      number += 1
    }
  }
}
