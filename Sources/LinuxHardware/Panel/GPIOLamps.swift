internal import Glibc
public import Hardware

/// Lamps on GPIO lines. One thread at a time; no call takes more than some 0.1 ms.
///
/// A line is requested when its lamp is first set. One that cannot be requested, or that is lost, is tried again at most once a
/// second; in between, setting it fails with the same error at once.
public final class GPIOLamps: Lamps {
  private static let retryPause: Int64 = 1_000_000_000

  private struct Holder {
    let line: LampLine
    var output: (any GPIOOutput)?
    var problem: DeviceError?
    var retryAt: Int64 = 0
  }

  private var holders: [Holder]
  private let port: any GPIOPort
  private let now: () -> Int64

  public convenience init(lines: [LampLine]) {
    self.init(lines: lines, port: KernelGPIO(), now: { Monotonic.now })
  }

  init(lines: [LampLine], port: any GPIOPort, now: @escaping () -> Int64) {
    holders = lines.map { Holder(line: $0) }
    self.port = port
    self.now = now
  }

  deinit { close() }

  /// Sets a lamp. A lamp that the board does not have is no error.
  public func set(_ lamp: Lamp, isLit: Bool) throws(DeviceError) {
    for index in holders.indices where holders[index].line.lamp == lamp { try set(index, isLit) }
  }

  private func set(_ index: Int, _ isLit: Bool) throws(DeviceError) {
    let output = try output(index)
    guard let code = output.set(isLit) else { return }
    let address = holders[index].line.address
    let isGone = code == ENODEV || code == ENXIO
    let error = DeviceError(
      isGone ? .lost : .failed, device: address.name, operation: "set the lamp \(holders[index].line.lamp.rawValue)",
      code: code, hint: isGone ? "the chip is gone; plug it in again" : "gpioinfo shows the state of the lines")
    fail(index, error)
    throw error
  }

  private func output(_ index: Int) throws(DeviceError) -> any GPIOOutput {
    if let output = holders[index].output { return output }
    if let problem = holders[index].problem, now() < holders[index].retryAt { throw problem }
    do throws(DeviceError) {
      let output = try port.output(holders[index].line.address)
      holders[index].output = output
      holders[index].problem = nil
      return output
    } catch {
      fail(index, error)
      throw error
    }
  }

  private func fail(_ index: Int, _ error: DeviceError) {
    holders[index].output = nil
    holders[index].problem = error
    holders[index].retryAt = now() + Self.retryPause
  }

  /// Puts all lamps out and gives their lines back.
  public func close() {
    for index in holders.indices {
      _ = holders[index].output?.set(false)
      holders[index].output = nil
    }
  }
}

extension LampLine {
  var address: GPIOAddress { GPIOAddress(chip: chip, line: line, isActiveLow: isActiveLow) }
}
