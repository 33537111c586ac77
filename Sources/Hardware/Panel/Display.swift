/// A picture of one bit a pixel, as an OLED controller keeps it: pages of eight rows, one byte a column.
///
/// The bit of value 1 is the topmost row of its page (SSD1306 datasheet, section 8.7, GDDRAM).
public struct Frame: Hashable, Sendable {
  /// Pixels across.
  public let width: Int
  /// Pixels down, a multiple of eight.
  public let height: Int
  /// `width * height / 8` bytes, page by page from the top, left to right; a set bit is a lit pixel.
  public var pages: [UInt8]

  /// A dark frame.
  public init(width: Int = 128, height: Int = 64) {
    precondition(width > 0 && height > 0 && height % 8 == 0, "a frame is made of whole pages")
    self.width = width
    self.height = height
    pages = Array(repeating: 0, count: width * height / 8)
  }

  /// The pixel at column `x` from the left and row `y` from the top; outside reads dark and writes nothing.
  public subscript(x: Int, y: Int) -> Bool {
    get {
      guard x >= 0, x < width, y >= 0, y < height else { return false }
      return pages[y / 8 * width + x] & (1 << (y % 8)) != 0
    }
    set {
      guard x >= 0, x < width, y >= 0, y < height else { return }
      if newValue {
        pages[y / 8 * width + x] |= 1 << (y % 8)
      } else {
        pages[y / 8 * width + x] &= ~(1 << (y % 8))
      }
    }
  }
}

/// How bright a display is, and which of its dots are lit.
public struct DisplayLook: Hashable, Sendable {
  /// 1…100 % of the brightest; `nil`: what the display was made with.
  public var brightness: Int?
  /// Dark on light.
  public var isInverted: Bool

  public init(brightness: Int? = nil, isInverted: Bool = false) {
    self.brightness = brightness
    self.isInverted = isInverted
  }
}

/// A small monochrome display.
///
/// Called by a worker thread, never by the control loop: I2C at 400 kHz needs some 25 ms a full frame.
public protocol Display: AnyObject {
  /// Wakes and clears the display. Called again after every failure, until it succeeds.
  func open() throws(DeviceError)
  /// Shows a frame of the display's size; the driver sends only what changed.
  func show(_ frame: Frame) throws(DeviceError)
  /// Shows all frames like this, from now on and after the next `open`.
  func look(_ look: DisplayLook) throws(DeviceError)
  /// Switches the display off and gives the bus back.
  func close()
}
