public import Hardware

/// All sample screens on one sheet, each with its name: for the documentation and for the eye.
public enum ContactSheet {
  /// The sheet as a frame, `columns` screens across.
  public static func frame(columns: Int = 4, samples: [SampleScreen] = SampleScreens.all) -> Frame {
    let columns = max(1, min(columns, max(1, samples.count)))
    let rows = (samples.count + columns - 1) / columns
    let cell = (width: 128 + 12, height: 64 + 28)
    // Frames are made of pages of eight rows.
    var sheet = Frame(width: columns * cell.width, height: max(1, (rows * cell.height + 7) / 8) * 8)
    for (index, sample) in samples.enumerated() {
      let left = index % columns * cell.width
      let top = index / columns * cell.height
      sheet.write(sample.name, .body, x: left + 6, y: top + 4)
      sheet.outline(Area(left + 4, top + 16, 132, 68))
      sheet.copy(Screens.render(sample.state, sample.readings, at: sample.now), x: left + 6, y: top + 18)
    }
    return sheet
  }

  /// The sheet as a PNG file.
  public static func png(columns: Int = 4, scale: Int = 2) -> [UInt8] {
    PNG.encode(frame(columns: columns), scale: scale)
  }
}
