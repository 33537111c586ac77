internal import Glibc
public import Hardware

/// Opens the camera as the appliance would, and takes pictures for a second.
public struct CameraProbe: Probe {
  /// Finds out what would encode raw pictures: its name, or why nothing does.
  public typealias EncoderTrial = @Sendable (_ format: VideoFormat) -> Result<String, DeviceError>

  private let place: String
  private let request: CameraRequest
  /// Path of the device, or `nil` for a command.
  private let device: String?
  /// A running appliance, which has the camera.
  private let appliance: Int?
  private let encoder: EncoderTrial
  private let make: @Sendable () -> any Camera

  /// From the start to the first picture at most; a command takes seconds.
  private static let patience: Int64 = 8_000_000_000
  private static let length: Int64 = 1_000_000_000

  /// A camera of Video4Linux's.
  public static func v4l2(
    path: String, tuning: CameraTuning = CameraTuning(), request: CameraRequest, encoder: @escaping EncoderTrial
  ) -> CameraProbe {
    CameraProbe(place: path, request: request, device: path, appliance: nil, encoder: encoder) {
      V4L2Camera(path: path, tuning: tuning)
    }
  }

  /// A command. Two of them cannot have one camera, so it is left alone while an appliance runs.
  ///
  /// - Parameter appliance: process of the appliance that runs on this board, if there is one.
  public static func command(
    _ command: CameraCommand, request: CameraRequest, appliance: Int?, encoder: @escaping EncoderTrial
  ) -> CameraProbe {
    CameraProbe(
      place: command.arguments.first ?? "", request: request, device: nil, appliance: appliance, encoder: encoder
    ) { PipeCamera(command: command) }
  }

  init(
    place: String, request: CameraRequest, device: String?, appliance: Int?, encoder: @escaping EncoderTrial,
    make: @escaping @Sendable () -> any Camera
  ) {
    self.place = place
    self.request = request
    self.device = device
    self.appliance = appliance
    self.encoder = encoder
    self.make = make
  }

  public func examine() -> [DeviceFinding] {
    if let appliance {
      let holder = Holder(task: appliance)
      return [
        DeviceFinding(
          "camera", place: place, .inUse, "\(holder.text) has it", facts: ["holder": .integer(holder.process)])
      ]
    }
    var facts = CameraFacts.asked(request)
    if let device, let formats = CameraFacts.formats(device) { facts["formats"] = .text(formats) }
    let camera = make()
    defer { camera.close() }
    do throws(DeviceError) {
      let grant = try camera.open(request)
      facts.merge(CameraFacts.granted(grant)) { _, new in new }
      var refused: [String] = []
      if let v4l2 = camera as? V4L2Camera {
        facts["card"] = .text(v4l2.card ?? "")
        refused = v4l2.refusedControls
        if !refused.isEmpty { facts["refusedControls"] = .text(refused.joined(separator: ", ")) }
      }
      let seen = try watch(camera, grant)
      facts.merge(seen.facts) { _, new in new }
      return [judge(grant, seen, refused, facts)]
    } catch {
      return [explain(error, facts)]
    }
  }

  /// Takes pictures for a second from the first one on.
  private func watch(_ camera: any Camera, _ grant: CameraGrant) throws(DeviceError) -> SeenPictures {
    let queue = FrameQueue(bytes: 8 * grant.format.largestFrameBytes + 8192)
    let begin = Monotonic.now
    try camera.start(into: queue)
    var seen = SeenPictures()
    var end = begin + Self.patience
    while Monotonic.now < end {
      usleep(1000)
      while let (record, _) = queue.peek() {
        queue.drop()
        if record.kind == .lost {
          camera.close()
          if let story = camera.lastLoss { throw story }
          throw DeviceError(
            .lost, device: place, operation: "get pictures", code: record.code,
            hint: record.code == ETIMEDOUT
              ? "it gives none: plug it in again, or into another port" : "plug it in again; dmesg tells why")
        }
        let now = Monotonic.now
        if seen.count == 0 { end = now + Self.length }
        seen.take(record, now: now, begin: begin)
      }
    }
    seen.counters = camera.counters
    return seen
  }

  private func judge(
    _ grant: CameraGrant, _ seen: SeenPictures, _ refused: [String], _ facts: [String: Fact]
  ) -> DeviceFinding {
    var facts = facts
    var detail = "\(CameraFacts.text(grant)); \(seen.text)"
    var verdict = Verdict.works
    var notes: [String] = []
    var remedy = ""
    func limit(_ note: String, _ advice: String) {
      verdict = .limited
      notes.append(note)
      if remedy.isEmpty { remedy = advice }
    }
    if grant.format.codec.isRaw {
      switch encoder(grant.format) {
      case .success(let name):
        facts["encoder"] = .text(name)
        detail += "; encoded by \(name)"
      case .failure(let error):
        return DeviceFinding("camera", place: place, error, facts: facts)
      }
    } else {
      facts["encoder"] = .text("none")
      detail += "; kept as it comes"
    }
    guard seen.count > 1 else {
      return DeviceFinding(
        "camera", place: place, .failed, "opened, but no pictures come; \(detail)",
        remedy: "plug it in again, or into another port; dmesg tells what the kernel saw", facts: facts)
    }
    if seen.framesPerSecond < Double(request.framesPerSecond) * 0.9 {
      limit(
        "\(request.framesPerSecond) pictures a second were asked for",
        "give it more light, or set camera.fps, camera.width and camera.formats to what it can do")
    }
    if grant.format.width != request.width || grant.format.height != request.height {
      limit(
        "\(request.width) × \(request.height) were asked for",
        "set camera.width and camera.height in the board file to what it has")
    }
    if seen.counters.broken > 0 {
      limit("\(seen.counters.broken) broken pictures", "use a shorter cable or another port; a hub may be overloaded")
    }
    if !refused.isEmpty { limit("it refused \(refused.joined(separator: ", "))", "correct them in the board file") }
    if grant.timestamps == "arrival", device != nil {
      limit("its times are those of arrival", "mind that sound and picture may be some 50 ms apart")
    }
    notes.append(detail)
    return DeviceFinding(
      "camera", place: place, verdict, notes.joined(separator: "; "), remedy: remedy, facts: facts)
  }

  private func explain(_ error: DeviceError, _ facts: [String: Fact]) -> DeviceFinding {
    var finding = DeviceFinding("camera", place: place, error, facts: facts)
    guard error.kind == .busy, let device, let holder = Holder.find(device: device) else { return finding }
    finding.facts["holder"] = .integer(holder.process)
    finding.detail = "\(holder.text) has it"
    finding.verdict = holder.isMynah ? .inUse : .busy
    finding.remedy = holder.isMynah ? "" : "stop \(holder.name)"
    return finding
  }
}

/// What a camera has delivered.
private struct SeenPictures {
  private(set) var count = 0
  private(set) var keyframes = 0
  private(set) var bytes = 0
  private(set) var missed = 0
  private var firstAfter: Int64 = 0
  private var first: Int64 = 0
  private var last: Int64 = 0
  private var delays: [Int] = []
  var counters = CameraCounters()

  mutating func take(_ record: FrameRecord, now: Int64, begin: Int64) {
    if count == 0 {
      first = record.time.nanoseconds
      firstAfter = now - begin
    } else {
      missed += record.missedBefore
    }
    last = record.time.nanoseconds
    count += 1
    bytes += record.bytes
    if record.isKeyframe { keyframes += 1 }
    delays.append(Int(max(0, now - last)))
  }

  /// By the pictures' own times, those that are absent included.
  var framesPerSecond: Double { last > first ? Double(count - 1) * 1e9 / Double(last - first) : 0 }

  var text: String {
    let tenths = Int((framesPerSecond * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) a second, the first after \(firstAfter / 1_000_000) ms, in hand "
      + "\(Quantiles(delays).p50 / 1000) µs after they are taken; \(missed) missed"
  }

  var facts: [String: Fact] {
    [
      "framesPerSecondMeasured": .number((framesPerSecond * 1000).rounded() / 1000),
      "firstPictureMicroseconds": .integer(Int(firstAfter / 1000)), "frames": .integer(count),
      "keyframes": .integer(keyframes), "bytes": .integer(bytes), "missed": .integer(missed),
      "broken": .integer(counters.broken), "deliveryP50Microseconds": .integer(Quantiles(delays).p50 / 1000),
      "deliveryMaxMicroseconds": .integer(Quantiles(delays).maximum / 1000),
    ]
  }
}
