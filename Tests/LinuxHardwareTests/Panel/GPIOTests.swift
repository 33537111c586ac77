import Foundation
import Glibc
import Hardware
import Testing

@testable import LinuxHardware

/// Lines that a test moves: a pipe makes their descriptors readable, as the kernel does.
private final class FakeGPIO: GPIOPort, @unchecked Sendable {
  final class Line: GPIOInput, GPIOOutput {
    let pipe: [Int32]
    private unowned let owner: FakeGPIO
    private let address: GPIOAddress

    init(_ owner: FakeGPIO, _ address: GPIOAddress) {
      self.owner = owner
      self.address = address
      var ends: [Int32] = [-1, -1]
      _ = Glibc.pipe(&ends)
      _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
      pipe = ends
    }

    deinit {
      close(pipe[0])
      close(pipe[1])
      owner.released.take(address.line)
    }

    var descriptor: Int32 { pipe[0] }
    func level() -> Bool? {
      owner.locked { owner.gone.contains(address.line) ? nil : owner.levels[address.line] ?? false }
    }
    func edges() -> [GPIOEdge]? {
      var bytes = [UInt8](repeating: 0, count: 64)
      _ = read(pipe[0], &bytes, bytes.count)
      return owner.locked {
        if owner.gone.contains(address.line) { return nil }
        return owner.edges.removeValue(forKey: address.line) ?? []
      }
    }
    func set(_ isActive: Bool) -> Int32? {
      owner.locked {
        if owner.gone.contains(address.line) { return ENODEV }
        owner.levels[address.line] = isActive
        return nil
      }
    }
  }

  private let lock = NSLock()
  var levels: [Int: Bool] = [:]
  var edges: [Int: [GPIOEdge]] = [:]
  /// Lines that do not work.
  var gone: Set<Int> = []
  private var writers: [Int: Int32] = [:]
  let released = Collector<Int>()
  let requested = Collector<Int>()

  func locked<T>(_ body: () -> T) -> T {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }

  private func line(_ address: GPIOAddress) throws(DeviceError) -> Line {
    requested.take(address.line)
    if locked({ gone.contains(address.line) }) {
      throw KernelGPIO.failure(EBUSY, "request", address)
    }
    let line = Line(self, address)
    locked { writers[address.line] = line.pipe[1] }
    return line
  }

  func input(_ address: GPIOAddress, bias: LineBias) throws(DeviceError) -> any GPIOInput { try line(address) }
  func output(_ address: GPIOAddress) throws(DeviceError) -> any GPIOOutput { try line(address) }

  /// Moves a line; the kernel tells of `told` edges.
  func move(_ line: Int, to level: Bool, telling told: [GPIOEdge]) {
    locked {
      levels[line] = level
      edges[line, default: []] += told
      var byte: UInt8 = 0
      if let writer = writers[line] { _ = write(writer, &byte, 1) }
    }
  }

  func lose(_ line: Int) {
    locked {
      gone.insert(line)
      var byte: UInt8 = 0
      if let writer = writers[line] { _ = write(writer, &byte, 1) }
    }
  }
}

@Suite struct GPIOTests {
  private let gpio = FakeGPIO()
  private let edges = Collector<ButtonEdge>()

  private func buttons() -> GPIOButtons {
    let lines = [(Button.rec, 1), (.stop, 2), (.lock, 3)].map {
      ButtonLine(button: $0.0, chip: "/dev/gpiochip9", line: $0.1, isActiveLow: true, bias: .pullUp)
    }
    return GPIOButtons(lines: lines, port: gpio)
  }

  @Test func edgesComeWithTheKernelsTime() throws {
    let buttons = buttons()
    try buttons.start { [edges] in edges.take($0) }
    let now = SystemClock().now.nanoseconds
    gpio.move(1, to: true, telling: [GPIOEdge(isActive: true, stamp: now - 5_000_000)])
    #expect(edges.wait { $0.count == 1 })
    #expect(edges.values == [ButtonEdge(.rec, isPressed: true, at: Instant(nanoseconds: now - 5_000_000))])
    gpio.move(2, to: false, telling: [GPIOEdge(isActive: true, stamp: now), GPIOEdge(isActive: false, stamp: now + 1)])
    #expect(edges.wait { $0.count == 3 })
    #expect(edges.values.map(\.isPressed) == [true, true, false])
    buttons.stop()
    #expect(gpio.released.wait { Set($0) == [1, 2, 3] })
  }

  @Test func edgesThatTheKernelDroppedAreMadeUpForByTheLevel() throws {
    let buttons = buttons()
    try buttons.start { [edges] in edges.take($0) }
    let now = SystemClock().now.nanoseconds
    gpio.move(1, to: false, telling: [GPIOEdge(isActive: true, stamp: now)])
    #expect(edges.wait { $0.count == 2 })
    #expect(edges.values.map(\.isPressed) == [true, false])
    buttons.stop()
  }

  @Test func linesThatCannotBeHadAreNamedAndTheOthersWork() throws {
    gpio.gone = [2]
    let buttons = buttons()
    let error = #expect(throws: DeviceError.self) { try buttons.start { [edges] in edges.take($0) } }
    #expect(error?.kind == .busy)
    #expect(error?.description.contains("STOP (/dev/gpiochip9:2)") == true)
    #expect(error?.description.contains("REC") == false)
    gpio.move(1, to: true, telling: [GPIOEdge(isActive: true, stamp: 0)])
    #expect(edges.wait { $0.count == 1 })
    // It comes free, and is taken within a second.
    gpio.locked { _ = gpio.gone.remove(2) }
    #expect(gpio.requested.wait { $0.filter { $0 == 2 }.count >= 2 })
    buttons.stop()
  }

  @Test func aKeyWhoseLineGoesIsReleased() throws {
    let buttons = buttons()
    try buttons.start { [edges] in edges.take($0) }
    gpio.move(3, to: true, telling: [GPIOEdge(isActive: true, stamp: 0)])
    #expect(edges.wait { $0.count == 1 })
    gpio.lose(3)
    #expect(edges.wait { $0.count == 2 })
    #expect(edges.values.last?.isPressed == false)
    buttons.stop()
  }

  @Test func aBoardWithoutTheChipSaysSo() {
    let line = ButtonLine(button: .rec, chip: "/dev/gpiochip-none", line: 4, isActiveLow: true, bias: .pullUp)
    let buttons = GPIOButtons(lines: [line])
    let error = #expect(throws: DeviceError.self) { try buttons.start { _ in } }
    #expect(error?.kind == .missing)
    #expect(error?.hint.contains("gpiodetect") == true)
    buttons.stop()
    let lamps = GPIOLamps(lines: [LampLine(lamp: .rec, chip: "/dev/null", line: 4, isActiveLow: false)])
    #expect(throws: DeviceError.self) { try lamps.set(.rec, isLit: true) }
  }

  @Test func lampsAreSetAndTriedAgainOnceASecond() throws {
    let now = Collector<Int64>()
    now.take(0)
    let lines = [(Lamp.rec, 1), (.status, 2)].map {
      LampLine(lamp: $0.0, chip: "/dev/gpiochip9", line: $0.1, isActiveLow: false)
    }
    let lamps = GPIOLamps(lines: lines, port: gpio, now: { now.values.last ?? 0 })
    try lamps.set(.rec, isLit: true)
    try lamps.set(.lock, isLit: true)
    #expect(gpio.levels == [1: true])
    gpio.lose(1)
    let lost = #expect(throws: DeviceError.self) { try lamps.set(.rec, isLit: false) }
    #expect(lost?.kind == .lost)
    gpio.gone = []
    #expect(throws: DeviceError.self) { try lamps.set(.rec, isLit: false) }
    try lamps.set(.status, isLit: true)
    now.take(1_000_000_000)
    try lamps.set(.rec, isLit: true)
    lamps.close()
    #expect(gpio.levels == [1: false, 2: false])
  }

  @Test func stampsOfEitherClockBecomeMonotonic() {
    let (monotonic, realtime): (Int64, Int64) = (5_000_000_000, 1_800_000_000_000_000_000)
    func at(_ stamp: Int64) -> Int64 {
      EdgeClock.instant(stamp: stamp, monotonic: monotonic, realtime: realtime).nanoseconds
    }
    #expect(at(monotonic - 7) == monotonic - 7)
    #expect(at(realtime - 7) == monotonic - 7)
    #expect(at(monotonic + 7) == monotonic)
    #expect(at(.max) <= monotonic)
    #expect(at(.min) <= monotonic)
    #expect(at(0) == 0)
  }
}
