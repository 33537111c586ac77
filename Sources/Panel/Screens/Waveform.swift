internal import Hardware

extension Drawing {
  /// The last seconds of the open take, the newest on the right, with time marks in the two rows below.
  mutating func liveWaveform(in area: Area) {
    let strip = Area(area.x, area.y, area.width, area.height - 2)
    let peaks = readings.waveform.suffix(area.width)
    var x = area.endX - peaks.count
    for peak in peaks {
      bar(peak, x: x, in: strip)
      x += 1
    }
    timeMarks(in: area)
  }

  /// The whole take: what has been played is solid, what is to come shaded, the playhead between them.
  mutating func overview(in area: Area) {
    let strip = Area(area.x, area.y, area.width, area.height)
    let peaks = readings.waveform
    guard !peaks.isEmpty else { return }
    let playhead = Int(playedFraction * Double(area.width - 1))
    for column in 0..<area.width {
      // The loudest of the peaks that fall on the column.
      let first = column * peaks.count / area.width
      let last = max(first + 1, (column + 1) * peaks.count / area.width)
      let peak = peaks[first..<min(last, peaks.count)].max() ?? 0
      bar(peak, x: area.x + column, in: strip, isShaded: column > playhead)
    }
    canvas.frame.fill(Area(area.x + playhead - 1, area.y, 3, area.height), ink: .dark)
    canvas.frame.column(area.x + playhead, from: area.y, count: area.height)
  }

  /// How much of the take has been played, 0…1.
  var playedFraction: Double { fraction(of: readings.positionSeconds) }

  /// Where in the take a time is, 0…1.
  func fraction(of seconds: Double) -> Double {
    guard readings.durationSeconds > 0, seconds > 0 else { return 0 }
    return min(1, seconds / readings.durationSeconds)
  }

  /// One column: its height goes with the root of the peak, so that speech at −20 dBFS is a third of the strip.
  private mutating func bar(_ peak: Float, x: Int, in strip: Area, isShaded: Bool = false) {
    let level = peak > 0 ? min(1, peak).squareRoot() : 0
    let half = Int((level * Float(strip.height) / 2).rounded(.down))
    let middle = strip.y + strip.height / 2
    let line = Area(x, max(strip.y, middle - half), 1, 0)
    let end = min(strip.endY, middle + half + 1)
    if isShaded {
      canvas.frame.shade(Area(x, line.y, 1, end - line.y))
    } else {
      canvas.frame.column(x, from: line.y, count: end - line.y)
    }
  }

  private mutating func timeMarks(in area: Area) {
    let scale = readings.waveformSecondsPerColumn
    guard scale > 0, scale.isFinite, readings.takeSeconds.isFinite, readings.takeSeconds < 1e7 else { return }
    guard let step = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 600].first(where: { $0 / scale >= 12 }) else { return }
    var mark = (readings.takeSeconds / step).rounded(.down)
    while mark >= 0 {
      let x = area.endX - 1 - Int((readings.takeSeconds - mark * step) / scale)
      guard x >= area.x else { return }
      canvas.frame.column(x, from: area.endY - 2, count: 2)
      mark -= 1
    }
  }
}
