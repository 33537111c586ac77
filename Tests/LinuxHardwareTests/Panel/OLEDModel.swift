import Hardware

/// An SSD1306 or SH1106 as its datasheet describes it, from the bus's side; knows nothing of the driver.
struct OLEDModel {
  enum Chip { case ssd1306, sh1106 }

  let chip: Chip
  /// 8 pages of 132 columns (128 for an SSD1306).
  private(set) var memory: [[UInt8]]
  private(set) var isOn = false
  private(set) var isInverted = false
  private(set) var hasPump = false
  private(set) var contrast: UInt8 = 0x80
  private(set) var rows = 64
  /// Commands that the datasheet does not have.
  private(set) var unknown: [UInt8] = []
  private(set) var dataBytes = 0
  private var mirrorsColumns = false
  private var mirrorsRows = false
  private var mode: UInt8 = 2
  private var columns: ClosedRange<Int>
  private var pages = 0...7
  private var column = 0
  private var page = 0

  init(_ chip: Chip) {
    self.chip = chip
    let width = chip == .ssd1306 ? 128 : 132
    columns = 0...width - 1
    // Whatever was in the memory when the power came.
    memory = Array(repeating: Array(repeating: 0xa5, count: width), count: 8)
  }

  /// One I2C write.
  mutating func receive(_ message: [UInt8]) {
    guard let control = message.first else { return }
    let rest = Array(message.dropFirst())
    if control == 0x40 {
      for byte in rest { store(byte) }
    } else if control == 0 {
      var index = 0
      while index < rest.count { index += obey(rest, index) }
    } else {
      unknown.append(control)
    }
  }

  private mutating func store(_ byte: UInt8) {
    dataBytes += 1
    if column < memory[page].count { memory[page][column] = byte }
    if mode == 0 {
      column += 1
      if column > columns.upperBound {
        column = columns.lowerBound
        page = page == pages.upperBound ? pages.lowerBound : page + 1
      }
    } else {
      // An SH1106 stops at its last column, an SSD1306 in page mode begins again.
      column = column + 1 < memory[page].count ? column + 1 : (chip == .ssd1306 ? 0 : column + 1)
    }
  }

  /// The number of bytes used.
  private mutating func obey(_ bytes: [UInt8], _ index: Int) -> Int {
    func argument(_ offset: Int) -> UInt8 { index + offset < bytes.count ? bytes[index + offset] : 0 }
    let code = bytes[index]
    switch (code, chip) {
    case (0x00...0x0f, _): column = column & 0xf0 | Int(code)
    case (0x10...0x1f, _): column = column & 0x0f | Int(code & 0x0f) << 4
    case (0x20, .ssd1306):
      mode = argument(1) & 3
      return 2
    case (0x21, .ssd1306):
      guard argument(1) <= argument(2), argument(2) < 128 else { break }
      columns = Int(argument(1))...Int(argument(2))
      column = columns.lowerBound
      return 3
    case (0x22, .ssd1306):
      guard argument(1) <= argument(2), argument(2) < 8 else { break }
      pages = Int(argument(1))...Int(argument(2))
      page = pages.lowerBound
      return 3
    case (0x2e, .ssd1306), (0x30...0x33, .sh1106), (0x40...0x7f, _), (0xa4, _): break
    case (0x81, _):
      contrast = argument(1)
      return 2
    case (0x8d, .ssd1306):
      hasPump = argument(1) == 0x14
      return 2
    case (0xad, .sh1106):
      hasPump = argument(1) == 0x8b
      return 2
    case (0xa0, _), (0xa1, _): mirrorsColumns = code == 0xa1
    case (0xa6, _), (0xa7, _): isInverted = code == 0xa7
    case (0xa8, _):
      rows = Int(argument(1)) + 1
      return 2
    case (0xae, _), (0xaf, _): isOn = code == 0xaf
    case (0xb0...0xb7, _): page = Int(code & 7)
    case (0xc0, _), (0xc8, _): mirrorsRows = code == 0xc8
    case (0xd3, _), (0xd5, _), (0xd9, _), (0xda, _), (0xdb, _): return 2
    default: unknown.append(code)
    }
    return 1
  }

  /// What a person sees on a glass of this size, which is wired so that A1 and C8 are upright.
  func picture(width: Int, height: Int, offset: Int) -> Frame {
    var frame = Frame(width: width, height: height)
    guard isOn, hasPump else { return frame }
    for y in 0..<height {
      for x in 0..<width {
        let column = offset + (mirrorsColumns ? x : width - 1 - x)
        let row = mirrorsRows ? y : height - 1 - y
        let bit = memory[row / 8][column] >> (row % 8) & 1 == 1
        frame[x, y] = bit != isInverted
      }
    }
    return frame
  }
}
