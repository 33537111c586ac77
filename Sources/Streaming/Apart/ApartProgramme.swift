public import Hardware
public import Media

/// A local file that another process reads, decodes and takes apart: two seconds of it are here, and whatever that process
/// does, it costs this programme at most. One lane, which it waits for in virtual time only.
public final class ApartProgramme: Programme {
  private let path: String
  private var link: (any SoundLink)?
  private let openHere: () throws(MediaError) -> any Programme
  /// There can be no other process, which was not known when it was started: the file is read here.
  private var here: (any Programme)?
  private var answers = ProgrammeAnswers()
  /// What has been asked, and how often its track had gone elsewhere then.
  private var asked: (question: ProgrammeQuestion, turn: Int)?
  private var isOpen = false
  private var failure: StreamFault?
  private var epoch = 0
  private var main: ApartTrack
  private var tracks: [Int: ApartTrack] = [:]
  private var beside = 0
  private var trackLanguages: [String] = []
  private var soundLanguages: [String] = []
  private var subtitleLanguages: [String] = []
  private var subtitleProblem: String?
  private var pictures: PictureQueue
  private let pictureBytes: Int
  /// The other process may have some now.
  private var hasPictures = false
  private var cues: [SubtitleCue] = []
  private var remarks = Remarks()
  /// Of what has come, at a time.
  private static let reads = 8
  /// What is to be asked before anything else.
  private var orders: [ProgrammeQuestion] = []

  /// - Parameters:
  ///   - path: of the file.
  ///   - link: to the process, which serves a `ProgrammeServer`.
  ///   - openHere: opens the file in this process, where it turns out that there is no other.
  public init(
    path: String, link: any SoundLink, pictureBytes: Int, openHere: @escaping () throws(MediaError) -> any Programme
  ) {
    (self.path, self.link, self.openHere) = (path, link, openHere)
    self.pictureBytes = pictureBytes
    pictures = PictureQueue(mostBytes: pictureBytes)
    main = ApartTrack(0)
    main.owner = self
  }

  // MARK: The programme

  public func step(now: Instant) -> Instant? { here?.step(now: now) ?? main.step(now: now) }
  public func nextSound() -> SoundBlock? { here.map { $0.nextSound() } ?? main.nextSound() }
  public func nextPicture() -> ProgrammePicture? { here.map { $0.nextPicture() } ?? pictures.next() }

  public func nextCue() -> SubtitleCue? {
    if let here { return here.nextCue() }
    return cues.isEmpty ? nil : cues.removeFirst()
  }

  public func nextRemark() -> String? { here.map { $0.nextRemark() } ?? remarks.next() }

  public var status: ProgrammeStatus { here?.status ?? status(of: main) }

  public func seek(to frame: Int) {
    if let here { return here.seek(to: frame) }
    let target = min(max(0, frame), main.length ?? .max)
    epoch += 1
    orders = orders.filter { if case .seek = $0 { false } else { true } } + [.seek(to: min(target, 1 << 47))]
    for track in [main] + tracks.values { track.restart(at: target) }
    pictures.removeAll()
    hasPictures = false
    cues = []
  }

  public func selectSubtitles(language: String, from frame: Int) -> Bool {
    if let here { return here.selectSubtitles(language: language, from: frame) }
    let offered = Array(subtitleLanguages.indices)
    guard let number = Languages.serving(language, offered, tag: { subtitleLanguages[$0] }).first else { return false }
    cues = []
    main.isOver = false
    orders.append(.subtitles(number, from: max(0, frame)))
    return true
  }

  public func rendition(language: String, from frame: Int) -> (any Programme)? {
    if let here { return here.rendition(language: language, from: frame) }
    let offered = Languages.serving(language, Array(trackLanguages.indices), tag: { trackLanguages[$0] })
    guard let index = offered.first(where: { !hasFailed($0 + 1) }) ?? offered.first else { return nil }
    // Each of them has failed: they are asked for anew.
    if hasFailed(index + 1) { for other in offered { tracks[other + 1] = nil } }
    let number = index + 1
    let known = tracks[number]
    let track = known ?? ApartTrack(number)
    track.owner = self
    // It may have been left some time ago.
    if known == nil || abs(track.taken - frame) > 4800 {
      track.restart(at: frame)
      orders.append(.open(track: number, from: max(0, frame)))
    }
    tracks[number] = track
    return track
  }

  private func hasFailed(_ number: Int) -> Bool { tracks[number]?.failure != nil }

  public func close() {
    here?.close()
    (link, failure) = (nil, .closed)
    pictures.removeAll()
  }

  // MARK: Questions and answers

  /// Takes what has come, and asks for what is wanted next.
  fileprivate func turn() {
    guard failure == nil, here == nil else { return }
    do throws(MediaError) {
      repeat {
        if !isOpen || asked != nil { try take() }
        if isOpen, asked == nil, here == nil, let question = next() {
          asked = (question, track(of: question)?.turn ?? 0)
          try link?.send(question.encoded)
        }
      } while link?.waits == true && (!isOpen || asked != nil) && failure == nil && here == nil
    } catch {
      guard link?.hasNotBegun == true else { return fail(StreamFault(error)) }
      do throws(MediaError) { here = try openHere() } catch { return fail(StreamFault(error)) }
      link = nil
      if main.taken > 0 || epoch > 0 { here?.seek(to: main.taken) }
    }
  }

  private func fail(_ fault: StreamFault) { (failure, link) = (fault, nil) }

  private func next() -> ProgrammeQuestion? {
    if !orders.isEmpty { return orders.removeFirst() }
    if let track = ([main] + tracks.values.sorted { $0.number < $1.number }).first(where: isHungry) {
      return .more(
        track: track.number, frames: ProgrammeQuestion.mostFrames, pictureBytes: track.number == 0 ? pictureRoom : 0)
    }
    return wantsPictures ? .more(track: 0, frames: 0, pictureBytes: pictureRoom) : nil
  }

  /// Sound is asked for seconds ahead of what is heard, pictures as there is room for them: what waits is not lost.
  private var pictureRoom: Int {
    pictures.bytes > pictureBytes / 2 ? 0 : min(ProgrammeQuestion.mostPictureBytes, (pictureBytes + 3) / 4)
  }
  /// Silence beside pictures goes on as they are taken.
  private func isHungry(_ track: ApartTrack) -> Bool { track.isHungry && !(track.waitsForPictures && pictureRoom == 0) }
  private var wantsPictures: Bool { hasPictures && pictureRoom > 0 }

  /// The track of which there is more to come.
  private func track(of question: ProgrammeQuestion) -> ApartTrack? {
    guard case .more(let number, _, _) = question else { return nil }
    return number == 0 ? main : tracks[number]
  }

  private func take() throws(MediaError) {
    guard let link else { return }
    for _ in 0..<Self.reads {
      let bytes = try link.receive()
      answers.feed(bytes)
      if bytes.isEmpty || link.waits { break }
    }
    var records: [ProgrammeRecord]?
    do throws(ProgrammeAnswers.Nonsense) { records = try answers.next() } catch { throw nonsense }
    guard let records else { return }
    // It answers what it is asked, and no more.
    guard answers.isEmpty else { throw nonsense }
    guard let question = asked else { return try open(records) }
    asked = nil
    // Somebody may have gone elsewhere since.
    guard let track = track(of: question.question), track.turn == question.turn else { return }
    let end = track.queue.end
    for record in records { try add(record, to: track) }
    track.waitsForPictures = track.queue.end == end
  }

  private func open(_ records: [ProgrammeRecord]) throws(MediaError) {
    switch records.first {
    case .opened(let length, let sounds, let subtitles, let tracks, let beside)? where records.count == 1:
      (main.length, soundLanguages, subtitleLanguages) = (length, sounds, subtitles)
      (trackLanguages, self.beside, isOpen) = (tracks, beside, true)
    case .failed(let fault)?: fail(fault)
    default: throw nonsense
    }
  }

  private func add(_ record: ProgrammeRecord, to track: ApartTrack) throws(MediaError) {
    switch record {
    case .sound(let start, let samples):
      guard track.append(SoundBlock(epoch: epoch, start: start, samples: samples, sourceTime: Int64(start) * 15 / 8))
      else { throw nonsense }
    case .picture(let start, let isKeyframe, let lost, let bytes):
      pictures.append(
        ProgrammePicture(epoch: epoch, start: start, bytes: bytes, isKeyframe: isKeyframe, lostBefore: lost))
    case .cue(let start, let end, let language, let text):
      // Others have been asked for since.
      guard !orders.contains(where: { if case .subtitles = $0 { true } else { false } }) else { return }
      cues.append(SubtitleCue(epoch: epoch, start: start, end: end, text: text, language: language))
      // Nobody takes them.
      if cues.count > 10_000 { cues = [] }
    case .state(let length, let isOver, let hasPictures, let problem):
      track.length = length
      track.isOver = isOver
      if track.number == 0 { (self.hasPictures, subtitleProblem) = (hasPictures, problem) }
    case .failed(let fault):
      if track.number == 0 { fail(fault) } else { track.failure = fault }
    case .breaksOff(let fault): track.breaksOff = fault
    case .remark(let text): remarks.add(text)
    case .opened: throw nonsense
    }
  }

  private var nonsense: MediaError {
    MediaError(.failed, subject: path, operation: "decode", reason: "it upset the process that decodes it")
  }

  /// When to look again; nil: there is nothing more to come.
  fileprivate func wake(_ track: ApartTrack, _ now: Instant) -> Instant? {
    if let here { return track.number == 0 ? here.step(now: now) : nil }
    guard failure == nil, track.failure == nil else { return nil }
    if !isOpen || asked != nil { return now + .milliseconds(4) }
    if isHungry(track) || wantsPictures || !orders.isEmpty { return now }
    return track.isOver ? nil : now + .milliseconds(100)
  }

  fileprivate func status(of track: ApartTrack) -> ProgrammeStatus {
    var status = ProgrammeStatus()
    status.length = track.length
    status.decodedFrames = track.queue.frames
    status.soundLanguages = track.number == 0 ? soundLanguages : [trackLanguages[track.number - 1]]
    status.subtitleLanguages = track.number == 0 ? subtitleLanguages : []
    status.subtitleProblem = track.number == 0 ? subtitleProblem : nil
    status.isBeside = (1...max(1, beside)).contains(track.number) && beside > 0
    status.breaksOff = track.breaksOff
    status.hasOther =
      track.number > 0
      && trackLanguages.indices.contains {
        $0 + 1 != track.number && !hasFailed($0 + 1)
          && Languages.match(trackLanguages[track.number - 1], trackLanguages[$0])
      }
    if let fault = failure ?? track.failure {
      status.phase = .failed(fault)
    } else if track.isOver, track.queue.isEmpty {
      status.phase = .ended
    } else {
      status.phase = track.hasBegun ? .running : .opening
    }
    return status
  }
}

/// One sound of such a file. One lane.
final class ApartTrack: Programme {
  let number: Int
  fileprivate(set) weak var owner: ApartProgramme?
  fileprivate var queue = SoundQueue()
  fileprivate var length: Int?
  fileprivate var isOver = false
  fileprivate var failure: StreamFault?
  fileprivate var breaksOff: StreamFault?
  /// The last answer had no sound of it.
  fileprivate var waitsForPictures = false
  fileprivate private(set) var hasBegun = false
  /// How often it has gone elsewhere.
  fileprivate private(set) var turn = 0
  /// The next block may begin anywhere.
  private var isFresh = true
  private var isLeft = false
  /// Here, of which a part is asked for at a time.
  private static let most = 2 * 48_000

  fileprivate init(_ number: Int) { self.number = number }

  fileprivate var taken: Int { queue.taken }
  fileprivate var isHungry: Bool {
    !isOver && !isLeft && failure == nil && queue.frames <= Self.most - ProgrammeQuestion.mostFrames
  }

  fileprivate func restart(at frame: Int) {
    queue.restart(at: frame)
    turn += 1
    (isOver, isFresh, isLeft, failure) = (false, true, false, nil)
    (breaksOff, waitsForPictures) = (nil, false)
  }

  /// - Returns: false: it does not follow what came before it.
  fileprivate func append(_ block: SoundBlock) -> Bool {
    guard isFresh || block.start == queue.end, queue.frames <= 2 * Self.most else { return false }
    if isFresh { queue.restart(at: block.start) }
    queue.append(block)
    (isFresh, hasBegun) = (false, true)
    return true
  }

  func step(now: Instant) -> Instant? {
    owner?.turn()
    return owner?.wake(self, now)
  }

  var status: ProgrammeStatus { owner?.status(of: self) ?? ProgrammeStatus() }
  func nextSound() -> SoundBlock? { queue.next() }
  func nextCue() -> SubtitleCue? { nil }
  func nextPicture() -> ProgrammePicture? { nil }
  func rendition(language: String, from frame: Int) -> (any Programme)? { nil }
  /// It goes where the file goes.
  func seek(to frame: Int) {}

  func close() {
    isLeft = true
    // What is on its way is nobody's.
    turn += 1
    queue.restart(at: -1 << 40)
  }
}
