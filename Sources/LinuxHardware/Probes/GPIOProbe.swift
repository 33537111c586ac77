internal import CGPIO
internal import Glibc
public import Hardware

/// Looks at the lines of keys and lamps: the chip, the line's name, who has it, its level.
public struct GPIOProbe: Probe {
  private let buttons: [ButtonLine]
  private let lamps: [LampLine]
  private let port: any GPIOPort
  private let look: @Sendable (GPIOAddress) -> LineLook
  private let appliance: Int?

  /// - Parameter appliance: process id of the mynah that works with this board, if one does.
  public init(buttons: [ButtonLine], lamps: [LampLine], appliance: Int?) {
    self.init(
      buttons: buttons, lamps: lamps, appliance: appliance, port: KernelGPIO(), look: { LineLook.ask($0) })
  }

  init(
    buttons: [ButtonLine], lamps: [LampLine], appliance: Int?, port: any GPIOPort,
    look: @escaping @Sendable (GPIOAddress) -> LineLook
  ) {
    self.buttons = buttons
    self.lamps = lamps
    self.appliance = appliance
    self.port = port
    self.look = look
  }

  public func examine() -> [DeviceFinding] { buttons.map(examine) + lamps.map(examine) }

  private func examine(_ line: ButtonLine) -> DeviceFinding {
    examine("buttons.\(line.button.rawValue)", line.address) { () throws(DeviceError) -> Level in
      let input = try port.input(line.address, bias: line.bias)
      guard let isHeld = input.level() else { return .gone }
      return isHeld ? .held : .released
    }
  }

  private func examine(_ line: LampLine) -> DeviceFinding {
    examine("leds.\(line.lamp.rawValue)", line.address) { () throws(DeviceError) -> Level in
      let output = try port.output(line.address)
      return output.set(false) == nil ? .dark : .gone
    }
  }

  private enum Level: String { case held, released, dark, gone }

  private func examine(
    _ device: String, _ address: GPIOAddress, request: () throws(DeviceError) -> Level
  ) -> DeviceFinding {
    let look = look(address)
    var facts = look.facts
    if look.isUsed {
      // The level of a line that another process holds cannot be read.
      if look.consumer == "mynah" {
        let who = appliance.map { $0 == Int(getpid()) ? "this mynah" : "mynah (process \($0))" } ?? "a mynah"
        if let appliance { facts["holder"] = .integer(appliance) }
        return DeviceFinding(device, place: address.name, .inUse, "\(look.text), \(who) has it", facts: facts)
      }
      let consumer = look.consumer.isEmpty ? "a kernel driver" : look.consumer
      return DeviceFinding(
        device, place: address.name, .busy, "\(look.text), \(consumer) has it",
        remedy: "take the overlay of that driver out of config.txt, stop that program, or use another line",
        facts: facts)
    }
    do throws(DeviceError) {
      let level = try request()
      facts["level"] = .text(level.rawValue)
      switch level {
      case .gone:
        return DeviceFinding(
          device, place: address.name, .failed, "\(look.text), cannot be read or set",
          remedy: "gpioinfo shows the state of the lines", facts: facts)
      case .held:
        return DeviceFinding(
          device, place: address.name, .limited, "\(look.text), reads as held down",
          remedy: "let the key go; if nobody touches it, check its wire, and active_low and bias in the board file",
          facts: facts)
      case .released, .dark:
        return DeviceFinding(device, place: address.name, .works, "\(look.text), \(level.rawValue)", facts: facts)
      }
    } catch {
      var finding = DeviceFinding(device, place: address.name, error, facts: facts)
      if error.kind == .missing {
        let chips = ProcText.entries("/dev").filter { $0.hasPrefix("gpiochip") }.map { "/dev/\($0)" }
        finding.detail = "there is no such chip"
        finding.remedy =
          chips.isEmpty
          ? "this machine has no GPIO chips; is it the board that the file describes?"
          : "name one of \(chips.joined(separator: ", ")) in the board file"
      }
      return finding
    }
  }
}

/// What can be seen of a line without having it.
struct LineLook: Sendable {
  var label = ""
  var name = ""
  var consumer = ""
  var isUsed = false

  static func ask(_ address: GPIOAddress) -> LineLook {
    var look = LineLook()
    var label = [CChar](repeating: 0, count: 64)
    guard mynah_gpio_chip(address.chip, &label, label.count) >= 0 else { return look }
    look.label = text(label)
    var info = mynah_gpio_info()
    guard let offset = UInt32(exactly: address.line), mynah_gpio_look(address.chip, offset, &info) == 0 else {
      return look
    }
    look.name = withUnsafeBytes(of: info.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    look.consumer = withUnsafeBytes(of: info.consumer) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    look.isUsed = info.is_used
    return look
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  var facts: [String: Fact] {
    var facts: [String: Fact] = ["isUsed": .flag(isUsed)]
    if !label.isEmpty { facts["chip"] = .text(label) }
    if !name.isEmpty { facts["line"] = .text(name) }
    if !consumer.isEmpty { facts["consumer"] = .text(consumer) }
    return facts
  }

  /// `GPIO17 of pinctrl-bcm2711`.
  var text: String {
    let line = name.isEmpty ? "a line without a name" : name
    return label.isEmpty ? line : "\(line) of \(label)"
  }
}
