/// How a screen is driven.
public struct ScreenMode: Hashable, Sendable {
  /// Where it is plugged in, as the kernel calls it: `HDMI-A-1`.
  public var connector: String
  /// Pixels across and down.
  public var width: Int
  public var height: Int
  /// Vertical blanks in a thousand seconds: 59,940 for 59.94 Hz.
  public var millihertz: Int

  public init(connector: String, width: Int, height: Int, millihertz: Int) {
    self.connector = connector
    self.width = width
    self.height = height
    self.millihertz = millihertz
  }

  /// From one vertical blank to the next.
  public var period: Duration { .nanoseconds(1_000_000_000_000 / Int64(max(1, millihertz))) }
}

/// Memory that a picture is drawn into: XRGB8888, a little-endian word a pixel with blue in its lowest byte.
///
/// It may be write-combined: write it in order, and do not read it.
public struct ScreenSurface {
  public var pixels: UnsafeMutableRawPointer
  /// Pixels across and down.
  public var width: Int
  public var height: Int
  /// From one line to the next.
  public var bytesPerRow: Int

  public init(pixels: UnsafeMutableRawPointer, width: Int, height: Int, bytesPerRow: Int) {
    self.pixels = pixels
    self.width = width
    self.height = height
    self.bytesPerRow = bytesPerRow
  }
}

/// A screen for pictures in colour, which people may plug in and out at any time: HDMI, or a panel of the board.
///
/// There are two surfaces: one is shown, the other is drawn into. Owned by one worker thread but for `isAttached`; only
/// `open` blocks, for as long as a screen needs to be asked and set up (some 100 ms).
public protocol PictureScreen: AnyObject, Sendable {
  /// Whether a screen is plugged in. Any thread, cheap; opening it may still fail.
  var isAttached: Bool { get }
  /// Takes the screen, and makes it dark.
  ///
  /// - Throws: `missing` if none is plugged in, `busy` if another program shows something on it, `denied`, `unsupported`.
  func open() throws(DeviceError) -> ScreenMode
  /// The surface that is not shown; `nil` while the last one that was handed over waits for its vertical blank.
  var surface: ScreenSurface? { get }
  /// Has the surface shown from the next vertical blank on, and returns at once.
  ///
  /// - Throws: `lost` if the screen is not there any more.
  func show() throws(DeviceError)
  /// Gives the screen back to the text console.
  func close()
}
