import Hardware
public import Library
import Media
import Recording
import SimulatedHardware
import TestSupport
import Testing

@testable public import Clips

extension ClipLibrary: PictureStore {}
extension ClipSpool: SpoolStore {}

/// Keeps clips, or pieces of the spool, as the library does.
final class TestStore: RecordingStore {
  private let library: ClipLibrary
  private let spool: ClipSpool?

  init(_ library: ClipLibrary, spool: ClipSpool? = nil) {
    self.library = library
    self.spool = spool
  }

  func begin(_ opening: RecordingOpening) throws(StorageError) -> RecordingPlace {
    let receipt = opening.receipt.document
    let (id, file) =
      if let spool {
        try spool.begin(createdAt: opening.createdAt, receipt: receipt)
      } else {
        try library.begin(createdAt: opening.createdAt, receipt: receipt)
      }
    return RecordingPlace(id: id, file: file)
  }

  func addMark(_ id: String, frame: Int, title: String?) throws(StorageError) -> String? { nil }
  func keepMarks(_ id: String) throws(StorageError) {}
  func marks(of id: String) -> [TakeMark] { [] }
  func addGap(_ id: String, _ gap: CaptureGap) throws(StorageError) {}

  func complete(_ id: String, _ ending: RecordingEnding) throws(StorageError) {
    if let spool { return try spool.complete(id, receipt: ending.receipt.document, seconds: ending.receipt.duration) }
    try library.complete(id, receipt: ending.receipt.document)
  }

  func abandon(_ id: String) {
    if let spool { spool.abandon(id) } else { library.abandon(id) }
  }

  func discard(_ id: String) throws(StorageError) {
    if let spool { return try spool.discard(id) }
    try library.discard(id)
  }
}

/// No take is ever looked at here.
final class NoDoctor: TakeRepairer {
  private static var nothing: TakeWork {
    TakeWork { .damaged(reason: "") }
  }

  var examinesApart: Bool { true }
  func bearsMarks(_ file: any StoredFile) throws(StorageError) -> Bool { try MediaRepair.bearsMarks(file) }
  func inspection(of file: any StoredFile) throws(StorageError) -> TakeWork { Self.nothing }
  func repair(of file: any StoredFile) throws(StorageError) -> TakeWork { Self.nothing }
  func salvage(from damaged: any StoredFile, into target: any StoredFile) throws(StorageError) -> TakeWork {
    Self.nothing
  }
  func examination(of path: String) throws(StorageError) -> TakeWork { Self.nothing }
}

/// Pictures that nobody decodes: each says its number and when it was taken, some are larger than others.
final class NumberedSource: PictureSource {
  let sizes: ClosedRange<Int>

  init(sizes: ClosedRange<Int> = 200...1200) { self.sizes = sizes }

  var codecs: [VideoCodec] { [.mjpeg] }
  var fixedFormat: VideoFormat? { nil }
  func prepare(_ format: VideoFormat) {}

  func take(_ moment: PictureMoment, deliver: (UnsafeRawBufferPointer, Bool) -> Void) {
    var bytes: [UInt8] = [0xFF, 0xD8]
    withUnsafeBytes(of: Int64(moment.number)) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: moment.time.nanoseconds) { bytes.append(contentsOf: $0) }
    var dice = SeededGenerator(seed: UInt64(moment.number))
    bytes.append(contentsOf: repeatElement(0x55, count: Int.random(in: sizes, using: &dice)))
    bytes += [0xFF, 0xD9]
    bytes.withUnsafeBytes { deliver($0, true) }
  }

  /// What `take` wrote.
  static func read(_ bytes: [UInt8]) -> (number: Int, time: Double)? {
    guard bytes.count >= 20 else { return nil }
    return bytes.withUnsafeBytes {
      (
        Int($0.loadUnaligned(fromByteOffset: 2, as: Int64.self)),
        Double($0.loadUnaligned(fromByteOffset: 10, as: Int64.self)) / 1e9
      )
    }
  }
}

/// Everything that clips are made with, on a virtual clock: camera, microphone, rings, storage.
final class Bench {
  let clock = VirtualClock(start: .at(100))
  let origin = Instant.at(100)
  let camera: SimulatedCamera
  let microphone: SimulatedMicrophone?
  let memory: MemoryStorage
  let storage: SimulatedStorage
  let library: Library
  let clips: ClipLibrary
  let sound: CaptureInput
  let buffer = PictureBuffer()
  let input: CameraInput
  let pipe: RecordingPipe
  let recorder: ClipRecorder
  let writer: FileWriter
  let spool: ClipSpool
  let log = ClipLog()

  init(
    _ settings: ClipSettings, source: any PictureSource = NumberedSource(),
    camera options: SimulatedCameraOptions = SimulatedCameraOptions(), microphoneError: Double = 0,
    hasMicrophone: Bool = true, rate: Int = 16_000, pipeBytes: Int = 1 << 20, memory: MemoryStorage? = nil
  ) throws {
    let log = log
    camera = SimulatedCamera(source: source, clock: clock, origin: origin, options: options)
    let error = ClockError(partsPerMillion: microphoneError)
    microphone =
      hasMicrophone
      ? SimulatedMicrophone(source: BeepSource(clockError: error), clock: clock, origin: origin, clockError: error)
      : nil
    self.memory = memory ?? MemoryStorage(clock: clock)
    storage = SimulatedStorage(wrapping: self.memory, clock: clock)
    library = Library(
      storage: storage, clock: clock, state: StateStore(storage: storage, clock: clock), repairer: NoDoctor())
    clips = library.clips
    try library.open()
    while library.step(now: clock.now) != nil {}
    let format = PCMFormat(sampleRate: rate, channels: 1)
    sound = CaptureInput(
      microphone: microphone, request: SoundRequest(format: format, periodFrames: rate / 50, bufferFrames: rate / 12),
      historySeconds: 0
    ) { log.microphone.append($0) }
    input = CameraInput(camera: camera, buffer: buffer) { log.camera.append($0) }
    pipe = RecordingPipe(bytes: pipeBytes, carriesPictures: true)
    recorder = ClipRecorder(buffer: buffer, sound: sound, pipe: pipe, clock: clock, settings: settings) {
      log.recorder.append($0)
    }
    spool = ClipSpool(storage: storage)
    spool.seconds = Double(settings.preRollSeconds)
    writer = FileWriter(
      pipe: pipe, stores: [.clip: TestStore(clips), .spool: TestStore(clips, spool: spool)],
      tasks: ClipTasks(pictures: clips, spool: spool, room: 64 << 20), clock: clock
    ) { [recorder] news in
      log.files.append(news)
      if case .refused(let clip, let reason, _) = news { recorder.abandon(clip: clip, reason: reason) }
    }
  }

  /// What the media lane does in one round: capture first.
  func step() -> Instant? {
    let block = sound.step(now: clock.now, isWanted: recorder.wantsHistory)
    let more = recorder.step(now: clock.now)
    return [block, more].compactMap { $0 }.min()
  }

  /// Lets everything work until `end`, then moves the clock there.
  func run(until end: Instant) {
    while true {
      var next = end
      if let due = camera.step(now: clock.now) { next = min(next, due) }
      if let due = microphone?.step(now: clock.now) { next = min(next, due) }
      if let due = input.step(now: clock.now) { next = min(next, due) }
      if let due = step() { next = min(next, due) }
      if let due = writer.step() { next = min(next, due) }
      if clock.now >= end { return }
      clock.advance(to: max(next, clock.now + .microseconds(100)))
    }
  }

  /// Seconds since the origin.
  func run(until seconds: Double) { run(until: origin + .nanoseconds(Int64((seconds * 1e9).rounded()))) }

  func instant(_ seconds: Double) -> Instant { origin + .nanoseconds(Int64((seconds * 1e9).rounded())) }

  /// Runs until every clip is saved, some minutes at most.
  func finish(within limit: Double = 120) {
    let end = clock.now + .nanoseconds(Int64(limit * 1e9))
    while recorder.isBusy || writer.isBusy || pipe.queuedBytes > 0, clock.now < end {
      run(until: clock.now + .milliseconds(50))
    }
  }

  /// Makes a clip around `time`, with what has come until `end`.
  func capture(at time: Double, until end: Double) {
    recorder.arm()
    run(until: time)
    recorder.trigger(at: instant(time), cause: .key)
    run(until: end)
    finish()
  }

  func bytes(of id: String) throws -> [UInt8] { try storage.read("clips/\(id)", limit: 1 << 30) }

  func names() throws -> [String] { try storage.list("clips").map(\.name) }
}

/// Everything that was reported.
final class ClipLog {
  var microphone: [CaptureInput.Event] = []
  var camera: [CameraInput.Event] = []
  var recorder: [ClipRecorder.Event] = []
  var files: [FileWriter.Event] = []

  var saved: [Receipt] {
    files.compactMap { if case .saved(_, _, let ending) = $0 { ending.receipt } else { nil } }
  }
  var failures: [String] {
    recorder.compactMap { if case .failed(_, let code, let text) = $0 { "\(code): \(text)" } else { nil } }
      + files.compactMap { if case .failed(_, let code, let text) = $0 { "\(code): \(text)" } else { nil } }
  }
  var outcomes: [(Trigger, TriggerOutcome)] {
    recorder.compactMap { if case .triggered(let trigger, let outcome) = $0 { (trigger, outcome) } else { nil } }
  }
}

extension ClipSettings {
  /// Small pictures, so that tests are quick.
  static func small(
    pre: Int = 5, post: Int = 5, overlap: Overlap = .merge, codecs: [VideoCodec] = [.mjpeg], width: Int = 320,
    height: Int = 180, interval: Int = 15, ringBytes: Int = 2 << 20
  ) -> ClipSettings {
    ClipSettings(
      preRollSeconds: pre, postRollSeconds: post, overlap: overlap, soundBitrateKbps: 64,
      camera: CameraRequest(
        codecs: codecs, width: width, height: height, framesPerSecond: 30, bitrate: 600_000, keyframeInterval: interval),
      ringBytes: ringBytes)
  }
}

extension Bench {
  /// One that has made `count` short clips.
  static func made(_ count: Int) throws -> Bench {
    let bench = try Bench(.small(pre: 1, post: 0))
    bench.recorder.arm()
    for index in 0..<count {
      let time = 2.0 + Double(index) * 2
      bench.run(until: time)
      bench.recorder.trigger(at: bench.instant(time), cause: .key)
      bench.run(until: time + 0.5)
    }
    bench.finish()
    #expect(bench.log.saved.count == count)
    return bench
  }

  /// Of the clips that there are, oldest first.
  var ids: [String] { clips.list().clips.map(\.id).reversed() }
}
