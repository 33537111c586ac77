import Foundation
import Hardware
import Testing

@testable import LinuxHardware

@Suite("Cards that drive screens")
struct DRMCardsTests {
  private func folder(_ connectors: [String: String]) throws -> String {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("drm-\(UUID().uuidString)")
    for (name, status) in connectors {
      let place = url.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try Data("\(status)\n".utf8).write(to: place.appendingPathComponent("status"))
    }
    return url.path
  }

  @Test("are those with a connected connector, in the order of their numbers")
  func attached() throws {
    let folder = try folder([
      "card0-HDMI-A-1": "disconnected", "card1-HDMI-A-1": "connected", "card1-HDMI-A-2": "connected",
      "card10-DSI-1": "connected", "card2-Composite-1": "unknown", "renderD128": "connected", "cardigan-1": "connected",
    ])
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(DRMCards.attached("", in: folder) == ["/dev/dri/card1", "/dev/dri/card10"])
    #expect(DRMCards.attached("/dev/dri/card10", in: folder) == ["/dev/dri/card10"])
    #expect(DRMCards.attached("/dev/dri/card0", in: folder).isEmpty)
    #expect(DRMCards.connectors(in: folder).count == 5)
    #expect(DRMCards.attached("", in: folder + "/none").isEmpty)
  }

  @Test("that cannot be had say what is to be done")
  func errors() {
    #expect(DRMErrors.error("/dev/dri/card0", "open", code: EACCES).kind == .denied)
    #expect(DRMErrors.error("/dev/dri/card0 HDMI-A-1", "set 1920×1080", code: EACCES).kind == .busy)
    #expect(DRMErrors.error("/dev/dri/card0", "find a screen", code: EOPNOTSUPP).kind == .unsupported)
    #expect(DRMErrors.error("/dev/dri/card0", "show a picture", code: ENODEV, wasShowing: true).kind == .lost)
    for code in [ENOENT, EACCES, EBUSY, ENODEV, EINVAL, ENOMEM, EIO] {
      #expect(!DRMErrors.error("x", "open", code: code).hint.isEmpty)
    }
  }

  @Test("are not there on a machine without: a screen is missing then, and says so")
  func missing() {
    let screen = DRMScreen(card: "/dev/dri/card250")
    #expect(!screen.isAttached)
    #expect(screen.surface == nil)
    #expect(throws: DeviceError.self) { try screen.open() }
    screen.close()
  }
}
