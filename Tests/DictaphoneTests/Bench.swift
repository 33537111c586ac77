import Dictaphone
import Hardware
import Media
import Recording
import SimulatedHardware

/// Microphone, recorder, pipe and storer on a virtual clock, without anything around them.
///
/// The source's sample of frame n is n + 1, so that a 24-bit take says which frames it is made of.
final class Bench {
  static let rate = 8000
  /// Frames of a fade: 5 ms.
  static let fade = rate / 200

  let clock = VirtualClock()
  let microphone: SimulatedMicrophone
  /// Other microphones, by name.
  let others: SimulatedSources
  let memory: MemoryStorage
  let storage: SimulatedStorage
  let store: TestStore
  let pipe: RecordingPipe
  let input: CaptureInput
  let recorder: Recorder
  let writer: FileWriter
  let log: NewsLog

  init(
    settings: RecordingSettings = .counted(), period: Int = 80, pipeBytes: Int = 1 << 20,
    source: (any SoundSource)? = nil, others: [(name: String, source: any SoundSource)] = []
  ) {
    let log = NewsLog()
    self.log = log
    microphone = SimulatedMicrophone(source: source ?? Bench.countingSource, clock: clock, origin: .zero)
    let clock = clock
    self.others = SimulatedSources(
      others.map { SimulatedMicrophone(name: $0.name, source: $0.source, clock: clock, origin: .zero) })
    memory = MemoryStorage(clock: clock)
    storage = SimulatedStorage(wrapping: memory, clock: clock)
    store = TestStore(storage: storage)
    pipe = RecordingPipe(bytes: pipeBytes)
    input = CaptureInput(
      microphone: microphone, others: self.others,
      request: SoundRequest(format: PCMFormat(settings: settings), periodFrames: period, bufferFrames: 4 * period),
      historySeconds: settings.preRecordSeconds
    ) { log.microphone.append($0) }
    recorder = Recorder(input: input, pipe: pipe, clock: clock, settings: settings) { log.recorder.append($0) }
    writer = FileWriter(pipe: pipe, stores: [.take: store, .safety: store], clock: clock) { [recorder] news in
      log.files.append(news)
      switch news {
      case .refused(let number, _, let text) where number >= RecordingOpening.safety:
        recorder.abandonSafety(number, text)
      case .refused(let number, let reason, _): recorder.abandon(number, reason: reason)
      default: break
      }
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
      for other in others.all { if let due = other.step(now: clock.now) { next = min(next, due) } }
      if let due = step() { next = min(next, due) }
      if let due = writer.step() { next = min(next, due) }
      if clock.now >= end { return }
      clock.advance(to: max(next, clock.now + .nanoseconds(1)))
    }
  }

  func run(for duration: Duration) { run(until: clock.now + duration) }

  /// Runs until the take is saved, a minute at most.
  func finish() {
    let limit = clock.now + .seconds(60)
    while recorder.isRecording || writer.isBusy || pipe.queuedBytes > 0, clock.now < limit {
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
  var files: [FileWriter.Event] = []

  var failures: [String] {
    recorder.compactMap { if case .failed(let code, let text) = $0 { "\(code): \(text)" } else { nil } }
      + files.compactMap { if case .failed(_, let code, let text) = $0 { "\(code): \(text)" } else { nil } }
  }

  var saved: [(frames: Int, reason: StopReason)] {
    files.compactMap { if case .saved(_, _, let ending) = $0 { (ending.frames, ending.reason) } else { nil } }
  }

  var unnoted: [RecordingEnding] {
    files.compactMap { if case .unnoted(_, let ending, _, _) = $0 { ending } else { nil } }
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

  var marks: [Int] { recorder.compactMap { if case .marked(let frame, _, _) = $0 { frame } else { nil } } }
}

/// A take as the store was told of it.
struct KeptTake {
  var id: String
  var opening: RecordingOpening
  var marks: [Int] = []
  /// How many of them there were whenever they were written.
  var keptMarks: [Int] = []
  var gaps: [CaptureGap] = []
  var ending: RecordingEnding?
  var bytes: Int { ending?.fileBytes ?? 0 }
}

/// A store that only remembers.
final class TestStore: RecordingStore {
  private let storage: any Storage
  private var all: [KeptTake] = []
  /// But for the safety takes.
  var takes: [KeptTake] { all.filter { $0.opening.kind == .take } }
  var safeties: [KeptTake] { all.filter { $0.opening.kind == .safety } }
  /// Whose files are not to be made.
  var refused: RecordingKind?
  /// Told before and after a file is made.
  var willCreate: (RecordingOpening) -> Void = { _ in }
  var hasCreated: (RecordingOpening) -> Void = { _ in }

  init(storage: any Storage) { self.storage = storage }

  func begin(_ opening: RecordingOpening) throws(StorageError) -> RecordingPlace {
    if opening.kind == refused { throw StorageError(.full, operation: "create", path: "") }
    let scratch = try storage.scratch()
    let id = "take-\(all.count + 1).\(opening.encoding == .aac ? "m4a" : "wav")"
    willCreate(opening)
    let file = try storage.create(id)
    hasCreated(opening)
    all.append(KeptTake(id: id, opening: opening))
    return RecordingPlace(id: id, file: file, scratch: scratch)
  }

  func addMark(_ id: String, frame: Int, title: String?) throws(StorageError) -> String? {
    try change(id) { $0.marks.append(frame) }
    return nil
  }

  func keepMarks(_ id: String) throws(StorageError) { try change(id) { $0.keptMarks.append($0.marks.count) } }

  func marks(of id: String) -> [TakeMark] {
    (all.last { $0.id == id }?.marks ?? []).sorted().map { TakeMark(frame: $0, label: "mark") }
  }

  func addGap(_ id: String, _ gap: CaptureGap) throws(StorageError) { try change(id) { $0.gaps.append(gap) } }

  func complete(_ id: String, _ ending: RecordingEnding) throws(StorageError) { try change(id) { $0.ending = ending } }

  func abandon(_ id: String) {}

  func discard(_ id: String) throws(StorageError) {
    try storage.remove(id)
    all.removeAll { $0.id == id }
  }

  private func change(_ id: String, _ body: (inout KeptTake) -> Void) throws(StorageError) {
    try storage.syncDirectory("")
    guard let index = all.firstIndex(where: { $0.id == id }) else { return }
    body(&all[index])
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
