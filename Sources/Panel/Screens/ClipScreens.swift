internal import Appliance
internal import Hardware

extension Drawing {
  /// Clip mode: what a trigger would keep now, or what is being kept.
  mutating func clips() -> String {
    switch (state.clips.activity, state.activity) {
    case (.capturing, _): capturing()
    case (.saving, .idle): savingClip()
    case (_, .playing), (_, .playbackPaused):
      playing()
      return state.activity.rawValue
    case (.saving, _): savingClip()
    case (.buffering, _): buffering()
    }
    return state.clips.activity.rawValue
  }

  /// Left half: what the camera sees. Right half: figures.
  private static let picture = Area(0, 10, 66, 38)
  private static let column = Area(69, 10, 58, 38)

  private mutating func buffering() {
    statusBar(readings.clips.formatText, .end, value: readings.clockText)
    if let trouble = state.health.storageTrouble(in: state.mode) {
      cannotRecord(trouble.phrase, trouble.advice(in: state.mode))
    } else if !state.health.hasCamera && !state.health.isCameraOpening {
      cannotRecord(.noCamera, .noCameraAdvice)
      canvas.frame.icon(.cameraLarge, x: 108, y: 14)
      for (offset, ink) in [(-1, Ink.dark), (1, .dark), (0, .lit)] {
        canvas.frame.line(from: (x: 108 + offset, y: 12), to: (x: 124 + offset, y: 28), ink: ink)
      }
    } else {
      preview()
      let area = Self.column
      let word: Phrase = !state.health.hasCamera ? .opening : state.clips.isReady ? .ready : .filling
      canvas.text(text(word), .bold, in: Area(area.x, area.y - 1, area.width, 13))
      windowGauge(y: 23)
      frameFigures(y: 40)
      sound(y: 49)
      timeLeft(y: Self.bottom.y, before: guideHintStart)
    }
    guideHint()
  }

  /// Seconds held of those wanted, and a bar. Where no more than that will ever be held, it says so.
  private mutating func windowGauge(y: Int) {
    let area = Self.column
    let window = clamped(readings.clips.windowSeconds, 999)
    let held = min(clamped(readings.clips.heldSeconds, 999), window)
    var words = amounts.decimal(held, places: 1) + "/" + amounts.seconds(Int(window))
    if state.clips.isReady, readings.clips.isCrowded {
      words = text(.fits) + " " + amounts.seconds(amounts.decimal(held, places: held < 100 ? 1 : 0))
    }
    canvas.text(words, in: Area(area.x, y, area.width, 7))
    bar(Area(area.x, y + 9, area.width, 6), fraction: window > 0 ? held / window : 0)
  }

  /// Pictures a second, and what was lost: inverted as soon as it is anything.
  private mutating func frameFigures(y: Int) {
    let area = Self.column
    let rate = clamped(readings.clips.framesPerSecond, 999)
    canvas.text(amounts.decimal(rate, places: 1) + " " + text(.framesPerSecond), in: Area(area.x, y, area.width, 7))
    guard readings.clips.lostFrames > 0 else {
      canvas.text(text(.noneLost), in: Area(area.x, y + 9, area.width, 7))
      return
    }
    let words = "\(min(99_999, readings.clips.lostFrames)) " + text(.lost)
    let width = Font.small.width(of: words)
    canvas.frame.badge(Area(area.x, y + 8, width + 3, 9))
    canvas.text(words, in: Area(area.x + 2, y + 9, width, 7), ink: .dark)
  }

  /// The microphone under the picture: its peak, or that there is none.
  private mutating func sound(y: Int) {
    guard state.health.hasMicrophone else {
      canvas.frame.badge(Area(0, y - 1, 66, 9))
      canvas.text(text(.noSound), in: Area(2, y, 62, 7), align: .centre, ink: .dark)
      return
    }
    guard let level = readings.levels.max(by: { $0.peakDB < $1.peakDB }) else { return }
    canvas.frame.outline(Area(0, y + 2, 38, 5))
    canvas.frame.fill(Area(1, y + 3, Int(MeterScale.deflection(level.peakDB) * 36), 3))
    canvas.text(amounts.level(level.peakDB), in: Area(39, y, 25, 7), align: .trailing)
  }

  private mutating func preview() {
    let area = Self.picture
    canvas.frame.outline(area)
    if let picture = readings.clips.preview {
      draw(picture, in: area.inset(1, 1).fitting(picture))
    } else {
      canvas.frame.icon(.cameraLarge, x: area.x + 25, y: area.y + 13)
    }
  }

  /// A grey picture in one bit.
  mutating func draw(_ picture: GreyPicture, in area: Area) {
    guard !area.isEmpty else { return }
    let lit = picture.dithered(width: area.width, height: area.height)
    for x in 0..<area.width {
      var bits: UInt64 = 0
      for y in 0..<min(64, area.height) where lit[y * area.width + x] { bits |= 1 << UInt64(y) }
      canvas.frame.paint(column: area.x + x, row: area.y, bits: bits)
    }
  }

  /// A clip in its post-roll: how long it still is.
  private mutating func capturing() {
    let length = amounts.timer(readings.clips.clipSeconds)
    // A notice covers all but the status bar: then the clip's length is what must stay in sight.
    statusBar(isCovered ? length : readings.clips.formatText, .end, value: readings.clockText)
    preview()
    let area = Self.column
    if readings.clips.secondsToGo == .infinity {
      canvas.text(text(.endless), .bold, in: Area(area.x, area.y - 1, area.width, 17), fit: .end)
    } else {
      let toGo = amounts.decimal(clamped(readings.clips.secondsToGo, 99.9), places: 1)
      let width = Font.large.width(of: toGo)
      canvas.text(toGo, .large, in: Area(area.x, area.y - 1, width, 17))
      canvas.text(text(.seconds), in: Area(area.x + width + 4, area.y + 6, 16, 7))
    }
    let whole = clamped(readings.clips.postRollSeconds, 9999)
    let left = clamped(readings.clips.secondsToGo, 9999)
    bar(Area(area.x, 28, area.width, 6), fraction: whole > 0 ? 1 - min(1, left / whole) : 1)
    let triggers = readings.clips.triggers > 1 ? " x\(min(99, readings.clips.triggers))" : ""
    canvas.text(length + triggers, in: Area(area.x, 36, area.width, 7), fit: .end)
    frameFigures(y: 44)
    sound(y: 49)
    canvas.text(text(.hintEndClip), in: Area(0, 57, 66, 7))
  }

  private mutating func savingClip() {
    statusBar(readings.clips.formatText, .end, value: readings.clockText)
    savingBody(amounts.timer(readings.clips.clipSeconds))
  }

  private mutating func bar(_ area: Area, fraction: Double) {
    canvas.frame.outline(area)
    let share = fraction.isFinite ? min(1, max(0, fraction)) : 0
    canvas.frame.fill(Area(area.x + 2, area.y + 2, Int(share * Double(area.width - 4)), area.height - 4))
  }

  private func clamped(_ value: Double, _ limit: Double) -> Double { value.isNaN ? 0 : min(limit, max(0, value)) }
}

extension Area {
  /// As much of it, in its middle, as a picture of this shape takes.
  func fitting(_ picture: GreyPicture) -> Area {
    let wide = min(width, (height * picture.width + picture.height / 2) / picture.height)
    let high = min(height, (width * picture.height + picture.width / 2) / picture.width)
    return Area(x + (width - wide) / 2, y + (height - high) / 2, max(1, wide), max(1, high))
  }
}
