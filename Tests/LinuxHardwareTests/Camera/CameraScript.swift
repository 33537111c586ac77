import CV4L2
import Glibc
import Hardware

@testable import LinuxHardware

/// A capture device that does what a list says, on a clock of its own.
final class CameraScript {
  enum Turn {
    /// A picture: its bytes, its number, its time (`nil`: the clock's; below 0: none), whether it is marked as broken.
    case picture([UInt8], sequence: UInt32, time: Int64? = nil, isBroken: Bool = false)
    /// Nothing comes for this many ns.
    case silence(Int64)
    /// `wait` says ready, and `take` this errno.
    case failure(Int32)
    /// `wait` itself says this errno.
    case waitFailure(Int32)
  }

  fileprivate var turns: [Turn]
  fileprivate(set) var clock: Int64 = 100_000_000_000
  fileprivate var current: UnsafeMutableRawBufferPointer?
  fileprivate(set) var given: [UInt32] = []
  fileprivate(set) var keyframesAsked = 0
  /// ns from one picture to the next.
  fileprivate let interval: Int64
  private let gauges = UnsafeMutablePointer<CameraGauges>.allocate(capacity: 1)
  private let head = UnsafeMutableRawPointer.allocate(byteCount: FrameDelivery.headCapacity, alignment: 8)

  init(_ turns: [Turn], interval: Int64 = 33_333_333) {
    self.turns = turns
    self.interval = interval
    gauges.initialize(to: CameraGauges())
  }

  deinit {
    current?.deallocate()
    gauges.deinitialize(count: 1)
    gauges.deallocate()
    head.deallocate()
  }

  var counters: CameraCounters { gauges.pointee.counters }
  func askForKeyframe() { gauges.pointee.askForKeyframe() }

  /// Runs the loop until the list is over, or the camera is lost, and returns the records and their bytes.
  func run(_ shape: PictureShape, queue: FrameQueue = FrameQueue(bytes: 1 << 20)) -> [(FrameRecord, [UInt8])] {
    let port = UnsafeMutablePointer<mynah_camera_port>.allocate(capacity: 1)
    defer { port.deallocate() }
    port.initialize(
      to: mynah_camera_port(
        device: Unmanaged.passUnretained(self).toOpaque(), wait: scriptWait, take: scriptTake, give: scriptGive,
        force_keyframe: { script($0).keyframesAsked += 1 }, now: { script($0).clock },
        sleep: { script($0).clock += $1 }))
    let delivery = FrameDelivery(
      gauges: gauges, writer: queue.writer, shape: shape, head: head, now: clock)
    var loop = V4L2Loop(port: port, gauges: gauges, delivery: delivery)
    loop.run()
    var found: [(FrameRecord, [UInt8])] = []
    while let (record, bytes) = queue.peek() {
      found.append((record, Array(bytes)))
      queue.drop()
    }
    return found
  }

  /// Called when the list is over.
  fileprivate func stop() { gauges.pointee.stop() }
}

private func script(_ raw: UnsafeMutableRawPointer?) -> CameraScript {
  guard let raw else { preconditionFailure("the port has its script") }
  return Unmanaged<CameraScript>.fromOpaque(raw).takeUnretainedValue()
}

private func scriptWait(_ raw: UnsafeMutableRawPointer?, _ milliseconds: Int32) -> Int32 {
  let script = script(raw)
  switch script.turns.first {
  case nil:
    script.stop()
    return 0
  case .silence(let left)?:
    let step = min(left, Int64(milliseconds) * 1_000_000)
    script.clock += step
    script.turns[0] = .silence(left - step)
    if left == step { script.turns.removeFirst() }
    return 0
  case .waitFailure(let code)?:
    script.turns.removeFirst()
    return -code
  case .picture?:
    script.clock += script.interval
    return 1
  case .failure?: return 1
  }
}

private func scriptTake(_ raw: UnsafeMutableRawPointer?, _ picture: UnsafeMutablePointer<mynah_picture>?) -> Int32 {
  let script = script(raw)
  switch script.turns.removeFirst() {
  case .picture(let bytes, let sequence, let time, let isBroken):
    script.current?.deallocate()
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 1)
    copy.copyBytes(from: bytes)
    script.current = copy
    picture?.pointee = mynah_picture(
      bytes: UnsafeRawPointer(copy.baseAddress), count: UInt32(bytes.count), index: sequence % 4, sequence: sequence,
      is_broken: isBroken ? 1 : 0, time: time ?? script.clock - 10_000_000)
    return 0
  case .failure(let code): return -code
  default: return -EPROTO
  }
}

private func scriptGive(_ raw: UnsafeMutableRawPointer?, _ index: UInt32) -> Int32 {
  script(raw).given.append(index)
  return 0
}
