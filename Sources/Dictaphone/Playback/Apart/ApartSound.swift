internal import Hardware
internal import Media

/// The sound of a file that another process decodes: half a second of it is asked for ahead, and what is not there yet is
/// not waited for. Whatever that process does, it costs this file at most. Media worker only.
final class ApartSound: PlayedSound {
  let files: [PlayerFile]
  private(set) var outputFormat = PCMFormat(sampleRate: 48_000, channels: 2)
  private var position = 0
  private var facts: SoundFacts?
  private let links: SoundLinks
  /// The process has said what is in the file, and can be asked.
  private var isConnected = false
  /// nil: it has failed, and can be tried again from another place.
  private var link: (any SoundLink)?
  private var failure: MediaError?
  /// There can be no other process, which was not known when it was started.
  private(set) var isImpossible = false
  private var answers = SoundAnswers()
  private var asked: SoundQuestion?
  /// What is heard next, from behind it to what has come last; and the beginning of what is jumped to.
  private var ahead = SoundStretch(at: 0, channels: 2)
  private var kept: SoundStretch?
  /// The frame of the output at which the sound was found to end.
  private var end: Int?
  private(set) var cut: MediaError?
  private var wantedPeak: Range<Int>?
  private var foundPeak: Float?

  /// Asked for after a jump, for it is waited for.
  private static let firstFrames = 2048

  /// - Returns: nil if there can be no other process.
  init?(_ file: PlayerFile, links: @escaping SoundLinks) throws(MediaError) {
    guard let link = try links(file) else { return nil }
    files = [file]
    self.links = links
    self.link = link
  }

  /// Whether it is known what is in the file; before that, nothing else is asked of it.
  func isOpen() throws(MediaError) -> Bool {
    repeat { try turn() } while !isConnected && link?.waits == true
    return isConnected
  }

  var format: PCMFormat { facts?.format ?? outputFormat }
  var codecName: String { facts?.codecName ?? "" }

  var totalFrames: Int? {
    guard let frames = facts?.frames, outputFormat.sampleRate != format.sampleRate else { return facts?.frames ?? end }
    let product = ClaimedNumber(frames) * ClaimedNumber(outputFormat.sampleRate) + ClaimedNumber(format.sampleRate - 1)
    return product.within(0...Int.max).map { $0 / format.sampleRate }
  }

  func converted(to output: PCMFormat) -> any PlayedSound {
    outputFormat = output
    (ahead, kept, end) = (SoundStretch(at: 0, channels: output.channels), nil, nil)
    position = 0
    return self
  }

  // MARK: What the player reads

  func read(into target: UnsafeMutablePointer<Float>, frames: Int) throws(MediaError) -> Int? {
    let frames = max(0, min(frames, limit - position))
    guard frames > 0 else { return 0 }
    if asked == nil { try turn() }
    guard try has(position..<position + frames) else { return nil }
    let got = ahead.copy(from: position, frames, into: target)
    position += got
    if position - ahead.start > outputFormat.sampleRate / 4 { ahead.forget(before: position) }
    return got
  }

  func seek(toFrame frame: Int) throws(MediaError) {
    position = max(0, min(frame, totalFrames ?? 1 << 43))
    if let kept, kept.holds(position), !ahead.holds(position) { ahead = kept }
    if !ahead.holds(position) { ahead = SoundStretch(at: position, channels: outputFormat.channels) }
    if link == nil { try startAgain() }
    try turn()
  }

  func giveUp(after time: Duration) {
    failure = MediaError(
      .failed, subject: path, operation: "decode", reason: "no sound has come for \(Int(time.inSeconds)) s")
    (link, asked, isConnected) = (nil, nil, false)
  }

  func keep(from frame: Int?) { kept = frame.map { SoundStretch(at: $0, channels: outputFormat.channels) } }

  func has(_ frames: Range<Int>) throws(MediaError) -> Bool {
    while !holds(frames) {
      try turn()
      // What nobody has asked for never comes.
      if !holds(frames), isConnected && asked == nil || link?.waits != true { return false }
    }
    return true
  }

  func peaks() -> PeakSource? {
    guard let frames = facts?.frames, frames > 0 else { return nil }
    return PeakSource(frames: frames) { [unowned self] range throws(MediaError) in
      if wantedPeak != range { (wantedPeak, foundPeak) = (range, nil) }
      repeat { try turn() } while foundPeak == nil && asked != nil && link?.waits == true
      return foundPeak
    }
  }

  /// Behind the last frame, as far as that is known.
  private var limit: Int { min(end ?? .max, totalFrames ?? .max) }

  private func holds(_ frames: Range<Int>) -> Bool {
    let last = min(frames.upperBound, limit)
    return frames.lowerBound >= last
      || [ahead, kept].contains { $0?.holds(frames.lowerBound) == true && ($0?.end ?? 0) >= last }
  }

  // MARK: Questions and answers

  /// Takes what has come, and asks for what is wanted next.
  private func turn() throws(MediaError) {
    if let failure { throw failure }
    do throws(MediaError) {
      if !isConnected || asked != nil { try take() }
      guard isConnected, asked == nil, let question = next() else { return }
      try link?.send(question.encoded)
      asked = question
    } catch {
      isImpossible = link?.hasNotBegun == true
      (link, asked, failure, isConnected) = (nil, nil, error, false)
      throw error
    }
  }

  private func next() -> SoundQuestion? {
    let rate = outputFormat.sampleRate
    if ahead.end < min(limit, position + rate / 2) { return question(for: ahead) }
    if let kept, kept.end < limit, isShort(kept) { return question(for: kept) }
    return foundPeak == nil ? wantedPeak.map { .peak($0) } : nil
  }

  private func isShort(_ kept: SoundStretch) -> Bool { kept.end - kept.start < outputFormat.sampleRate / 2 }

  private func question(for stretch: SoundStretch) -> SoundQuestion {
    let most = stretch.end == stretch.start ? Self.firstFrames : outputFormat.sampleRate / 4
    return .sound(from: stretch.end, count: max(1, min(most, SoundQuestion.mostFrames)), output: outputFormat)
  }

  private func take() throws(MediaError) {
    guard let link else { return }
    answers.feed(try link.receive())
    let answer: SoundAnswer?
    do throws(SoundAnswers.Nonsense) { answer = try answers.next() } catch { throw nonsense }
    guard let answer else { return }
    // It answers what it is asked, and no more.
    guard answers.isEmpty else { throw nonsense }
    try settle(answer)
  }

  private func settle(_ answer: SoundAnswer) throws(MediaError) {
    let question = asked
    asked = nil
    switch (question, answer) {
    case (nil, .opened(let found)):
      guard !isConnected, facts == nil || facts == found else { throw nonsense }
      if facts == nil {
        var first = found.format
        first.channels = min(first.channels, SoundQuestion.mostChannels)
        _ = converted(to: first)
      }
      (facts, isConnected) = (found, true)
    case (.sound(let asked, let count, let output)?, .sound(let from, let samples)):
      guard asked == from, samples.count <= count * output.channels, samples.count % output.channels == 0 else {
        throw nonsense
      }
      // The player may have gone elsewhere since.
      guard output == outputFormat else { return }
      if samples.isEmpty { end = min(end ?? .max, from) }
      if ahead.end == from { ahead.append(samples) }
      if let kept, kept.end == from, isShort(kept) { self.kept?.append(samples) }
    case (.peak(let range)?, .peak(let peak)): if range == wantedPeak { foundPeak = min(1, peak) }
    // All of it that can be decoded has come.
    case (.sound(let asked, _, _)?, .failed(.unsupported, "read", let reason)):
      end = min(end ?? .max, asked)
      cut = MediaError(.unsupported, subject: path, operation: "read", reason: reason)
    case (_, .failed(let kind, let operation, let reason)):
      throw MediaError(kind, subject: path, operation: operation, reason: reason)
    default: throw nonsense
    }
  }

  private var path: String { files.first?.path ?? "" }

  private var nonsense: MediaError {
    MediaError(.failed, subject: path, operation: "decode", reason: "it upset the process that decodes it")
  }

  private func startAgain() throws(MediaError) {
    link = try links(files[0])
    guard link != nil else { throw failure ?? nonsense }
    (failure, answers) = (nil, SoundAnswers())
  }
}

/// Frames that have come, in one piece.
struct SoundStretch {
  /// The first of them, and the one behind the last.
  private(set) var start: Int
  private(set) var end: Int
  private let channels: Int
  private var samples: [Float] = []

  init(at start: Int, channels: Int) { (self.start, end, self.channels) = (start, start, channels) }

  /// Whether a frame is among them or the next to come.
  func holds(_ frame: Int) -> Bool { (start...end).contains(frame) }

  mutating func append(_ new: [Float]) {
    samples += new
    end += new.count / channels
  }

  mutating func forget(before frame: Int) {
    samples.removeFirst((frame - start) * channels)
    start = frame
  }

  /// - Returns: frames copied.
  func copy(from frame: Int, _ most: Int, into target: UnsafeMutablePointer<Float>) -> Int {
    let count = max(0, min(most, end - frame))
    samples.withUnsafeBufferPointer { samples in
      guard let base = samples.baseAddress, count > 0 else { return }
      target.update(from: base + (frame - start) * channels, count: count * channels)
    }
    return count
  }
}
