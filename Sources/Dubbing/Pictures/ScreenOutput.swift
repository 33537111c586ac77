internal import Hardware
internal import Media

/// A screen that may come and go: taken when there is a picture for it, given back when there is none any more. One
/// thread.
final class ScreenOutput {
  private let screen: any PictureScreen
  private let report: (DeviceError?) -> Void
  private(set) var mode: ScreenMode?
  /// Whether one was plugged in at the last look.
  private(set) var isAttached = false
  private var isDrawn = false
  private var nextLook = Instant.zero
  private var nextAttempt = Instant.zero
  private var hasReported = false

  /// How soon it is noticed that one was plugged in or out.
  private static let look = Duration.milliseconds(500)
  private static let retry = Duration.seconds(5)

  /// - Parameter report: told why it cannot be had, once, and `nil` when it can.
  init(_ screen: any PictureScreen, report: @escaping (DeviceError?) -> Void) {
    self.screen = screen
    self.report = report
  }

  var isOpen: Bool { mode != nil }
  /// Half of the time from one vertical blank to the next, in frames of the timeline.
  var halfPeriod: Double { mode.map { $0.period.inSeconds * 24_000 } ?? 0 }

  /// Takes the screen if one is there, and notices if it is gone.
  ///
  /// - Returns: when to look again.
  func watch(now: Instant) -> Instant {
    guard now >= nextLook else { return nextLook }
    nextLook = now + Self.look
    isAttached = screen.isAttached
    guard isAttached else {
      if let mode {
        lose(DeviceError(.lost, device: mode.connector, operation: "show pictures", hint: "plug it in again"))
        nextLook = now + Self.look
      }
      nextAttempt = now
      return nextLook
    }
    guard !isOpen, now >= nextAttempt else { return nextLook }
    do throws(DeviceError) {
      mode = try screen.open()
      isDrawn = false
      hasReported = false
      report(nil)
    } catch {
      nextAttempt = now + Self.retry
      if !hasReported { report(error) }
      hasReported = true
    }
    return nextLook
  }

  /// Draws into the hidden surface.
  ///
  /// - Returns: false if it still waits for its vertical blank.
  func draw(_ picture: DecodedPicture) -> Bool {
    guard isOpen, let surface = screen.surface else { return false }
    picture.draw(on: surface)
    isDrawn = true
    return true
  }

  /// Has shown what was drawn.
  func show() {
    guard isOpen, isDrawn else { return }
    isDrawn = false
    do throws(DeviceError) { try screen.show() } catch { lose(error) }
  }

  /// What was drawn is not wanted any more.
  func forget() { isDrawn = false }

  /// Gives it back.
  func close() {
    if isOpen { screen.close() }
    mode = nil
    isDrawn = false
    nextLook = .zero
  }

  private func lose(_ error: DeviceError) {
    close()
    if !hasReported { report(error) }
    // It is told again if it comes back and goes again.
    hasReported = error.kind != .lost
  }
}
