import Foundation
import Hardware
import SimulatedHardware
import TestSupport
import Testing

@Suite("Simulated camera")
struct SimulatedCameraTests {
  private let clock = VirtualClock()
  private let queue = FrameQueue(bytes: 8 << 20)

  private func started(
    _ options: SimulatedCameraOptions = SimulatedCameraOptions(), _ request: CameraRequest = cameraRequest(),
    at start: Instant = .zero
  ) throws -> (SimulatedCamera, VideoFormat) {
    let camera = SimulatedCamera(clock: clock, origin: .zero, options: options)
    clock.advance(to: start)
    let grant = try camera.open(request)
    try camera.start(into: queue)
    return (camera, grant.format)
  }

  @Test(
    "Pictures come at exact times, each with its number and its time burnt in", arguments: [VideoCodec.nv12, .yuyv])
  func exactTimes(codec: VideoCodec) throws {
    let (camera, format) = try started(SimulatedCameraOptions(), cameraRequest([codec]))
    var pictures = Pictures()
    run(clock, until: .at(1.001), [camera]) { pictures.drain(queue, format) }
    #expect(format.codec == codec)
    #expect(pictures.numbers == Array(0...30))
    let nominal = (0...30).map { (Int64($0) * 1_000_000_000 + 15) / 30 }
    #expect(pictures.times == nominal)
    #expect(pictures.codes.map { $0?.nanoseconds } == nominal)
    #expect(
      pictures.records.allSatisfy { $0.isKeyframe && $0.missedBefore == 0 && $0.bytes == format.largestFrameBytes })
    #expect(pictures.flashes == (0...30).map { $0 % 30 < 3 })
    #expect(camera.counters == CameraCounters(frames: 31))
  }

  @Test("Whenever it is started, a picture is that of its own time, and a late step delivers all of them")
  func lateStart() throws {
    let (camera, format) = try started(at: Instant(nanoseconds: 250_000_001))
    clock.advance(to: .at(1))
    let next = camera.step(now: clock.now)
    var pictures = Pictures()
    pictures.drain(queue, format)
    #expect(pictures.numbers == Array(8...30))
    #expect(next == Instant(nanoseconds: 1_033_333_333))
  }

  @Test("Its crystal may be off, and its time stamps are true all the same", arguments: [100.0, -100.0])
  func clockError(error: Double) throws {
    var options = SimulatedCameraOptions()
    options.clockError = ClockError(partsPerMillion: error)
    options.latency = .milliseconds(40)
    let hour = Instant.at(3600)
    let (camera, format) = try started(options, at: hour)
    var pictures = Pictures()
    run(clock, until: .at(3601), [camera]) { pictures.drain(queue, format) }
    // After an hour it is 360 ms ahead or behind.
    let first = try #require(pictures.codes.first ?? nil)
    #expect(abs(Double(first.number) - 3600 * 30 * (1 + error * 1e-6)) <= 1)
    #expect(pictures.codes.map { $0?.nanoseconds } == pictures.times)
    let steps = zip(pictures.times, pictures.times.dropFirst()).map { $1 - $0 }
    #expect(steps.allSatisfy { abs(Double($0) - 1e9 / 30 / (1 + error * 1e-6)) < 2 })
    #expect(pictures.times.last.map { $0 <= 3_600_960_000_000 } == true)
  }

  @Test("Jitter moves pictures, never past each other, and the same way each time")
  func jitter() throws {
    var options = SimulatedCameraOptions()
    options.jitter = .milliseconds(100)
    var runs: [[Int64]] = []
    for _ in 0..<2 {
      let clock = VirtualClock()
      let camera = SimulatedCamera(clock: clock, origin: .zero, options: options)
      let format = try camera.open(cameraRequest()).format
      try camera.start(into: queue)
      var pictures = Pictures()
      run(clock, until: .at(3), [camera]) { pictures.drain(queue, format) }
      runs.append(pictures.times)
    }
    #expect(runs[0] == runs[1])
    #expect(zip(runs[0], runs[0].dropFirst()).allSatisfy { $0 < $1 })
    let off = runs[0].map { abs($0 - ($0 * 30 + 500_000_000) / 1_000_000_000 * 1_000_000_000 / 30) }
    #expect(off.contains { $0 > 10_000_000 })
  }

  @Test("Unplugged it says so at once, refuses to open, and comes back with the picture of then")
  func unplug() throws {
    let (camera, format) = try started()
    var pictures = Pictures()
    run(clock, until: .at(1.01), [camera]) { pictures.drain(queue, format) }
    camera.unplug(at: clock.now)
    pictures.drain(queue, format)
    #expect(pictures.records.last == FrameRecord(.lost, code: 19, time: .at(1.01)))
    camera.close()
    #expect(deviceError { _ = try camera.open(cameraRequest()) }?.kind == .missing)
    run(clock, until: .at(2), [camera])
    camera.replug()
    _ = try camera.open(cameraRequest())
    try camera.start(into: queue)
    var later = Pictures()
    run(clock, until: .at(2.01), [camera]) { later.drain(queue, format) }
    #expect(later.numbers == [60])
  }

  @Test("A short stall is missed pictures; one of a second is a loss, at that very time")
  func stalls() throws {
    let (camera, format) = try started()
    var pictures = Pictures()
    run(clock, until: .at(1.01), [camera]) { pictures.drain(queue, format) }
    camera.stall(.milliseconds(300), at: clock.now)
    run(clock, until: .at(2.01), [camera]) { pictures.drain(queue, format) }
    let isOnlyHole = pictures.numbers == Array(0...30) + Array(40...60)
    #expect(isOnlyHole)
    #expect(pictures.records[31].missedBefore == 9)
    #expect(camera.counters == CameraCounters(frames: 52, missed: 9))
    camera.stall(.seconds(4), at: clock.now)
    run(clock, until: .at(4), [camera]) { pictures.drain(queue, format) }
    #expect(pictures.records.last == FrameRecord(.lost, code: 110, time: .at(3)))
    camera.close()
    // It opens while it hangs, and is lost again.
    _ = try camera.open(cameraRequest())
    try camera.start(into: queue)
    run(clock, until: .at(5.5), [camera]) { pictures.drain(queue, format) }
    #expect(pictures.records.last == FrameRecord(.lost, code: 110, time: .at(5)))
    _ = try camera.open(cameraRequest())
    try camera.start(into: queue)
    run(clock, until: .at(7.02), [camera]) { pictures.drain(queue, format) }
    #expect(pictures.numbers.last == 210)
  }

  @Test("Broken pictures and a full queue leave holes that are told and counted by their cause")
  func holes() throws {
    let small = FrameQueue(bytes: 3 * (320 * 180 * 3 / 2 + 128))
    let camera = SimulatedCamera(clock: clock, origin: .zero)
    let format = try camera.open(cameraRequest()).format
    try camera.start(into: small)
    camera.breakPictures(2)
    var pictures = Pictures()
    run(clock, until: .at(0.5), [camera]) { if clock.now < .at(0.2) { pictures.drain(small, format) } }
    pictures.drain(small, format)
    run(clock, until: .at(0.6), [camera]) { pictures.drain(small, format) }
    #expect(pictures.numbers.first == 2)
    #expect(pictures.records.first?.missedBefore == 2)
    let counters = camera.counters
    #expect(counters.broken == 2 && counters.missed == 0 && counters.overflows > 5)
    // Every number is there or told of.
    for (index, number) in pictures.numbers.enumerated() {
      let before = index == 0 ? -1 : pictures.numbers[index - 1]
      #expect(number == before + 1 + pictures.records[index].missedBefore)
    }
  }

  @Test("It grants what a device can do and refuses codings that it does not have")
  func grants() throws {
    let camera = SimulatedCamera(clock: clock, origin: .zero)
    let wild = try camera.open(cameraRequest([.h264, .yuyv], width: 5, height: 99_999, rate: 0)).format
    #expect(wild == VideoFormat(codec: .yuyv, width: 128, height: 1080, framesPerSecond: 1))
    #expect(deviceError { _ = try camera.open(cameraRequest([.h264])) }?.hint == "it has nv12, yuyv")
    #expect(deviceError { _ = try camera.open(cameraRequest([])) }?.kind == .unsupported)
    camera.close()
    #expect(deviceError { try camera.start(into: queue) }?.kind == .unsupported)
  }

  @Test("Its flash and the beeps fall together, whatever the microphone's crystal does", arguments: [0.0, 100, -100])
  func beeps(error: Double) throws {
    var options = SimulationOptions(clock: clock, storage: MemoryStorage(clock: clock))
    options.microphone = .beeps
    options.microphoneClockError = ClockError(partsPerMillion: error)
    let devices = try SimulatedHardware(options)
    let microphone = try #require(devices.microphone)
    // Half an hour later, at 48 kHz, 100 ppm are 8640 samples.
    clock.advance(to: .at(1800.5))
    let ring = CaptureRing(frames: 480_000, channels: 1, blocks: 1000)
    _ = try microphone.open(request())
    try microphone.start(into: ring)
    var captured = Captured()
    run(clock, until: .at(1802.5), [microphone]) { captured.drain(ring) }
    let first = try #require(captured.blocks.first)
    let onset = try #require(captured.samples.firstIndex { $0 != 0 })
    let begin = Double(first.end.nanoseconds) - 960 * 1e9 / 48_000 / (1 + error * 1e-6)
    let heard = begin + Double(onset) * 1e9 / 48_000 / (1 + error * 1e-6)
    // The sine begins with a zero.
    #expect(abs(heard - 1801e9) < 1.5e9 / 48_000)
    #expect(abs((captured.samples.max() ?? 0) - 0.5) < 0.001)
  }
}
