internal import Dubbing
internal import Hardware
internal import Recording
internal import Sound

/// What a client hears of the microphone: the history's frames in the client's format, so many a second of the system's
/// clock, whatever the crystal does. Media lane only.
final class PCMListener {
  private let hello: PCMHello
  private var fitting: RateFitting?
  /// What is done to sound on its way into a file, for a client that wants it so.
  private var shaper: SoundShaper?
  /// Of the history, and its next frame.
  private var generation = -1
  private var format = PCMFormat(sampleRate: 0, channels: 0)
  private var position = 0
  private var drift: DriftControl
  private var start: Instant?
  private var chunk = [Float](repeating: 0, count: 2 * blockFrames)
  private var packet: [UInt8] = []
  /// Number of the next frame.
  private(set) var frame = 0
  /// Frames that the client has not got, in all and since the last packet.
  private(set) var lost = 0
  private var untold = 0

  /// Frames that are taken from the history at a time, 60 ms at the most rates there are.
  private static let blockFrames = 480

  init(_ hello: PCMHello) {
    self.hello = hello
    drift = DriftControl(rate: hello.format.sampleRate)
  }

  /// Sends what the history has by now, as far as there is room; the rest is lost, and told.
  func step(_ input: CaptureInput, to connection: any ConsoleConnection) {
    guard input.isRunning, !input.isUntimed else { return }
    if generation != input.generation || format != input.format || position < input.history.firstFrame {
      guard begin(input) else { return }
    }
    shaper?.gain.setGain(input.gain)
    while position < input.endFrame {
      guard let at = consumed(input) else { return }
      let ppm = -drift.correction(frame: Double(frame), at: at, speakerPPM: input.driftPPM)
      packet.removeAll(keepingCapacity: true)
      var made = 0
      chunk.withUnsafeMutableBufferPointer { chunk in
        guard let base = chunk.baseAddress else { return }
        let got = input.history.read(from: position, into: base, frames: Self.blockFrames)
        shaper?.process(base, frames: got, at: position)
        position += got
        fitting?.fit(base, frames: got, ppm: ppm) { samples, count in
          hello.samples.pack(samples, count: count * hello.format.channels, to: &packet)
          made += count
        }
      }
      if made > 0 { send(made, at: at, connection) }
    }
  }

  private func begin(_ input: CaptureInput) -> Bool {
    let isFirst = start == nil
    position = input.endFrame
    guard let at = input.instant(ofFrame: position) else { return false }
    (generation, format) = (input.generation, input.format)
    fitting = RateFitting(from: format, to: hello.format)
    shaper = hello.isShaped ? input.makeShaper(gain: input.gain) : nil
    let begun = start ?? at
    start = begun
    // Numbers keep the time: what was not heard meanwhile is missing.
    let due = max(frame, hello.format.frames(in: at - begun))
    if !isFirst { lose(due - frame) }
    frame = due
    drift.anchor(frame: Double(due), at: begun + hello.format.duration(ofFrames: due))
    return true
  }

  /// When what comes out next was at the converter.
  private func consumed(_ input: CaptureInput) -> Instant? {
    guard let fitting else { return nil }
    let place = Double(position) - fitting.held
    let whole = place.rounded(.down)
    let part = (place - whole) * 1e9 / Double(max(1, format.sampleRate))
    return input.instant(ofFrame: Int(whole)).map { $0 + .nanoseconds(Int64(part)) }
  }

  private func send(_ frames: Int, at: Instant, _ connection: any ConsoleConnection) {
    var bytes: [UInt8] = []
    PCMHead(bytes: packet.count, lost: untold, frame: frame, at: at).append(to: &bytes)
    frame += frames
    guard connection.room >= bytes.count + packet.count else { return lose(frames) }
    untold = 0
    connection.send(bytes + packet)
  }

  private func lose(_ frames: Int) {
    lost += frames
    untold += frames
  }
}
