internal import Hardware
internal import Media

/// A station's sound as it comes, and its titles. What breaks off is fetched again, and goes on without a hole on the
/// timeline. One thread, which it never blocks.
final class RadioProgramme: Programme {
  /// What has been fetched of it when it is known to be sound.
  struct Beginning {
    var url: String
    var kind: SoundStream.Kind
    var transfer: any HTTPTransfer
    var head: HTTPHead
    var bytes: [UInt8]
    /// Nothing more will come.
    var isWhole: Bool
  }

  private let network: any Network
  private let options: HLSOptions
  private let wake: @Sendable () -> Void
  private let url: String
  private var kind: SoundStream.Kind
  /// What the server calls it.
  private var contentType: String
  private let isFinite: Bool
  /// What ends without a length is at its end, unless it is a station's.
  private let isStation: Bool
  /// It has a length, and begins anew nonetheless: it is a station's, which pleases players by it.
  private var isAnew = false
  /// Bytes of the whole, where it has an end, and how many of them have come.
  private let length: Int?
  private var received = 0
  /// How many of them had come when the rest was asked for.
  private var asked = 0
  /// Servers may give less of a range than was asked for (RFC 9110 section 15.3.7). Who gives less than this is not asked
  /// again at once.
  private static let leastPart = 4096
  private var transfer: (any HTTPTransfer)?
  private var isWhole: Bool
  private var sound: SoundStream?
  private var titles: TitleSplitter?
  /// What has come and is not decoded yet: a title holds from the sound behind it on.
  private var pieces: ArraySlice<TitleSplitter.Piece> = []
  private var said: [ProgrammeTitle] = []
  /// What the sound itself said last.
  private var ownTitle = ""
  /// More of them do not wait to be heard.
  static let mostTitles = 32
  /// The first title stands behind some of the sound it is of.
  private static let firstTitle = 10 * 48_000
  private var queue = SoundQueue()
  private var epoch = 0
  /// Frame of the timeline at which it begins.
  private let start: Int
  private var backoff: Backoff
  private var retryAt: Instant?
  /// What comes follows what has come.
  private var isResuming = false
  /// What a new connection began with, until that tells what it is.
  private var early: [UInt8] = []
  private var linkUps: Int
  private var isOver = false
  /// It ended before the file says that it does.
  private var breaksOff: StreamFault?
  /// What the parser held back has been asked for.
  private var hasEnded = false
  private var failure: StreamFault?
  private var trouble: String?
  private var remarks: [String] = []
  // Since the last decoded sample.
  private var hasDecoded = false
  private var muteBytes = 0
  private var muteSince: Instant?
  /// When bytes came last.
  private var fedAt = Instant.zero
  /// It has been asked again since it was heard last.
  private var isAskedAgain = false
  /// Bytes of pictures in tags, and how many of them are waited for.
  private var passedOver = 0
  private static let mostPassedOver = 32 << 20

  /// Without a sample for so long although bytes come, something is wrong; then it is over.
  private static let longestMute = Duration.seconds(3)
  private static let lastMute = Duration.seconds(30)
  /// Sound that is sent faster than it is heard.
  private static let mostMuteBytes = 1 << 20
  /// Bytes that may wait: a minute at 64 kbit/s.
  static let mostBytes = 512 << 10

  /// - Parameter start: frame of the timeline at which its sound begins.
  init(
    _ beginning: Beginning, network: any Network, options: HLSOptions, start: Int, now: Instant,
    wake: @escaping @Sendable () -> Void
  ) {
    self.network = network
    self.options = options
    self.wake = wake
    self.start = start
    url = beginning.url
    kind = beginning.kind
    contentType = beginning.head.contentType
    isStation = beginning.head.isStation
    isWhole =
      beginning.isWhole && beginning.head.length.map { beginning.bytes.count >= $0 } ?? !beginning.head.isStation
    length = beginning.head.length ?? (isWhole ? beginning.bytes.count : nil)
    isFinite = length != nil
    transfer = beginning.isWhole ? nil : beginning.transfer
    backoff = Backoff(seed: options.seed)
    linkUps = network.linkUps
    queue.restart(at: start)
    backoff.opened(at: now)
    begin(beginning.head)
    take(beginning.bytes, now)
  }

  static func request(_ url: String, range: Range<Int>? = nil) -> HTTPRequest {
    var request = HTTPRequest(url: url, range: range, largest: mostBytes, stallTimeout: .seconds(10))
    request.isOpenEnded = true
    return request
  }

  /// What is left of a file that has come in part.
  private var rest: Range<Int>? {
    guard !isAnew, let length, received > 0, received < length, titles?.isPlain == true else { return nil }
    return received..<length
  }

  /// A connection has its bytes from their beginning.
  private func begin(_ head: HTTPHead?) {
    titles = TitleSplitter(interval: head?.titleInterval)
    do throws(MediaError) { sound = try SoundStream(kind, name: HLSTrack.name(url), length: length) } catch {
      failure = StreamFault(error)
    }
  }

  /// Where its sound ends so far.
  var end: Int { queue.end }

  func step(now: Instant) -> Instant? {
    guard failure == nil, !isOver else { return nil }
    let goal = min(options.decodedFrames, queue.frames + 24_000)
    while queue.frames < goal, failure == nil, !isOver {
      if decode() || feed(now) { continue }
      guard pull(now) else { break }
    }
    watch(now)
    if queue.frames >= goal, goal < options.decodedFrames { return now }
    // What is due already waits for room.
    let retry = retryAt.flatMap { $0 > now ? $0 : nil }
    return [transfer?.nextChange, retry, now + .milliseconds(100)].compactMap { $0 }.min()
  }

  /// - Returns: whether there was sound in what has come.
  private func decode() -> Bool {
    do throws(MediaError) {
      guard let samples = try sound?.next() else { return pieces.isEmpty ? jump() : false }
      // A track that says nothing is not the one before it.
      if let own = sound?.title, own != ownTitle {
        ownTitle = own
        say(TitleSplitter.clean(own), at: queue.end)
      }
      queue.append(SoundBlock(epoch: epoch, start: queue.end, samples: samples, sourceTime: Int64(queue.end) * 15 / 8))
      hasDecoded = true
      (muteBytes, muteSince, trouble, isAskedAgain) = (0, nil, nil, false)
      return true
    } catch {
      failure = StreamFault(error)
      return false
    }
  }

  /// Goes to where the next bytes are that are needed, if that is elsewhere in the file.
  ///
  /// - Returns: whether it is at its end now.
  private func jump() -> Bool {
    guard let sound, let place = sound.wanted else { return false }
    guard let length else {
      // What lies ahead comes by itself.
      if place < received {
        failure = StreamFault(
          "unsupported", "\(HLSTrack.name(url)): its head is behind its sound, and parts are not served")
      }
      return false
    }
    go(to: place, of: length)
    return false
  }

  /// The next bytes are fetched from there.
  private func go(to place: Int, of length: Int) {
    transfer?.cancel()
    (transfer, retryAt, isWhole) = (nil, nil, place >= length)
    guard !isWhole else { return }
    sound?.move(to: place)
    (received, muteBytes, isResuming) = (place, 0, true)
  }

  /// - Returns: whether something has come.
  private func pull(_ now: Instant) -> Bool {
    if network.linkUps != linkUps {
      linkUps = network.linkUps
      if let time = backoff.linkCameUp(at: now), retryAt != nil { retryAt = time }
    }
    guard let transfer else {
      if isWhole {
        guard hasEnded else {
          hasEnded = true
          sound?.end()
          return true
        }
        isOver = true
        noteEnd()
      } else if now >= (retryAt ?? now) {
        retryAt = nil
        isResuming = rest != nil
        if !isResuming { (titles, early) = (nil, []) }
        asked = isResuming ? received : 0
        self.transfer = network.fetch(Self.request(url, range: rest), wake: wake)
      }
      return false
    }
    let progress = transfer.progress
    var bytes = transfer.take()
    if case .finished(let response) = progress { bytes += response.body }
    if titles == nil { (bytes, early) = (early + bytes, []) }
    if !bytes.isEmpty {
      if isResuming, transfer.head?.isAnew == true { (isAnew, isResuming, titles, asked) = (true, false, nil, 0) }
      if titles == nil {
        // A station may come back in another codec. Where it is called as before, its bytes alone can tell: many
        // call AAC audio/mpeg.
        let type = transfer.head?.contentType ?? ""
        let isLast = if case .running = progress { false } else { true }
        let found = SoundStream.Kind(
          beginning: bytes, contentType: type == contentType ? "" : type, isLast: isLast)
        if found == nil, !isLast, bytes.count < SoundStream.certainty {
          early = bytes
          return false
        }
        backoff.opened(at: now)
        received = 0
        kind = found ?? kind
        contentType = type
        begin(transfer.head)
      } else if isResuming {
        isResuming = false
        backoff.opened(at: now)
        guard transfer.head?.length.map({ $0 == length }) ?? true else {
          transfer.cancel()
          failure = StreamFault("interrupted", "\(HLSTrack.name(url)): it broke off, and has another length now")
          return false
        }
      }
      take(bytes, now)
    }
    switch progress {
    case .running: return !bytes.isEmpty
    case .finished:
      self.transfer = nil
      if rest != nil {
        if received - asked < Self.leastPart { lose(.interrupted, "only a part of it comes", now) }
      } else if !isAnew, isFinite || !isStation {
        isWhole = true
      } else {
        lose(.interrupted, "the station has hung up", now)
      }
    case .failed(let error):
      self.transfer = nil
      lose(error.kind, error.reason, now)
    }
    return true
  }

  private func noteEnd() {
    guard let sound, !sound.isComplete, let seconds = sound.seconds else { return }
    breaksOff = MediaError.breaksOff(
      HLSTrack.name(url), "sound", at: queue.end - start, of: Int(seconds * 48_000), sampleRate: 48_000
    ).map { StreamFault($0) }
  }

  private func lose(_ kind: NetworkError.Kind, _ reason: String, _ now: Instant) {
    // All of it had come.
    if !isAnew, let length, received >= length { return isWhole = true }
    let error = NetworkError(kind, subject: HLSTrack.name(url), reason: reason)
    trouble = "\(error)"
    remarks = remarks.suffix(7) + ["\(error)"]
    retryAt = backoff.ended(.failed(error), at: now)
    guard retryAt == nil else { return }
    if rest != nil, kind == .status(416) {
      failure = StreamFault("interrupted", "\(HLSTrack.name(url)): it broke off, and the server has no more of it")
      return
    }
    // A station that was there may come again.
    if hasDecoded { retryAt = now + .seconds(10) } else { failure = StreamFault(error) }
  }

  private func take(_ bytes: [UInt8], _ now: Instant) {
    received += bytes.count
    // Nothing is taken before all that had come has been.
    if let found = titles?.split(bytes) { pieces = found[...] }
    _ = feed(now)
  }

  /// Gives the decoder what stands between two titles, when it has no more of what stood before.
  ///
  /// - Returns: whether there was something.
  private func feed(_ now: Instant) -> Bool {
    guard failure == nil, let piece = pieces.popFirst() else { return false }
    if let title = piece.title {
      say(title, at: said.isEmpty && queue.end - start < Self.firstTitle ? start : queue.end)
    }
    muteBytes += piece.sound.count
    fedAt = now
    muteSince = muteSince ?? now
    sound?.feed(piece.sound)
    guard sound?.isPassingOver == true, passedOver < Self.mostPassedOver else { return true }
    passedOver += piece.sound.count
    (muteBytes, muteSince) = (0, now)
    return true
  }

  /// From a frame of the timeline on this plays.
  private func say(_ title: String, at frame: Int) {
    guard title != said.last?.text ?? "" else { return }
    if said.last?.frame == frame { said.removeLast() }
    said = Array((said + [ProgrammeTitle(frame: frame, text: title)]).suffix(Self.mostTitles))
  }

  private static let undecodable = "what comes cannot be decoded as sound"

  /// Bytes that give no sound are an error.
  private func watch(_ now: Instant) {
    guard queue.frames < options.decodedFrames, let since = muteSince, failure == nil else { return }
    let refusal = sound?.refusal
    let fault = StreamFault(
      refusal?.isUnsupported == true ? "unsupported" : "no-sound",
      "\(HLSTrack.name(url)): " + (refusal?.reason ?? Self.undecodable))
    // A film's head alone may be megabytes.
    let isFilm = kind == .movie || kind == .transportStream
    let patience = hasDecoded || kind == .movie ? Self.lastMute : Self.longestMute
    if muteBytes > Self.mostMuteBytes * (isFilm ? 32 : 1) || now - since >= patience,
      muteBytes > 4096
    {
      failure = fault
    } else if now - since >= Self.longestMute, now - fedAt < .seconds(1) {
      // Where nothing comes, in the middle of a page or a frame, the way is at fault, and sends what it holds later.
      trouble = trouble ?? fault.text
      askAgain(now)
    }
    if isOver, !hasDecoded { failure = failure ?? fault }
  }

  /// Servers send on another source in the same connection, in another codec, or without its head: who asks again is told
  /// what it is.
  private func askAgain(_ now: Instant) {
    guard isStation, !isFinite || isAnew, hasDecoded, !isAskedAgain, let transfer else { return }
    isAskedAgain = true
    transfer.cancel()
    self.transfer = nil
    lose(.interrupted, Self.undecodable, now)
  }

  var status: ProgrammeStatus {
    var status = ProgrammeStatus()
    status.isLive = !isFinite || isAnew
    status.decodedFrames = queue.frames
    status.titles = said
    status.length = isOver ? queue.end : sound?.seconds.map { start + Int($0 * 48_000) }
    status.canSeek = canSeek
    status.breaksOff = breaksOff
    if let failure, queue.isEmpty {
      status.phase = .failed(failure)
    } else if isOver {
      status.phase = queue.isEmpty ? .ended : .running
    } else if let trouble {
      status.phase = .stalled(trouble)
    } else {
      status.phase = hasDecoded ? .running : .opening
    }
    return status
  }

  func nextSound() -> SoundBlock? { queue.next() }
  func nextCue() -> SubtitleCue? { nil }
  func nextPicture() -> ProgrammePicture? { nil }
  func nextRemark() -> String? { remarks.isEmpty ? nil : remarks.removeFirst() }
  func rendition(language: String, from frame: Int) -> (any Programme)? { nil }

  /// A station cannot be told to go back; nor can a file whose head does not say where what is.
  private var canSeek: Bool {
    !isAnew && length != nil && titles?.isPlain == true && sound?.seconds != nil && failure == nil
  }

  func seek(to frame: Int) {
    guard canSeek, let length, let (place, seconds) = sound?.seek(to: Double(max(0, frame - start)) / 48_000) else {
      return
    }
    queue.restart(at: start + Int((seconds * 48_000).rounded()))
    epoch += 1
    (hasEnded, isOver, muteSince, trouble, breaksOff) = (false, false, nil, nil, nil)
    go(to: place, of: length)
  }

  func close() {
    transfer?.cancel()
    transfer = nil
    failure = failure ?? .closed
    queue.restart(at: queue.end)
  }
}
