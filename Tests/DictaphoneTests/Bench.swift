import Dictaphone
import Hardware
import SimulatedHardware

/// A seeded generator (xorshift64*): the same cases in every run.
struct TestGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }
}

extension Instant {
  /// Seconds from the origin of the run.
  static func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64((seconds * 1e9).rounded())) }
}

/// Microphone, recorder, pipe and storer on a virtual clock, without anything around them.
///
/// The source's sample of frame n is n + 1, so that a 24-bit take says which frames it is made of.
final class Bench {
  static let rate = 8000
  /// Frames of a fade: 5 ms.
  static let fade = rate / 200

  let clock = VirtualClock()
  let microphone: SimulatedMicrophone
  let memory: MemoryStorage
  let storage: SimulatedStorage
  let store: TestShelf
  let pipe: TakePipe
  let input: CaptureInput
  let recorder: Recorder
  let storer: TakeStorer
  let log: NewsLog

  init(
    settings: RecordingSettings = .counted(), period: Int = 80, pipeBytes: Int = 1 << 20,
    source: (any SoundSource)? = nil
  ) {
    let log = NewsLog()
    self.log = log
    microphone = SimulatedMicrophone(source: source ?? Bench.countingSource, clock: clock, origin: .zero)
    memory = MemoryStorage(clock: clock)
    storage = SimulatedStorage(wrapping: memory, clock: clock)
    store = TestShelf(storage: storage)
    pipe = TakePipe(bytes: pipeBytes)
    input = CaptureInput(
      microphone: microphone,
      request: SoundRequest(format: PCMFormat(settings: settings), periodFrames: period, bufferFrames: 4 * period),
      historySeconds: settings.preRecordSeconds
    ) { log.microphone.append($0) }
    recorder = Recorder(input: input, pipe: pipe, clock: clock, settings: settings) { log.recorder.append($0) }
    storer = TakeStorer(pipe: pipe, store: store) { [recorder] news in
      log.storer.append(news)
      if case .refused(let reason, _) = news { recorder.abandon(reason: reason) }
    }
  }

  static let countingSource = FunctionSource { frame, _ in Float((frame + 1) % 8_388_607) / 8_388_608 }

  /// The frame at the converter at an instant.
  func frame(at instant: Instant) -> Int {
    Int((Double(instant.nanoseconds) * Double(Self.rate) / 1e9).rounded())
  }

  /// What the media lane does in one round: capture first.
  func step() -> Instant? {
    let block = input.step(now: clock.now, isWanted: recorder.isRecording)
    let more = recorder.step(now: clock.now)
    return [block, more].compactMap { $0 }.min()
  }

  /// Lets everything work until `end`, then moves the clock there.
  func run(until end: Instant) {
    while true {
      var next = end
      if let due = microphone.step(now: clock.now) { next = min(next, due) }
      if let due = step() { next = min(next, due) }
      if let due = storer.step() { next = min(next, due) }
      if clock.now >= end { return }
      clock.advance(to: max(next, clock.now + .nanoseconds(1)))
    }
  }

  func run(for duration: Duration) { run(until: clock.now + duration) }

  /// Runs until the take is saved, a minute at most.
  func finish() {
    let limit = clock.now + .seconds(60)
    while recorder.isRecording || storer.isBusy || pipe.queuedBytes > 0, clock.now < limit {
      run(for: .milliseconds(50))
    }
  }

  /// The samples of a 24-bit WAV take, as the integers in the file.
  func samples(of take: KeptTake) -> [Int] { WAVReading(memory, take.id).samples }
}

extension RecordingSettings {
  /// 8 kHz, 24 bits, mono, uncompressed: every frame says its number.
  static func counted(preRecordSeconds: Int = 0) -> RecordingSettings {
    RecordingSettings(
      encoding: .wav, sampleRate: Bench.rate, channels: 1, bits: 24, preRecordSeconds: preRecordSeconds)
  }
}

/// Everything that the workers reported.
final class NewsLog {
  var microphone: [CaptureInput.Event] = []
  var recorder: [Recorder.Event] = []
  var storer: [TakeStorer.Event] = []

  var failures: [String] {
    recorder.compactMap { if case .failed(let code, let text) = $0 { "\(code): \(text)" } else { nil } }
      + storer.compactMap { if case .failed(let code, let text) = $0 { "\(code): \(text)" } else { nil } }
  }

  var saved: [(frames: Int, reason: TakeStopReason)] {
    storer.compactMap { if case .saved(_, let frames, _, let reason, _) = $0 { (frames, reason) } else { nil } }
  }

  var gaps: [CaptureGap] {
    recorder.compactMap {
      if case .gap(let frame, let frames, let reason) = $0 {
        CaptureGap(frame: frame, frames: frames, reason: reason)
      } else {
        nil
      }
    }
  }

  var marks: [Int] { recorder.compactMap { if case .marked(let frame) = $0 { frame } else { nil } } }
}

/// A take as the store was told of it.
struct KeptTake {
  var id: String
  var opening: TakeOpening
  var marks: [Int] = []
  var gaps: [CaptureGap] = []
  var ending: TakeEnding?
  var bytes = 0
}

/// A store that only remembers.
final class TestShelf: TakeStore {
  private let storage: any Storage
  private(set) var takes: [KeptTake] = []

  init(storage: any Storage) { self.storage = storage }

  func begin(_ opening: TakeOpening) throws(StorageError) -> ShelvedTake {
    let scratch = try storage.scratch()
    let id = "take-\(takes.count + 1).\(opening.format == .aac ? "m4a" : "wav")"
    let file = try storage.create(id)
    takes.append(KeptTake(id: id, opening: opening))
    return ShelvedTake(id: id, file: file, scratch: scratch)
  }

  func addMark(frame: Int, title: String?) throws(StorageError) {
    try storage.syncDirectory("")
    takes[takes.count - 1].marks.append(frame)
  }

  func addGap(frame: Int, frames: Int, reason: String) throws(StorageError) {
    try storage.syncDirectory("")
    takes[takes.count - 1].gaps.append(CaptureGap(frame: frame, frames: frames, reason: reason))
  }

  func complete(_ ending: TakeEnding, fileBytes: Int) throws(StorageError) {
    try storage.syncDirectory("")
    takes[takes.count - 1].ending = ending
    takes[takes.count - 1].bytes = fileBytes
  }

  func discard() throws(StorageError) {
    try storage.remove(takes[takes.count - 1].id)
    takes.removeLast()
  }
}

/// The `data` chunk of a WAV file in storage, read by the letter of the format.
struct WAVReading {
  var samples: [Int] = []
  var sampleRate = 0
  var channels = 0
  var bits = 0

  init(_ storage: any Storage, _ path: String) {
    let bytes = (try? storage.read(path, limit: 1 << 30)) ?? []
    let little = { (place: Int, count: Int) in
      place + count > bytes.count ? 0 : (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }
    var place = 12
    while place + 8 <= bytes.count {
      let name = String(decoding: bytes[place..<(place + 4)], as: UTF8.self)
      let size = little(place + 4, 4)
      if name == "fmt " {
        channels = little(place + 10, 2)
        sampleRate = little(place + 12, 4)
        bits = little(place + 22, 2)
      } else if name == "data", bits > 0 {
        let width = bits / 8
        let sign = 1 << (bits - 1)
        let count = min(size, bytes.count - place - 8) / width
        samples.reserveCapacity(count)
        for index in 0..<count {
          let start = place + 8 + index * width
          var value = Int(bytes[start]) | Int(bytes[start + 1]) << 8
          if width == 3 { value |= Int(bytes[start + 2]) << 16 }
          samples.append(value & sign != 0 ? value - 2 * sign : value)
        }
      }
      place += 8 + size + size & 1
    }
  }
}
