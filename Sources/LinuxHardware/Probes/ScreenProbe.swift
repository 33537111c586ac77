internal import CDRM
internal import Glibc
public import Hardware

/// Looks which screen is plugged in, and in which mode it would be driven. What it shows stays.
public struct ScreenProbe: Probe {
  private let card: String
  private let appliance: Int?

  /// - Parameters:
  ///   - card: `/dev/dri/card1`; empty: the first one with a screen.
  ///   - appliance: process of a mynah that runs on this board.
  public init(card: String, appliance: Int?) {
    self.card = card
    self.appliance = appliance
  }

  public func examine() -> [DeviceFinding] {
    let connectors = DRMCards.connectors().filter { card.isEmpty || "/dev/dri/\($0.card)" == card }
    guard !connectors.isEmpty else {
      return [
        DeviceFinding(
          "screen", place: card, .limited, "no connector for one",
          remedy: "switch mode setting on (dtoverlay=vc4-kms-v3d), or set screen.driver to none")
      ]
    }
    let all = connectors.map { "\($0.card)-\($0.name) \($0.status)" }.joined(separator: ", ")
    guard let path = DRMCards.attached(card).first else {
      // People plug it in when they want it.
      return [DeviceFinding("screen", place: card, .works, "none is plugged in (\(all))")]
    }
    let descriptor = mynah_drm_open(path)
    guard descriptor >= 0 else {
      return [DeviceFinding("screen", place: path, DRMErrors.error(path, "open", code: -descriptor))]
    }
    defer { Glibc.close(descriptor) }
    // The first process to open a card becomes its master, so it is closed again at once.
    mynah_drm_drop(descriptor)
    var driver = [CChar](repeating: 0, count: 32)
    _ = mynah_drm_driver(descriptor, &driver, UInt32(driver.count))
    let driverName = String(decoding: driver.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var output = mynah_drm_output()
    let status = mynah_drm_find(descriptor, UInt32(DRMScreen.mostLines), &output)
    guard status == 0 else {
      return [
        DeviceFinding(
          "screen", place: path, DRMErrors.error(path, "find a screen", code: -status),
          facts: ["driver": .text(driverName)])
      ]
    }
    let connector = withUnsafeBytes(of: output.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let hertz = Double(output.millihertz) / 1000
    let mode = "\(output.width)×\(output.height) at \((output.millihertz + 500) / 1000) Hz"
    return [
      DeviceFinding(
        "screen", place: "\(path) \(connector)", appliance == nil ? .works : .inUse, "\(mode) by \(driverName)",
        facts: [
          "connector": .text(connector), "driver": .text(driverName), "width": .integer(Int(output.width)),
          "height": .integer(Int(output.height)), "hertz": .number(hertz), "connectors": .text(all),
        ])
    ]
  }
}
