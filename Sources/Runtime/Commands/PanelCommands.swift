internal import Appliance
internal import Console
internal import Hardware
internal import JSON
internal import Panel

/// `panel.*`: the keys, the lamps and the picture.
extension Commands {
  func panel(_ call: CommandCall, _ reply: @escaping Reply) {
    switch call.method {
    case "panel.press":
      guard let button = call.text("button").flatMap(Button.init) else { return refuse(call, reply) }
      let length = Duration.milliseconds(call.integer("ms") ?? 100)
      device.press(button, for: length) { [device] reason in
        reply(.success(reason.map { ["ignored": .string(device.state.explain($0))] } ?? [:]))
      }
    case "panel.mode": changeMode(call, reply)
    case "panel.state": reply(.success(snapshot.json))
    case "panel.screen":
      let frame = device.picture.frame
      reply(
        .success([
          "png": .string(Base64.encode(PNG.encode(frame))), "width": .integer(frame.width),
          "height": .integer(frame.height),
        ]))
    default: refuse(call, reply)
    }
  }

  private func changeMode(_ call: CommandCall, _ reply: Reply) {
    let command: Command
    switch call.text("mode") {
    case "dictaphone": command = .take(.dictaphone)
    case "clips": command = .take(.clips)
    case "dub": command = .take(.dub)
    case "files": command = .showScreen(.files)
    case let mode:
      return reply(.failure(CommandFailure(.unsupported, "mode \(mode ?? "?") is not in this firmware yet")))
    }
    if let reason = device.handle(.command(command)) { return reply(.failure(failure(reason))) }
    reply(.success(["mode": .string(device.state.modeName)]))
  }

  /// What can be seen of the device.
  var snapshot: PanelSnapshot {
    let state = device.state
    let picture = device.picture
    let patterns = LampTable.patterns(for: state)
    return PanelSnapshot(
      mode: state.modeName, isLocked: state.isLocked, screen: picture.name, texts: picture.texts,
      lamps: Dictionary(uniqueKeysWithValues: Lamp.lights.map { ($0, patterns[$0].name) }), notice: state.notice,
      takes: device.storage.status.takes)
  }
}

/// Base64 of RFC 4648, section 4, for pictures on the console.
enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for place in 0..<4 {
        text.append(place <= group.count ? digits[Int(bits >> UInt32(18 - 6 * place) & 63)] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
