internal import Dubbing
internal import Hardware
internal import Sound

/// What a client plays: held back once a fifth of a second waits, used up at so many frames a second of the system's clock,
/// whatever the speaker's crystal does. Players of the device go first; it waits for them. Media lane only.
final class PCMWriter {
  private let hello: PCMHello
  private let output: SpeakerOutput
  private var fitting: RateFitting?
  private var granted: PCMFormat?
  private var clock = SpeakerClock(sampleRate: 1)
  private var drift: DriftControl
  private var queue: [Float] = []
  /// In the speaker's format, waiting for its ring.
  private var ready: [Float] = []
  private var hasEnded = false
  private var isFlushed = false
  private var isRunning = false
  private var begun: Instant?
  private var retry = Instant.zero
  private var nextStatus = Instant.zero
  private var starved = 0
  /// Frames of the client's that went into the fitting, and of the speaker's that came out.
  private var used = 0
  private var made = 0
  /// Frames that were not there in time.
  private(set) var lost = 0
  /// What keeps it from being heard; told once.
  private(set) var trouble: String?

  private static let step = Duration.milliseconds(20)
  private static let patience = Duration.milliseconds(100)
  private static let statusInterval = Duration.milliseconds(250)
  private static let blockFrames = 256

  init(_ hello: PCMHello, speaker: (any Speaker)?, request: SoundRequest) {
    self.hello = hello
    output = SpeakerOutput(speaker: speaker, request: request, chunkFrames: 24 * Self.blockFrames)
    drift = DriftControl(rate: hello.format.sampleRate)
  }

  private var channels: Int { hello.format.channels }
  /// Whether it takes more.
  var hasRoom: Bool { !hasEnded && queue.count / channels < hello.format.sampleRate / 5 }
  /// Frames of the client's that have been heard.
  var heard: Int {
    guard let granted else { return used }
    let waiting = output.pendingFrames + ready.count / granted.channels
    return max(0, used - waiting * hello.format.sampleRate / granted.sampleRate)
  }
  /// Whether it has the speaker.
  var isOpen: Bool { granted != nil }
  /// All that came has been heard.
  private(set) var isDone = false

  func add(_ bytes: [UInt8]) { hello.samples.unpack(bytes, to: &queue) }

  /// Nothing follows.
  func end() { hasEnded = true }

  func close() { output.close() }

  /// - Returns: when to come again.
  func step(now: Instant, _ connection: any ConsoleConnection) -> Instant {
    if queue.isEmpty, hasEnded, granted == nil { (isFlushed, isDone) = (true, ready.isEmpty) }
    guard let granted = opened(now: now) else { return now + Self.patience }
    follow(now: now)
    fill(granted, now: now)
    if hasEnded, isFlushed, ready.isEmpty, let end = output.end(asOf: now) { isDone = now >= end }
    let lead = output.leadFrames
    if !isRunning, let begun, output.queuedFrames >= lead || hasEnded || now - begun >= Self.patience {
      isRunning = true
      output.setRunning(true)
    }
    if now >= nextStatus, connection.room >= 24 {
      nextStatus = now + Self.statusInterval
      tell(now: now, connection)
    }
    return now + Self.step
  }

  /// Says how much has been heard, and when.
  func tell(now: Instant, _ connection: any ConsoleConnection) {
    var head: [UInt8] = []
    PCMHead(lost: lost, frame: heard, at: now).append(to: &head)
    connection.send(head)
  }

  private func opened(now: Instant) -> PCMFormat? {
    if granted != nil, output.isLost {
      output.close()
      (granted, fitting, isRunning) = (nil, nil, false)
    }
    if let granted { return granted }
    guard now >= retry, !queue.isEmpty else { return nil }
    retry = now + Self.patience
    do throws(DeviceError) {
      let format = try output.open(for: hello.format)
      fitting = RateFitting(from: hello.format, to: format)
      granted = fitting == nil ? nil : format
      clock = SpeakerClock(sampleRate: format.sampleRate)
      drift.restart()
      (made, starved, isFlushed, trouble, ready, begun) = (0, 0, false, nil, [], nil)
      return granted
    } catch {
      trouble = trouble ?? "\(error)"
      return nil
    }
  }

  private func follow(now: Instant) {
    if let stamp = output.stamp { clock.add(position: stamp.position, at: stamp.at) }
    let missing = output.starvedFrames
    guard missing > starved else { return }
    // It goes on from here: sound that was late is not hurried after.
    if !hasEnded, let granted { lost += (missing - starved) * hello.format.sampleRate / granted.sampleRate }
    starved = missing
    drift.restart()
    clock.restart()
  }

  private func fill(_ granted: PCMFormat, now: Instant) {
    put(granted)
    while ready.isEmpty, output.queuedFrames < output.leadFrames, !queue.isEmpty || hasEnded && !isFlushed {
      if queue.isEmpty {
        // What the filters hold comes out.
        isFlushed = true
        queue = [Float](repeating: 0, count: channels * hello.format.sampleRate / 20)
        used -= queue.count / channels
      }
      if begun == nil { begun = now }
      let ppm = correction(granted, now: now)
      let count = min(Self.blockFrames, queue.count / channels)
      queue.withUnsafeBufferPointer { queue in
        guard let base = queue.baseAddress else { return }
        fitting?.fit(base, frames: count, ppm: ppm) { samples, frames in
          ready += UnsafeBufferPointer(start: samples, count: frames * granted.channels)
        }
      }
      queue.removeFirst(count * channels)
      used += count
      put(granted)
    }
  }

  private func put(_ granted: PCMFormat) {
    let count = min(ready.count / granted.channels, output.writableFrames)
    guard count > 0 else { return }
    ready.withUnsafeBufferPointer { if let base = $0.baseAddress { output.write(base, frames: count) } }
    ready.removeFirst(count * granted.channels)
    made += count
  }

  /// How much faster than nominal the client's frames are to be used up.
  private func correction(_ granted: PCMFormat, now: Instant) -> Double {
    guard clock.isLocked, let place = clock.position(at: now), let fitting else { return 0 }
    let ratio = Double(hello.format.sampleRate) / Double(granted.sampleRate)
    let heard = Double(used) - fitting.held - (Double(made + ready.count / granted.channels) - place) * ratio
    return drift.correction(frame: heard, at: now, speakerPPM: clock.ppm)
  }
}
