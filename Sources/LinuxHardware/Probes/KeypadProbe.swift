internal import Glibc
public import Hardware

/// Looks for the keypads and remotes of a board, and whether they have the keys that its file names.
public struct KeypadProbe: Probe {
  private let devices: [String]
  private let keys: [InputKey]
  private let port: any InputPort

  public init(devices: [String], keys: [InputKey]) { self.init(devices: devices, keys: keys, port: KernelInput()) }

  init(devices: [String], keys: [InputKey], port: any InputPort) {
    self.devices = devices
    self.keys = keys
    self.port = port
  }

  public func examine() -> [DeviceFinding] {
    var found: [InputDevice] = []
    var refused: DeviceError?
    for node in port.nodes().sorted() {
      do throws(DeviceError) { found.append(try port.open(node)) } catch { refused = refused ?? error }
    }
    let had = found.filter { device in devices.contains(where: device.isMeant) }
    let codes = had.reduce(into: Set<Int>()) { $0.formUnion(port.keys($1, onlyDown: false)) }
    return devices.map { entry in
      let own = found.filter { $0.isMeant(by: entry) }
      guard let first = own.first else { return missing(entry, among: found, refused) }
      let lacking = keys.filter { !codes.contains($0.code) }
      let text = own.map { "\($0.name) at \($0.path)" }.joined(separator: ", ")
      guard lacking.isEmpty else {
        let names = lacking.map { "\(KeyCodes.name(of: $0.code)) (\($0.button.rawValue))" }.joined(separator: ", ")
        return DeviceFinding(
          "keypad", place: first.path, .limited, "\(text), has no \(names)",
          remedy: "name keys that it has in the board file; evtest shows what a key is called")
      }
      return DeviceFinding("keypad", place: first.path, .works, "\(text), keys \(names(of: keys))")
    }
  }

  private func names(of keys: [InputKey]) -> String {
    Button.allCases.filter { button in keys.contains { $0.button == button } }.map(\.rawValue).joined(separator: " ")
  }

  private func missing(_ entry: String, among found: [InputDevice], _ refused: DeviceError?) -> DeviceFinding {
    if let refused, refused.kind == .denied { return DeviceFinding("keypad", place: entry, refused) }
    let there = found.map { "\"\($0.name)\"" }.sorted().joined(separator: ", ")
    return DeviceFinding(
      "keypad", place: entry, .missing, "there is no such input device",
      remedy: there.isEmpty ? "plug it in" : "plug it in, or name one of \(there) in the board file")
  }
}
