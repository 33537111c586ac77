public import Hardware

/// The chip of a small OLED. The raw value is its name in board files.
public enum OLEDController: String, CaseIterable, Hashable, Sendable {
  case ssd1306
  case sh1106
}

/// How an OLED is built in.
public struct OLEDPanel: Hashable, Sendable {
  public var controller: OLEDController
  /// Pixels across, 8…132.
  public var width: Int
  /// Pixels down, a multiple of eight, 16…64.
  public var height: Int
  /// The controller's first column that is wired to the glass. An SH1106 has 132 columns, and a 128-wide glass is
  /// centred in them, whichever way round it is driven: 2. Others start at 0.
  public var columnOffset: Int
  /// Whether the glass is mounted upside down.
  public var isRotated: Bool
  /// 0 (dimmest) … 255.
  public var contrast: UInt8
  /// Whether set pixels are dark and the rest is lit.
  public var isInverted: Bool

  /// - Parameter columnOffset: `nil`: 2 for an SH1106, else 0.
  public init(
    controller: OLEDController, width: Int = 128, height: Int = 64, columnOffset: Int? = nil, isRotated: Bool = false,
    contrast: UInt8 = 0x7f, isInverted: Bool = false
  ) {
    self.controller = controller
    self.width = width
    self.height = height
    self.columnOffset = columnOffset ?? (controller == .sh1106 ? 2 : 0)
    self.isRotated = isRotated
    self.contrast = contrast
    self.isInverted = isInverted
  }
}

/// The bytes that are sent to an OLED controller over I2C. Pure: each message is what one I2C write carries after the
/// address, beginning with the control byte.
///
/// Sources: Solomon Systech SSD1306 rev 1.1 (its sections are cited as "S"), Sino Wealth SH1106 V2.3 (sections "H").
public struct OLEDProtocol: Sendable {
  /// Control byte before commands: Co = 0, D/C# = 0 (S 8.1.5.2; H "I2C-bus protocol").
  static let commands: UInt8 = 0x00
  /// Control byte before data: Co = 0, D/C# = 1.
  static let data: UInt8 = 0x40
  /// Data bytes a message. Larger ones save under 1 % of the bus's time, and some adapters refuse them.
  static let dataBytes = 128
  /// Unchanged bytes between two changed ranges that are cheaper to send than a new range: address, control byte and
  /// commands of a range are that long.
  static let worthwhileGap = 8

  public let panel: OLEDPanel

  public init(_ panel: OLEDPanel) { self.panel = panel }

  /// Whether the controllers can drive a glass of this size with this offset.
  public var isSupported: Bool {
    let columns = panel.controller == .sh1106 ? 132 : 128
    return panel.width > 0 && panel.columnOffset >= 0 && panel.width + panel.columnOffset <= columns
      && (16...64).contains(panel.height) && panel.height % 8 == 0
  }

  /// Sets everything up with the picture off, as neither controller's state is known: it may have been running.
  public var wakeUp: [[UInt8]] {
    let pins: UInt8 = panel.height > 32 ? 0x12 : 0x02
    // Display off (S 10.1.12, H 11), clock at its reset value (S 10.1.16, H 18), as many rows as the glass has
    // (S 10.1.11, H 14), no vertical shift (S 10.1.15, H 17), first row first (S 10.1.6, H 6).
    var bytes: [UInt8] = [Self.commands, 0xae, 0xd5, 0x80, 0xa8, UInt8(panel.height - 1), 0xd3, 0x00, 0x40]
    switch panel.controller {
    case .ssd1306:
      // Charge pump on (S application note 3.2.1), horizontal addressing (S 10.1.3), no scrolling (S 10.2.3).
      bytes += [0x8d, 0x14, 0x20, 0x00, 0x2e]
    case .sh1106:
      // DC-DC converter on (H 15), pump at 8.0 V (H 5).
      bytes += [0xad, 0x8b, 0x32]
    }
    // Modules are wired so that upright is column 127 at SEG0 and the last row at COM0 (S 10.1.8 and 10.1.14,
    // H 8 and 13); the COM pins alternate on glasses of more than 32 rows (S 10.1.18, H 20).
    bytes += panel.isRotated ? [0xa0, 0xc0] : [0xa1, 0xc8]
    bytes += [0xda, pins]
    // Pre-charge and VCOMH: the application notes' with the pump (S 10.1.17 and 10.1.19), the reset values (H 19, 21).
    bytes += panel.controller == .ssd1306 ? [0xd9, 0xf1, 0xdb, 0x20] : [0xd9, 0x22, 0xdb, 0x35]
    // The picture comes from the memory (S 10.1.9, H 9).
    bytes += [0xa4]
    return [bytes, contrast(panel.contrast), inversion(panel.isInverted)]
  }

  /// Shows the picture (S 10.1.12, H 11). After the memory is cleared, so that its old contents are never shown.
  public var switchOn: [UInt8] { [Self.commands, 0xaf] }

  /// Takes the picture away and lets the controller sleep.
  public var switchOff: [UInt8] { [Self.commands, 0xae] }

  /// Brightness (S 10.1.7, H 7).
  public func contrast(_ value: UInt8) -> [UInt8] { [Self.commands, 0x81, value] }

  /// Exchanges lit and dark (S 10.1.10, H 10).
  public func inversion(_ isInverted: Bool) -> [UInt8] { [Self.commands, isInverted ? 0xa7 : 0xa6] }

  /// Writes the parts of a frame that differ from what the controller shows.
  ///
  /// - Parameters:
  ///   - frame: of the panel's size.
  ///   - shown: what the controller's memory holds; `nil` if that is not known.
  public func update(to frame: Frame, from shown: Frame?) -> [[UInt8]] {
    precondition(frame.width == panel.width && frame.height == panel.height, "a frame of the panel's size")
    var messages: [[UInt8]] = []
    for area in areas(of: frame, since: shown) {
      switch panel.controller {
      case .ssd1306: messages += windowed(area, frame)
      case .sh1106: messages += paged(area, frame)
      }
    }
    return messages
  }

  // MARK: What has changed

  /// Whole bytes of a picture: columns of pages.
  struct Area: Equatable {
    var columns: Range<Int>
    var pages: Range<Int>
  }

  /// Rectangles that cover every change. Ranges that are the same in pages below each other are one.
  func areas(of frame: Frame, since shown: Frame?) -> [Area] {
    var areas: [Area] = []
    for page in 0..<frame.height / 8 {
      for columns in changes(of: frame, since: shown, in: page) {
        if let above = areas.lastIndex(where: { $0.columns == columns && $0.pages.upperBound == page }) {
          areas[above].pages = areas[above].pages.lowerBound..<page + 1
        } else {
          areas.append(Area(columns: columns, pages: page..<page + 1))
        }
      }
    }
    return areas
  }

  private func changes(of frame: Frame, since shown: Frame?, in page: Int) -> [Range<Int>] {
    guard let shown, shown.width == frame.width, shown.height == frame.height else { return [0..<frame.width] }
    var ranges: [Range<Int>] = []
    let start = page * frame.width
    for column in 0..<frame.width where frame.pages[start + column] != shown.pages[start + column] {
      if let last = ranges.last, column - last.upperBound <= Self.worthwhileGap {
        ranges[ranges.count - 1] = last.lowerBound..<column + 1
      } else {
        ranges.append(column..<column + 1)
      }
    }
    return ranges
  }

  // MARK: How it is sent

  /// SSD1306: a window of columns and pages (S 10.1.4, 10.1.5), which the data then fills row by row (S 10.1.3).
  private func windowed(_ area: Area, _ frame: Frame) -> [[UInt8]] {
    let first = UInt8(panel.columnOffset + area.columns.lowerBound)
    let last = UInt8(panel.columnOffset + area.columns.upperBound - 1)
    let window: [UInt8] = [
      Self.commands, 0x21, first, last, 0x22, UInt8(area.pages.lowerBound), UInt8(area.pages.upperBound - 1),
    ]
    var bytes: [UInt8] = []
    for page in area.pages { bytes += content(of: page, area.columns, frame) }
    return [window] + chunks(bytes)
  }

  /// SH1106: it has page addressing only (H 1, 2, 12); the column counts up by itself to the end of the page.
  private func paged(_ area: Area, _ frame: Frame) -> [[UInt8]] {
    let first = UInt8(panel.columnOffset + area.columns.lowerBound)
    return area.pages.flatMap { page in
      [[Self.commands, 0xb0 | UInt8(page), 0x00 | first & 0x0f, 0x10 | first >> 4]]
        + chunks(Array(content(of: page, area.columns, frame)))
    }
  }

  private func content(of page: Int, _ columns: Range<Int>, _ frame: Frame) -> ArraySlice<UInt8> {
    frame.pages[page * frame.width + columns.lowerBound..<page * frame.width + columns.upperBound]
  }

  private func chunks(_ bytes: [UInt8]) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: Self.dataBytes).map { start in
      [Self.data] + bytes[start..<min(start + Self.dataBytes, bytes.count)]
    }
  }
}
