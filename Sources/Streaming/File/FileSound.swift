internal import Hardware
internal import Media

/// One sound of a local file as a programme, where it lies in the file. One lane; `step` reads the medium.
final class FileSound: Programme {
  private let path: String
  private let file: SoundFile
  private let language: String
  private let most: Int
  private let isBeside: Bool
  private var queue = SoundQueue()
  private var epoch = 0
  /// There is no more to be read of it.
  private(set) var isOver = false
  /// It ended before the file says that it does.
  private var breaksOff: StreamFault?
  private var failure: StreamFault?
  private var buffer: [Float]
  /// Frames of the programme before its first one, where silence that is given for them ends, and how much of it is to come.
  private let lead: Int
  private let silenceEnd: Int
  private var silent: Int

  /// Frames a block, and blocks a call.
  private static let blockFrames = 2048
  private static let work = 3

  /// - Parameters:
  ///   - track: number of the stream in the file, or `nil` for the one that players take.
  ///   - most: frames decoded ahead at most.
  ///   - isBeside: whether the file lies beside what is played.
  init(path: String, track: Int?, language: String, most: Int, isBeside: Bool = false) throws(MediaError) {
    file = try SoundFile(
      path: path, output: PCMFormat(sampleRate: Self.sampleRate, channels: 2, bits: 16), track: track)
    self.path = path
    self.language = language
    self.most = most
    self.isBeside = isBeside
    lead = isBeside ? 0 : file.lead
    // Where another sound begins later, the one that plays is heard.
    silenceEnd = track == nil ? lead : 0
    silent = silenceEnd
    buffer = [Float](repeating: 0, count: 2 * Self.blockFrames)
  }

  func step(now: Instant) -> Instant? {
    for _ in 0..<Self.work where queue.frames < most && !isOver { read() }
    guard !isOver else { return nil }
    return queue.frames < most ? now : now + .milliseconds(100)
  }

  private func read() {
    if silent > 0 {
      let count = min(silent, Self.blockFrames)
      silent -= count
      return queue.append(
        SoundBlock(
          epoch: epoch, start: queue.end, samples: [Float](repeating: 0, count: 2 * count),
          sourceTime: Int64(queue.end) * 15 / 8))
    }
    do throws(MediaError) {
      let start = file.position
      let count = try buffer.withUnsafeMutableBufferPointer { target throws(MediaError) in
        guard let base = target.baseAddress else { return 0 }
        return try file.read(into: base, frames: Self.blockFrames)
      }
      isOver = count == 0
      if isOver { noteEnd(at: start) }
      queue.append(
        SoundBlock(
          epoch: epoch, start: lead + start, samples: Array(buffer.prefix(2 * count)),
          sourceTime: Int64(lead + start) * 15 / 8))
    } catch {
      failure = StreamFault(error)
      isOver = true
    }
  }

  private func noteEnd(at frame: Int) {
    let error =
      file.cut
      ?? MediaError.breaksOff(path, "sound", at: frame, of: file.totalFrames, sampleRate: Self.sampleRate)
    breaksOff = error.map { StreamFault($0) }
  }

  /// Number of the stream in the file; `nil`: it has one only.
  var track: Int? { file.track }
  var end: Int { queue.end }
  var taken: Int { queue.taken }
  var currentEpoch: Int { epoch }

  var status: ProgrammeStatus {
    var status = ProgrammeStatus()
    status.length = file.totalFrames.map { $0 + lead }
    status.breaksOff = breaksOff
    status.decodedFrames = queue.frames
    status.soundLanguages = language.isEmpty ? [] : [language]
    status.isBeside = isBeside
    if isOver, queue.isEmpty {
      status.phase = failure.map { .failed($0) } ?? .ended
    } else {
      status.phase = queue.end == 0 && queue.isEmpty && !isOver ? .opening : .running
    }
    return status
  }

  func nextSound() -> SoundBlock? { queue.next() }
  func nextCue() -> SubtitleCue? { nil }
  func nextPicture() -> ProgrammePicture? { nil }
  func rendition(language: String, from frame: Int) -> (any Programme)? { nil }

  func seek(to frame: Int) { seek(to: frame, epoch: epoch + 1) }

  /// - Parameter epoch: of the sound from there on.
  func seek(to frame: Int, epoch: Int) {
    do throws(MediaError) {
      try file.seek(toFrame: max(0, frame - lead))
      isOver = false
      (failure, breaksOff) = (nil, nil)
    } catch {
      failure = StreamFault(error)
      isOver = true
    }
    self.epoch = epoch
    queue.restart(at: frame < lead ? max(0, frame) : lead + file.position)
    silent = silenceEnd - queue.end
  }

  func close() {
    isOver = true
    queue.restart(at: queue.end)
  }
}
