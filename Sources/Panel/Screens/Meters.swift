internal import Appliance
internal import Hardware

/// The scale of the level meters.
enum MeterScale {
  /// Where a level stands on the scale, 0 at −70 dBFS and below, 1 at 0 dBFS.
  ///
  /// The deflection of IEC 60268-18 (digital peak meters): the upper 20 dB take half of the bar.
  static func deflection(_ decibels: Double) -> Double {
    let percent =
      switch decibels {
      case ..<(-70): 0.0
      case ..<(-60): (decibels + 70) * 0.25
      case ..<(-50): (decibels + 60) * 0.5 + 2.5
      case ..<(-40): (decibels + 50) * 0.75 + 7.5
      case ..<(-30): (decibels + 40) * 1.5 + 15
      case ..<(-20): (decibels + 30) * 2 + 30
      case ..<0: (decibels + 20) * 2.5 + 50
      default: decibels.isNaN ? 0.0 : 100.0
      }
    return percent / 100
  }

  /// Levels that have a dot on the scale.
  static let ticks: [Double] = [-50, -40, -30, -20, -12, -6, 0]
}

extension Drawing {
  /// Both channels' levels in 16 rows from `y`: solid to the average, shaded on to the peak, a bar at the held
  /// peak, and that one in figures, inverted once the channel has clipped. One channel gets one broad bar.
  mutating func meters(y: Int) {
    let levels = readings.levels.prefix(2)
    guard !levels.isEmpty else { return }
    let isMono = levels.count == 1
    for (index, level) in levels.enumerated() {
      let top = isMono ? y + 3 : y + 9 * index
      let label = isMono ? "M" : index == 0 ? "L" : "R"
      meter(level, label, top: top)
    }
    for tick in MeterScale.ticks {
      let x = Self.meterStart + Self.position(tick) - (tick == 0 ? 1 : 0)
      if isMono {
        canvas.frame.column(x, from: y + 11, count: 2)
      } else {
        canvas.frame.column(x, from: y + 7, count: 2)
      }
    }
  }

  private static let meterStart = 7
  private static let meterWidth = 92

  private static func position(_ decibels: Double) -> Int {
    Int((MeterScale.deflection(decibels) * Double(meterWidth)).rounded())
  }

  private mutating func meter(_ level: LevelReading, _ label: String, top: Int) {
    canvas.text(label, in: Area(0, top, 5, 7))
    let average = Self.position(level.rmsDB)
    let peak = max(average, Self.position(level.peakDB))
    canvas.frame.dots(row: top + 3, from: Self.meterStart, to: Self.meterStart + Self.meterWidth, every: 4)
    canvas.frame.shade(Area(Self.meterStart + average, top + 1, peak - average, 5))
    canvas.frame.fill(Area(Self.meterStart, top + 1, average, 5))
    let hold = Self.position(level.holdDB)
    if hold > 0 {
      let x = Self.meterStart + min(hold, Self.meterWidth - 2)
      canvas.frame.fill(Area(x - 1, top, 4, 7), ink: .dark)
      canvas.frame.fill(Area(x, top, 2, 7))
    }
    let slot = Area(102, top, 25, 7)
    if level.clipCount > 0 {
      canvas.frame.badge(Area(100, top - 1, 27, 9))
      let inner = Area(101, top, 25, 7)
      canvas.text(amounts.level(level.holdDB), in: inner, align: .trailing, ink: .dark)
    } else {
      canvas.text(amounts.level(level.holdDB), in: slot, align: .trailing)
    }
  }
}
