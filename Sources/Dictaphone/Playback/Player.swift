public import Hardware
public import Media
public import Sound

/// Plays one take at a time: decodes ahead into the render ring, seeks to the sample, fades at every joint; at the speed,
/// pitch and volume that are set, all of it or what lies between two places.
///
/// Positions are frames of the file at its own rate for the outside, at the speaker's inside. Media worker only.
public final class Player {
  private let output: SpeakerOutput
  private let report: (Event) -> Void
  private let links: SoundLinks
  private var settings: PlaybackSettings
  /// A file that is looked for, or of which another process does not say yet what is in it.
  private var opening: Opening?
  private var take: PlayedTake?
  private var wantsPlaying = false
  private var scrub: Scrub?
  /// What is to be heard next is not decoded yet.
  private var isStarved = false
  /// Since when that has been so.
  private var starvedSince: Instant?
  /// What tells of a mark, until it has been mixed in.
  private var tick: Tick?
  /// The fade of a pause is still to be heard.
  private var isFading = false
  /// The picture of the file, begun when it is first played.
  private var picture = TakePicture()
  /// Told of the shape of a take that has been made.
  public var onOverview: (_ id: String, _ peaks: [Float]) -> Void = { _, _ in }
  /// Whether the picture of the file waits for calmer times.
  public var isOverviewHeld: Bool {
    get { picture.isHeld }
    set { picture.isHeld = newValue }
  }

  /// Between two looks for what another process decodes.
  private static let poll = Duration.milliseconds(5)
  /// So long sound may fail to come, as in dubs.
  private static let longestSilence = Duration.seconds(3)
  /// Nobody's file is longer than a century, and sums of seconds must not overflow.
  private static let mostSeconds = 3e9

  /// - Parameter links: starts processes that decode what the device has not made.
  public init(
    speaker: (any Speaker)?, request: SoundRequest, settings: PlaybackSettings = PlaybackSettings(),
    links: @escaping SoundLinks = { _ throws(MediaError) in nil },
    report: @escaping (Event) -> Void
  ) {
    self.settings = settings
    output = SpeakerOutput(speaker: speaker, request: request, chunkFrames: PlayedTake.chunkFrames)
    self.report = report
    self.links = links
  }

  deinit { output.close() }

  public var status: Status {
    guard let take else { return Status() }
    var status = Status()
    status.id = take.id
    status.frame = take.fileFrames(position)
    status.frames = take.length
    status.sampleRate = take.file.format.sampleRate
    status.isPlaying = wantsPlaying
    status.codec = take.file.codecName
    status.channels = take.file.format.channels
    status.loopStart = (take.reader.loop?.lowerBound ?? take.loopStart).map(take.fileFrames)
    status.loopEnd = take.reader.loop.map { take.fileFrames($0.upperBound) }
    (status.overview, status.overviewFrames) = picture.shown
    return status
  }

  /// Something is heard, or about to be.
  public var isPlaying: Bool { wantsPlaying || scrub != nil }

  /// Levels of what is played, since the last call; none while nothing is.
  public func takeLevels() -> [ChannelLevel] { wantsPlaying ? take?.takeLevels() ?? [] : [] }

  /// The counters that the speaker's thread leaves.
  public var counters: SoundCounters { output.counters }

  /// The frame now at the speaker.
  private var position: Int { take?.position(pending: output.pendingFrames) ?? 0 }

  // MARK: What is in it

  /// Opens a take in one file.
  public func load(id: String, path: String, frame: Int, playing: Bool) {
    load([PlayerFile(id: id, path: path)], frame: frame, playing: playing)
  }

  /// Opens a take, under the name of its first file, at `frame`; a position at or past the end means the beginning.
  public func load(_ files: [PlayerFile], frame: Int, playing: Bool) {
    unload()
    opening = Opening(orders: playing ? [{ $0.play() }] : [])
    opening?.found(files, frame: frame)
    open()
  }

  /// A take is looked for on the card, which may be slow: what was in the player is gone, and what is ordered from now
  /// on is for the take to come.
  ///
  /// - Parameter request: the number by which ``found(_:frame:for:)`` answers.
  public func expect(_ request: Int, playing: Bool) {
    unload()
    opening = Opening(request: request, orders: playing ? [{ $0.play() }] : [])
  }

  /// Opens the take that was looked for, unless something else has been asked for since.
  public func found(_ files: [PlayerFile], frame: Int, for request: Int) {
    guard let opening, opening.request == request else { return }
    opening.found(files, frame: frame)
    open()
  }

  /// There is no such take; told unless something else has been asked for since.
  public func missed(_ request: Int, code: String, text: String) {
    guard opening?.request == request else { return }
    opening = nil
    report(.failed(code: code, text: text))
  }

  /// Opens a take that nobody has asked for since the start, unless somebody has asked for another; nobody is told if it
  /// cannot be opened.
  public func restore(_ files: [PlayerFile], frame: Int) {
    guard take == nil, opening == nil else { return }
    opening = Opening(isRestored: true)
    opening?.found(files, frame: frame)
    open()
  }

  /// Goes on opening a file; what was ordered since is done once it is open.
  private func open() {
    guard let new = opening, new.isFound else { return }
    let id = new.files.first?.id ?? ""
    do throws(MediaError) {
      guard let sound = try new.sound(links) else { return }
      opening = nil
      let file = try sound.converted(to: playable(sound.format))
      let start = new.frame < (file.totalFrames ?? .max) ? max(0, new.frame) : 0
      let opened = try PlayedTake(
        id, file, knownFrames: new.files.reduce(0) { $0 &+ $1.frames }, at: start, settings: settings)
      take = opened
      picture.begin(known: new.files.first?.overview ?? [])
      report(.loaded(id: id, frames: opened.length, sampleRate: file.format.sampleRate, frame: start))
      for order in new.orders { order(self) }
    } catch { refuse(new, error) }
  }

  private func refuse(_ opening: Opening, _ error: MediaError) {
    unload()
    let code = error.kind == .notFound ? "not-found" : error.kind == .denied ? "denied" : "unsupported"
    let id = opening.files.first?.id ?? ""
    if !opening.isRestored { report(.failed(code: code, text: "cannot play \(id): \(error)")) }
  }

  /// The format in which a file is offered to the speaker first: its own, with two channels at most, or where they are
  /// to differ.
  private func playable(_ format: PCMFormat) -> PCMFormat {
    let most = PlayedTake.channelLimit
    let channels = settings.leftDb == settings.rightDb ? min(most, format.channels) : most
    return PCMFormat(sampleRate: format.sampleRate, channels: channels, bits: format.bits)
  }

  /// Forgets a file, before it is deleted, and the take that it is a part of.
  public func unload(_ id: String) {
    if (opening?.files ?? take?.file.files)?.contains(where: { $0.id == id }) == true { unload() }
  }

  /// Forgets the take, before another is opened.
  public func unload() {
    opening = nil
    tick = nil
    wantsPlaying = false
    scrub = nil
    output.close()
    setLoop(nil)
    take = nil
    picture.begin(known: [])
  }

  /// Whether an order is for a file that is being opened, and waits for that.
  private func waits(_ order: @escaping (Player) -> Void) -> Bool {
    guard opening != nil else { return false }
    opening?.orders.append(order)
    return true
  }

  /// The take, or a word that there is none.
  private func loaded() -> PlayedTake? {
    if take == nil { report(.failed(code: "not-found", text: "nothing is loaded; choose a take first")) }
    return take
  }

  // MARK: Orders

  /// Plays as these say from the next frame that is made ready on.
  public func configure(_ settings: PlaybackSettings) {
    self.settings = settings
    guard let take else { return }
    // A take in mono has no balance.
    guard playable(take.file.format).channels == take.format.channels else {
      return load(take.file.files, frame: take.fileFrames(position), playing: wantsPlaying)
    }
    take.shape(settings, isHeard: isPlaying)
    do throws(MediaError) { try take.followPauses() } catch { seek(to: position) }
  }

  public func play() {
    if waits({ $0.play() }) { return }
    guard let take = loaded() else { return }
    // What is still in the ring at the end of the file is heard out first.
    if take.hasReachedEnd, output.pendingFrames == 0 { seek(to: 0) }
    guard openSpeaker() else { return wantsPlaying = false }
    wantsPlaying = true
    // The device may take all that it buffers the moment it runs.
    fill()
    output.setRunning(true)
  }

  /// Opens the speaker in the file's format; what it grants instead, the file is converted to.
  private func openSpeaker() -> Bool {
    guard let take else { return false }
    do {
      let granted = try output.open(for: take.format)
      if (granted.sampleRate, granted.channels) != (take.format.sampleRate, take.format.channels) {
        self.take = try take.converted(to: granted, at: position)
      }
      return true
    } catch {
      report(.failed(code: "device-lost", text: "no sound: \(error)"))
      return false
    }
  }

  /// Holds the sound where it is heard now, through a short fade.
  public func pause() {
    if waits({ $0.pause() }) { return }
    tick = nil
    isFading = wantsPlaying || scrub != nil
    wantsPlaying = false
    scrub = nil
    output.setRunning(false)
  }

  /// Stops and gives the speaker back; the position stays.
  public func stop() {
    if waits({ $0.stop() }) { return }
    let frame = position
    wantsPlaying = false
    scrub = nil
    output.close()
    setLoop(nil)
    seek(to: frame)
  }

  /// A tick in what is heard next, if something is being heard.
  public func markHeard() {
    if wantsPlaying, let take { tick = Tick(sampleRate: take.format.sampleRate) }
  }

  /// Moves by seconds, to within the file.
  public func seek(bySeconds seconds: Double) {
    if waits({ $0.seek(bySeconds: seconds) }) { return }
    guard let take, seconds.isFinite else { return }
    let shift = max(-Self.mostSeconds, min(Self.mostSeconds, seconds)) * Double(take.format.sampleRate)
    seek(to: position + Int(shift.rounded()))
  }

  /// Moves to a frame of the file at its own rate.
  public func go(to frame: Int) {
    if waits({ $0.go(to: frame) }) { return }
    if let take { seek(to: take.frame(ofFile: frame)) }
  }

  /// Moves to a frame, to within the file.
  public func seek(to frame: Int) {
    guard let take else { return }
    let target = take.within(frame)
    output.flush()
    do throws(MediaError) { try take.seek(to: target) } catch {
      report(.failed(code: "internal", text: "cannot move to \(target) in \(take.id): \(error)"))
    }
  }

  /// Begins (−1, +1), or ends (0), stepping through the file with a preview of the sound at each stop.
  public func scrub(direction: Int, now: Instant) {
    if waits({ $0.scrub(direction: direction, now: now) }) { return }
    if direction == 0 {
      guard scrub != nil else { return }
      scrub = nil
      if !wantsPlaying { output.setRunning(false) }
    } else if scrub?.direction != direction, openSpeaker() {
      scrub = Scrub(direction: direction, due: now, place: position)
      output.setRunning(true)
    }
  }

  // MARK: Repeating

  /// The first time it marks A, then B and goes back to A, then it plays on.
  ///
  /// - Parameter at: when it was asked for.
  public func stepLoop(at: Instant, now: Instant) {
    if waits({ $0.stepLoop(at: at, now: now) }) { return }
    guard let take = loaded() else { return }
    guard take.reader.loop == nil else { return setLoop(nil) }
    let late = wantsPlaying ? max(0, (now - at).inSeconds) * settings.rate * Double(take.format.sampleRate) : 0
    let heard = max(0, position - Int(late.rounded()))
    if let start = take.loopStart {
      setLoop(take.reader.loop(between: start, and: heard))
    } else {
      take.loopStart = heard
      report(.looped(start: take.fileFrames(heard), end: nil))
    }
  }

  /// Plays between two places, in seconds of the file, over and over; `nil`: plays on.
  public func loop(seconds: ClosedRange<Double>?) {
    if waits({ $0.loop(seconds: seconds) }) { return }
    guard let take = loaded() else { return }
    let rate = Double(take.format.sampleRate)
    let frame = { (seconds: Double) in Int((min(Self.mostSeconds, max(0, seconds)) * rate).rounded()) }
    setLoop(seconds.map { take.reader.loop(between: frame($0.lowerBound), and: frame($0.upperBound)) })
  }

  private func setLoop(_ loop: Range<Int>?) {
    guard let take, loop != nil || take.reader.loop != nil || take.loopStart != nil else { return }
    take.loopStart = nil
    take.reader.loop = loop
    let (start, end) = (loop?.lowerBound, loop?.upperBound)
    report(.looped(start: start.map(take.fileFrames), end: end.map(take.fileFrames)))
    if let loop { seek(to: loop.lowerBound) }
  }

  // MARK: Work

  /// Decodes ahead.
  ///
  /// - Returns: when to be called again, or `nil` while nothing moves.
  public func step(now: Instant) -> Instant? {
    open()
    // What is looked for comes by an order.
    if let opening {
      guard opening.isFound else { return nil }
      guard opening.isLate(now: now) else { return now + Self.poll }
      let reason = "what is in it was not found within \(Int(Opening.patience.inSeconds)) s"
      refuse(opening, MediaError(.failed, subject: opening.files.first?.path ?? "", operation: "open", reason: reason))
      return nil
    }
    guard let take else { return nil }
    guard isPlaying else {
      starvedSince = nil
      // Once more when the fade has been taken from the ring: it moves the position.
      guard isFading else { return nil }
      isFading = false
      return now + output.fadeTime
    }
    if output.isLost {
      let frame = position
      pause()
      output.close()
      seek(to: frame)
      report(.failed(code: "device-lost", text: "the speaker went away; plug it in and press CENTRE"))
      return nil
    }
    if let place = scrub?.step(now: now, format: take.format, length: take.file.totalFrames) { seek(to: place) }
    fill()
    giveUpIfSilent(take, now: now)
    drawOverview(of: take)
    if take.hasReachedEnd, scrub == nil, let end = output.end(asOf: now) {
      guard now >= end else { return end }
      wantsPlaying = false
      output.close()
      if let error = take.breaksOff { report(.brokeOff(code: error.kind.rawValue, text: "\(error)")) }
      report(.ended)
      return nil
    }
    return min(now + (isStarved ? Self.poll : .milliseconds(20)), scrub?.due ?? .distantFuture)
  }

  /// What has not come for too long fails, as what cannot be decoded does; played again, it is tried again.
  private func giveUpIfSilent(_ take: PlayedTake, now: Instant) {
    guard isStarved else { return starvedSince = nil }
    let since = starvedSince ?? now
    starvedSince = since
    guard now - since >= Self.longestSilence else { return }
    starvedSince = nil
    take.file.giveUp(after: Self.longestSilence)
    fill()
  }

  /// A column a step, once what is to be heard next is ready.
  private func drawOverview(of take: PlayedTake) {
    let span = settings.timelineSeconds > 0 ? settings.timelineSeconds * take.file.format.sampleRate : nil
    if let made = picture.step(take.file, at: take.fileFrames(position), span: span) { onOverview(take.id, made) }
  }

  /// Decodes until the ring holds the lead.
  private func fill() {
    isStarved = false
    guard let take else { return }
    let lead = output.leadFrames
    while !take.hasReachedEnd, output.queuedFrames < lead, output.writableFrames >= PlayedTake.chunkFrames {
      do throws(MediaError) {
        guard let made = try take.make(isLookedThrough: scrub != nil) else { return isStarved = true }
        guard made > 0 else { return }
        if tick?.mix(into: take.samples, frames: made, channels: take.format.channels) == false { tick = nil }
        output.write(take.samples, frames: made)
        starvedSince = nil
      } catch {
        report(.failed(code: "internal", text: "\(take.id) cannot be decoded further: \(error)"))
      }
    }
  }
}
