internal import CDRM
internal import Glibc
public import Hardware

/// A screen on a connector of the kernel's mode setting (`/dev/dri/cardN`): HDMI, DSI, or whatever a virtual machine has.
///
/// Two dumb buffers, one of which is shown; the other one takes its place at a vertical blank. The card is taken when it is
/// opened and given back, with what it showed before, when it is closed: a text console is there again.
public final class DRMScreen: PictureScreen, @unchecked Sendable {
  /// Modes with more lines are left aside: a picture of this size is four times that of HD, and a board's memory is not.
  public static let mostLines = 1080

  private let card: String
  private let flipLimit = Duration.milliseconds(100)

  private var descriptor: Int32 = -1
  private var path = ""
  private var output = mynah_drm_output()
  private var saved = mynah_drm_saved()
  private var buffers = (mynah_drm_buffer(), mynah_drm_buffer())
  private var isSecondShown = false
  /// Since when a flip waits for its vertical blank.
  private var flipping: Int64?
  /// This driver has no flips: the other buffer is set in the place of the first, as with a new mode.
  private var hasNoFlips = false

  /// - Parameter card: `/dev/dri/card1`; empty: the first one with a screen.
  public init(card: String = "") { self.card = card }

  deinit { close() }

  public var isAttached: Bool { !DRMCards.attached(card).isEmpty }

  public func open() throws(DeviceError) -> ScreenMode {
    close()
    let candidates = DRMCards.attached(card)
    guard !candidates.isEmpty else {
      throw DeviceError(
        .missing, device: card.isEmpty ? "screen" : card, operation: "open", code: ENODEV,
        hint: "plug a screen in before the board starts, or set hdmi_force_hotplug")
    }
    var failure: DeviceError?
    for candidate in candidates {
      do throws(DeviceError) { return try take(candidate) } catch {
        close()
        failure = failure ?? error
      }
    }
    throw failure ?? DRMErrors.error(card, "open", code: ENODEV)
  }

  private func take(_ path: String) throws(DeviceError) -> ScreenMode {
    self.path = path
    descriptor = mynah_drm_open(path)
    guard descriptor >= 0 else { throw DRMErrors.error(path, "open", code: -descriptor) }
    try check(mynah_drm_find(descriptor, UInt32(Self.mostLines), &output), "find a screen")
    try check(mynah_drm_make(descriptor, output.width, output.height, &buffers.0), "make a buffer")
    try check(mynah_drm_make(descriptor, output.width, output.height, &buffers.1), "make a buffer")
    mynah_drm_save(descriptor, output.crtc, &saved)
    let status = mynah_drm_set(descriptor, &output, buffers.0.framebuffer)
    guard status == 0 else {
      // There is nothing to give back.
      saved.is_set = 0
      throw DRMErrors.error(name, "set \(output.width)×\(output.height)", code: -status)
    }
    isSecondShown = false
    flipping = nil
    hasNoFlips = false
    return ScreenMode(
      connector: connector, width: Int(output.width), height: Int(output.height), millihertz: Int(output.millihertz))
  }

  private func check(_ status: Int32, _ operation: String) throws(DeviceError) {
    guard status == 0 else { throw DRMErrors.error(path, operation, code: -status) }
  }

  private var connector: String {
    withUnsafeBytes(of: output.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  private var name: String { "\(path) \(connector)" }

  public var surface: ScreenSurface? {
    guard descriptor >= 0, !isFlipping else { return nil }
    let buffer = isSecondShown ? buffers.0 : buffers.1
    return buffer.pixels.map {
      ScreenSurface(
        pixels: $0, width: Int(output.width), height: Int(output.height), bytesPerRow: Int(buffer.bytes_per_row))
    }
  }

  private var isFlipping: Bool {
    guard let since = flipping else { return false }
    var time: Int64 = 0
    let isDone = mynah_drm_event(descriptor, &time) == 1
    // A driver whose vertical blank does not come must not stop the pictures.
    guard isDone || Monotonic.now - since > flipLimit.nanoseconds else { return true }
    flipping = nil
    return false
  }

  public func show() throws(DeviceError) {
    guard descriptor >= 0 else {
      throw DeviceError(.lost, device: "screen", operation: "show a picture", hint: "open it again")
    }
    let next = isSecondShown ? buffers.0.framebuffer : buffers.1.framebuffer
    if !hasNoFlips {
      let status = mynah_drm_flip(descriptor, output.crtc, next)
      switch -status {
      case 0:
        flipping = Monotonic.now
        isSecondShown.toggle()
        return
      case EINVAL, ENOSYS, EOPNOTSUPP: hasNoFlips = true
      // The last one waits still: this picture is left out.
      case EBUSY: return
      default: throw DRMErrors.error(name, "show a picture", code: -status, wasShowing: true)
      }
    }
    let status = mynah_drm_set(descriptor, &output, next)
    guard status == 0 else { throw DRMErrors.error(name, "show a picture", code: -status, wasShowing: true) }
    isSecondShown.toggle()
  }

  public func close() {
    guard descriptor >= 0 else { return }
    mynah_drm_restore(descriptor, &output, &saved)
    mynah_drm_free(descriptor, &buffers.0)
    mynah_drm_free(descriptor, &buffers.1)
    mynah_drm_drop(descriptor)
    Glibc.close(descriptor)
    descriptor = -1
    flipping = nil
  }
}
