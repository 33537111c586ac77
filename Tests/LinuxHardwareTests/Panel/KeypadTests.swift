import Foundation
import Glibc
import Hardware
import Testing

@testable import LinuxHardware

/// Input devices whose records come through pipes, which the reader polls and reads as it does the kernel's.
private final class FakeInput: InputPort, @unchecked Sendable {
  private let lock = NSLock()
  private var writers: [String: Int32] = [:]
  private var names: [String: String] = [:]
  private var ends: [String: [Int32]] = [:]
  /// Answers for the keys that are down, or that a device has.
  private var bits: [Int: Set<Int>] = [:]
  private var refusals: [String: DeviceError] = [:]

  func locked<T>(_ body: () -> T) -> T {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }

  func plug(_ node: String, _ name: String, keys: Set<Int> = []) {
    locked {
      names[node] = name
      var pair: [Int32] = [-1, -1]
      _ = Glibc.pipe(&pair)
      // Neither end waits: who writes holds the lock that who reads wants.
      for end in pair { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
      ends[node] = pair
      writers[node] = pair[1]
      bits[0] = (bits[0] ?? []).union(keys)
    }
  }

  func pull(_ node: String) {
    locked {
      names[node] = nil
      if let writer = writers.removeValue(forKey: node) { close(writer) }
    }
  }

  func refuse(_ node: String, _ error: DeviceError) { locked { refusals[node] = error } }
  func setDown(_ codes: Set<Int>) { locked { bits[1] = codes } }

  func send(_ node: String, _ records: [(type: UInt16, code: UInt16, value: Int32)], at stamp: Int64) {
    var bytes: [UInt8] = []
    for record in records {
      withUnsafeBytes(of: stamp / 1_000_000_000) { bytes += $0 }
      withUnsafeBytes(of: stamp % 1_000_000_000 / 1000) { bytes += $0 }
      withUnsafeBytes(of: record.type) { bytes += $0 }
      withUnsafeBytes(of: record.code) { bytes += $0 }
      withUnsafeBytes(of: record.value) { bytes += $0 }
    }
    _ = locked { writers[node].map { write($0, bytes, bytes.count) } }
  }

  func nodes() -> [String] { locked { names.keys.shuffled() } }

  func open(_ node: String) throws(DeviceError) -> InputDevice {
    let (name, end, refusal) = locked { (names[node], ends[node], refusals[node]) }
    if let refusal { throw refusal }
    guard let name, let end else { throw DeviceError(.missing, device: node, operation: "open") }
    return InputDevice(descriptor: dup(end[0]), name: name, path: "/dev/input/\(node)")
  }

  func take(_ device: InputDevice) throws(DeviceError) {}
  func keys(_ device: InputDevice, onlyDown: Bool) -> Set<Int> { locked { bits[onlyDown ? 1 : 0] ?? [] } }
}

@Suite struct KeypadTests {
  private let input = FakeInput()
  private let edges = Collector<ButtonEdge>()
  private let reports = Collector<DeviceError?>()
  private static let keys = [
    InputKey(.rec, code: 96), InputKey(.stop, code: 82), InputKey(.rec, code: 164), InputKey(.centre, code: 80),
  ]

  private func start(_ devices: [String]) throws -> KeypadButtons {
    let buttons = KeypadButtons(devices: devices, keys: Self.keys, port: input)
    buttons.report { [reports] in reports.take($0) }
    try buttons.start { [edges] in edges.take($0) }
    return buttons
  }

  @Test func `Keys of a keypad are ours with the kernel's time, repeats and strange keys are nothing`() throws {
    input.plug("event4", "USB Keypad")
    input.plug("event5", "Something else")
    let buttons = try start(["USB Key"])
    let now = SystemClock().now.nanoseconds / 1000 * 1000
    input.send("event4", [(4, 4, 7), (1, 96, 1), (0, 0, 0), (1, 96, 2), (1, 30, 1), (0, 0, 0)], at: now - 5_000_000)
    input.send("event5", [(1, 82, 1), (0, 0, 0)], at: now)
    input.send("event4", [(1, 96, 0), (0, 0, 0)], at: now)
    #expect(edges.wait { $0.count == 2 })
    #expect(
      edges.values == [
        ButtonEdge(.rec, isPressed: true, at: Instant(nanoseconds: now - 5_000_000)),
        ButtonEdge(.rec, isPressed: false, at: Instant(nanoseconds: now)),
      ])
    buttons.stop()
  }

  @Test func `Two keys that are the same one are held until both are let go`() throws {
    input.plug("event4", "USB Keypad")
    input.plug("event6", "Headset")
    let buttons = try start(["USB Keypad", "Headset"])
    input.send("event4", [(1, 96, 1)], at: 1)
    #expect(edges.wait { $0.count == 1 })
    input.send("event6", [(1, 164, 1), (1, 82, 1)], at: 2)
    #expect(edges.wait { $0.count == 2 })
    input.send("event4", [(1, 96, 0), (1, 80, 1)], at: 3)
    #expect(edges.wait { $0.count == 3 })
    input.send("event6", [(1, 164, 0)], at: 4)
    #expect(edges.wait { $0.count == 4 })
    #expect(edges.values.map(\.button) == [.rec, .stop, .centre, .rec])
    #expect(edges.values.map(\.isPressed) == [true, true, true, false])
    buttons.stop()
  }

  @Test func `A keypad that is pulled lets go of its keys, and works when it is back under another number`() throws {
    input.plug("event4", "USB Keypad")
    let buttons = try start(["USB Keypad"])
    input.send("event4", [(1, 96, 1)], at: 1)
    #expect(edges.wait { $0.count == 1 })
    input.pull("event4")
    #expect(edges.wait { $0.count == 2 })
    #expect(edges.values[1].isPressed == false)
    #expect(reports.wait { $0.count == 1 })
    #expect(reports.values[0]?.kind == .lost)
    #expect(reports.values[0]?.description.contains("USB Keypad") == true)
    input.plug("event9", "USB Keypad")
    #expect(reports.wait { $0.count == 2 && $0[1] == nil })
    input.send("event9", [(1, 82, 1)], at: 2)
    #expect(edges.wait { $0.count == 3 })
    #expect(edges.values[2].button == .stop)
    // Its other half comes a moment later.
    input.plug("event10", "USB Keypad Consumer Control")
    let limit = Date(timeIntervalSinceNow: 20)
    while edges.values.count < 4, Date() < limit {
      input.send("event10", [(1, 164, 1), (0, 0, 0)], at: 3)
      sched_yield()
    }
    #expect(edges.values.last?.button == .rec)
    buttons.stop()
  }

  @Test func `One that is not plugged in is named, and works as soon as it is`() throws {
    let buttons = KeypadButtons(devices: ["USB Keypad"], keys: Self.keys, port: input)
    buttons.report { [reports] in reports.take($0) }
    let error = #expect(throws: DeviceError.self) { try buttons.start { [edges] in edges.take($0) } }
    #expect(error?.kind == .missing)
    #expect(error?.device == "USB Keypad")
    input.plug("event1", "USB Keypad Pro")
    #expect(reports.wait { $0 == [nil] })
    input.send("event1", [(1, 96, 1)], at: 1)
    #expect(edges.wait { $0.count == 1 })
    buttons.stop()
  }

  @Test func `One that may not be opened says what to do`() throws {
    input.plug("event1", "USB Keypad")
    input.refuse(
      "event1", DeviceError(.denied, device: "/dev/input/event1", operation: "open", code: EACCES, hint: "join input"))
    let error = #expect(throws: DeviceError.self) { try start(["USB Keypad"]) }
    #expect(error?.kind == .denied)
    let probe = KeypadProbe(devices: ["USB Keypad"], keys: Self.keys, port: input).examine()
    #expect(probe.map(\.verdict) == [.denied])
  }

  @Test func `What the kernel dropped is made up for by what is down`() throws {
    input.plug("event4", "USB Keypad")
    let buttons = try start(["USB Keypad"])
    input.send("event4", [(1, 96, 1), (0, 0, 0)], at: 1)
    #expect(edges.wait { $0.count == 1 })
    input.setDown([82, 30])
    input.send("event4", [(0, 3, 0), (1, 80, 1), (0, 0, 0)], at: 2)
    #expect(edges.wait { $0.count == 3 })
    #expect(
      Set(edges.values.dropFirst().map { "\($0.button.rawValue) \($0.isPressed)" }) == ["REC false", "STOP true"])
    buttons.stop()
  }

  @Test func `The doctor tells which keys there are, which are not, and what is plugged in instead`() {
    input.plug("event4", "USB Keypad", keys: [96, 82, 80])
    let probe = KeypadProbe(devices: ["USB Keypad", "Jabra"], keys: Self.keys, port: input).examine()
    #expect(probe.map(\.verdict) == [.limited, .missing])
    #expect(probe[0].detail == "USB Keypad at /dev/input/event4, has no KEY_PLAYPAUSE (REC)")
    #expect(probe[1].remedy == "plug it in, or name one of \"USB Keypad\" in the board file")
    input.plug("event5", "Jabra", keys: [164])
    let whole = KeypadProbe(devices: ["USB Keypad", "Jabra"], keys: Self.keys, port: input).examine()
    #expect(whole.map(\.verdict) == [.works, .works])
    #expect(whole[1].detail == "Jabra at /dev/input/event5, keys REC STOP CENTRE")
  }

  @Test func `A device is named by its path, and by a link to it`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("keypad-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let target = folder.appendingPathComponent("event7")
    try Data().write(to: target)
    let link = folder.appendingPathComponent("usb-keypad-event-kbd")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
    let real = try #require(realpath(target.path, nil))
    defer { free(real) }
    let device = InputDevice(descriptor: -1, name: "Keypad", path: String(cString: real))
    #expect(device.isMeant(by: link.path))
    #expect(device.isMeant(by: String(cString: real)))
    #expect(device.isMeant(by: "Key"))
    #expect(!device.isMeant(by: "Keypad 2"))
    #expect(!device.isMeant(by: folder.appendingPathComponent("event8").path))
  }
}
