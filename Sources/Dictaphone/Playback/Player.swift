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
  /// A file that is looked for, or of which another process does not say yet what is in it.
  private var opening: Opening?
  /// What is to be heard next is not decoded yet.
  private var isStarved = false
  private var reader: TakeReader?
  /// Between it and what is heard, where pauses are left out.
  private var pauses: PauseShortener?
  private var tempo: TempoAndPitch?
  private var level = OutputLevel(format: PCMFormat(sampleRate: 48_000, channels: 2))
  private var settings: PlaybackSettings
  private var id: String?
  /// Frames of the file by what is known of it, where it does not say its length itself.
  private var knownFrames = 0
  private var place = HeardPlace(at: 0)
  /// The first of two places between which the sound is to be repeated.
  private var loopStart: Int?
  private var wantsPlaying = false
  private var hasReachedEnd = false
  /// The file has been read to its end; what is left is on its way.
  private var isReadOut = false
  private var scrub: Scrub?
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
  /// Measures what goes to the speaker.
  private var meter = LevelMeter(format: PCMFormat(sampleRate: 48_000, channels: 2))
  private let scratch: UnsafeMutablePointer<Float>
  private let source: UnsafeMutablePointer<Float>

  /// Frames decoded at a time.
  static let chunkFrames = 1024
  /// Frames read from the file at a time.
  private static let sourceFrames = 256
  /// Between two looks for what another process decodes.
  private static let poll = Duration.milliseconds(5)
  /// Most channels of a file that is mixed down for the speaker.
  private static let channelLimit = 2

  /// - Parameter links: starts processes that decode what the device has not made.
  public init(
    speaker: (any Speaker)?, request: SoundRequest, settings: PlaybackSettings = PlaybackSettings(),
    links: @escaping SoundLinks = { _ throws(MediaError) in nil },
    report: @escaping (Event) -> Void
  ) {
    self.settings = settings
    output = SpeakerOutput(speaker: speaker, request: request, chunkFrames: Self.chunkFrames)
    self.report = report
    self.links = links
    scratch = .allocate(capacity: Self.chunkFrames * Self.channelLimit)
    scratch.initialize(repeating: 0, count: Self.chunkFrames * Self.channelLimit)
    source = .allocate(capacity: Self.sourceFrames * Self.channelLimit)
    source.initialize(repeating: 0, count: Self.sourceFrames * Self.channelLimit)
  }

  deinit {
    output.close()
    scratch.deallocate()
    source.deallocate()
  }

  public var status: Status {
    guard let reader else { return Status() }
    let file = reader.file
    var status = Status()
    status.id = id
    status.frame = fileFrames(position)
    status.frames = file.totalFrames.map(fileFrames) ?? knownFrames
    status.sampleRate = file.format.sampleRate
    status.isPlaying = wantsPlaying
    status.codec = file.codecName
    status.channels = file.format.channels
    status.loopStart = (reader.loop?.lowerBound ?? loopStart).map(fileFrames)
    status.loopEnd = reader.loop.map { fileFrames($0.upperBound) }
    (status.overview, status.overviewFrames) = picture.shown
    return status
  }

  /// Frames at the speaker's rate, as frames at the file's.
  private func fileFrames(_ frames: Int) -> Int {
    guard let file = reader?.file, file.outputFormat.sampleRate != file.format.sampleRate else { return frames }
    return frames * file.format.sampleRate / file.outputFormat.sampleRate
  }

  /// Something is heard, or about to be.
  public var isPlaying: Bool { wantsPlaying || scrub != nil }

  /// Levels of what is played, since the last call; none while nothing is.
  public func takeLevels() -> [ChannelLevel] {
    guard let reader, wantsPlaying else { return [] }
    let reading = meter.take()
    return reader.format.channels == 1 ? [reading.left] : [reading.left, reading.right]
  }

  /// The counters that the speaker's thread leaves.
  public var counters: SoundCounters { output.counters }

  /// The frame now at the speaker.
  private var position: Int {
    let frame = max(0, Int(place.frame(pending: output.pendingFrames).rounded()))
    return min(frame, reader?.file.totalFrames ?? frame)
  }

  // MARK: Orders

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
    guard reader == nil, opening == nil else { return }
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
      self.id = id
      knownFrames = new.files.reduce(0) { $0 &+ $1.frames }
      let file = try sound.converted(to: playable(sound.format))
      let start = new.frame < (file.totalFrames ?? .max) ? max(0, new.frame) : 0
      try take(file, at: start)
      picture.begin(known: new.files.first?.overview ?? [])
      report(
        .loaded(
          id: id, frames: file.totalFrames.map(fileFrames) ?? knownFrames, sampleRate: file.format.sampleRate,
          frame: start))
      for order in new.orders { order(self) }
    } catch {
      unload()
      let code = error.kind == .notFound ? "not-found" : error.kind == .denied ? "denied" : "unsupported"
      if !new.isRestored { report(.failed(code: code, text: "cannot play \(id): \(error)")) }
    }
  }

  /// Whether an order is for a file that is being opened, and waits for that.
  private func waits(_ order: @escaping (Player) -> Void) -> Bool {
    guard opening != nil else { return false }
    opening?.orders.append(order)
    return true
  }

  /// Reads from this file from now on.
  private func take(_ file: any PlayedSound, at frame: Int) throws(MediaError) {
    let format = file.outputFormat
    guard let tempo = TempoAndPitch(sampleRate: format.sampleRate, channels: format.channels) else {
      throw MediaError(.unsupported, subject: id ?? "", operation: "play", reason: "there is no memory left")
    }
    let reader = TakeReader(file)
    if frame > 0 { try reader.seek(to: frame) }
    self.reader = reader
    pauses = settings.skipsSilence ? PauseShortener(reader) : nil
    self.tempo = tempo
    meter = LevelMeter(format: format)
    level = OutputLevel(format: format)
    place = HeardPlace(at: frame)
    hasReachedEnd = false
    isReadOut = false
    shape(isHeard: false)
  }

  /// Plays as these say from the next frame that is made ready on.
  public func configure(_ settings: PlaybackSettings) {
    self.settings = settings
    // A take in mono has no balance.
    if let reader, playable(reader.file.format).channels != reader.format.channels {
      load(reader.file.files, frame: fileFrames(position), playing: wantsPlaying)
    } else {
      shape(isHeard: wantsPlaying || scrub != nil)
      skipPauses()
    }
  }

  private func skipPauses() {
    guard let reader, settings.skipsSilence != (pauses != nil) else { return }
    do throws(MediaError) { try pauses?.release() } catch { seek(to: position) }
    pauses = settings.skipsSilence ? PauseShortener(reader) : nil
  }

  private func shape(isHeard: Bool) {
    tempo?.set(rate: settings.rate, cents: settings.pitchCents)
    level.set(left: settings.factor(settings.leftDb), right: settings.factor(settings.rightDb), isHeard: isHeard)
  }

  public func play() {
    if waits({ $0.play() }) { return }
    guard reader != nil else {
      return report(.failed(code: "not-found", text: "nothing is loaded; choose a take first"))
    }
    // What is still in the ring at the end of the file is heard out first.
    if hasReachedEnd, output.pendingFrames == 0 { seek(to: 0) }
    guard openSpeaker() else { return wantsPlaying = false }
    wantsPlaying = true
    // The device may take all that it buffers the moment it runs.
    fill()
    output.setRunning(true)
  }

  /// Opens the speaker in the file's format; what it grants instead, the file is converted to.
  private func openSpeaker() -> Bool {
    guard let open = reader?.file else { return false }
    do {
      let granted = try output.open(for: open.outputFormat)
      guard granted.sampleRate != open.outputFormat.sampleRate || granted.channels != open.outputFormat.channels
      else { return true }
      let (rate, heard) = (open.outputFormat.sampleRate, position)
      let converted = try open.converted(to: granted)
      let scaled = { (frame: Int) in frame * granted.sampleRate / rate }
      let loop = reader?.loop.map { scaled($0.lowerBound)..<scaled($0.upperBound) }
      loopStart = loopStart.map(scaled)
      try take(converted, at: scaled(heard))
      reader?.loop = loop
      return true
    } catch {
      report(.failed(code: "device-lost", text: "no sound: \(error)"))
      return false
    }
  }

  /// The format in which a file is offered to the speaker first: its own, with two channels at most, or where they are
  /// to differ.
  private func playable(_ format: PCMFormat) -> PCMFormat {
    let channels = settings.leftDb == settings.rightDb ? min(Self.channelLimit, format.channels) : Self.channelLimit
    return PCMFormat(sampleRate: format.sampleRate, channels: channels, bits: format.bits)
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
    if reader != nil { seek(to: frame) }
  }

  /// Forgets a file, before it is deleted, and the take that it is a part of.
  public func unload(_ id: String) {
    if (opening?.files ?? reader?.file.files)?.contains(where: { $0.id == id }) == true { unload() }
  }

  /// Forgets the take, before another is opened.
  public func unload() {
    opening = nil
    tick = nil
    wantsPlaying = false
    scrub = nil
    output.close()
    setLoop(nil)
    (reader, pauses, tempo, id) = (nil, nil, nil, nil)
    picture.begin(known: [])
    place = HeardPlace(at: 0)
    hasReachedEnd = false
  }

  /// A tick in what is heard next, if something is being heard.
  public func markHeard() {
    if wantsPlaying, let reader { tick = Tick(sampleRate: reader.file.outputFormat.sampleRate) }
  }

  /// Moves by seconds, to within the file.
  public func seek(bySeconds seconds: Double) {
    if waits({ $0.seek(bySeconds: seconds) }) { return }
    guard let reader, seconds.isFinite else { return }
    // Nobody's file is longer than a century, and the sum must not overflow.
    let limit = 3e9
    let shift = max(-limit, min(limit, seconds)) * Double(reader.format.sampleRate)
    seek(to: position + Int(shift.rounded()))
  }

  /// Moves to a frame of the file at its own rate.
  public func go(to frame: Int) {
    if waits({ $0.go(to: frame) }) { return }
    guard let file = reader?.file else { return }
    let (own, heard) = (file.format.sampleRate, file.outputFormat.sampleRate)
    seek(to: own == heard ? frame : ClaimedNumber(frame).within(0...1 << 40).map { $0 * heard / own } ?? 0)
  }

  /// Moves to a frame, to within the file.
  public func seek(to frame: Int) {
    guard let reader else { return }
    let target = max(0, min(frame, reader.file.totalFrames ?? frame))
    output.flush()
    do throws(MediaError) {
      try reader.seek(to: target)
      pauses?.restart()
      tempo?.reset()
      level.reset()
      place = HeardPlace(at: target)
      hasReachedEnd = false
      isReadOut = false
    } catch {
      report(.failed(code: "internal", text: "cannot move to \(target) in \(id ?? "?"): \(error)"))
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
    guard let reader else { return report(.failed(code: "not-found", text: "nothing is loaded; choose a take first")) }
    guard reader.loop == nil else { return setLoop(nil) }
    let late = wantsPlaying ? max(0, (now - at).inSeconds) * settings.rate * Double(reader.format.sampleRate) : 0
    let heard = max(0, position - Int(late.rounded()))
    if let loopStart {
      setLoop(reader.loop(between: loopStart, and: heard))
    } else {
      loopStart = heard
      report(.looped(start: fileFrames(heard), end: nil))
    }
  }

  /// Plays between two places, in seconds of the file, over and over; `nil`: plays on.
  public func loop(seconds: ClosedRange<Double>?) {
    if waits({ $0.loop(seconds: seconds) }) { return }
    guard let reader else { return report(.failed(code: "not-found", text: "nothing is loaded; choose a take first")) }
    let rate = Double(reader.format.sampleRate)
    // Nobody's file is longer than a century.
    let frame = { (seconds: Double) in Int((min(3e9, max(0, seconds)) * rate).rounded()) }
    setLoop(seconds.map { reader.loop(between: frame($0.lowerBound), and: frame($0.upperBound)) })
  }

  private func setLoop(_ loop: Range<Int>?) {
    guard let reader, loop != nil || reader.loop != nil || loopStart != nil else { return loopStart = nil }
    loopStart = nil
    reader.loop = loop
    report(.looped(start: loop.map { fileFrames($0.lowerBound) }, end: loop.map { fileFrames($0.upperBound) }))
    if let loop { seek(to: loop.lowerBound) }
  }

  // MARK: Work

  /// Decodes ahead.
  ///
  /// - Returns: when to be called again, or `nil` while nothing moves.
  public func step(now: Instant) -> Instant? {
    open()
    // What is looked for comes by an order.
    if let opening { return opening.isFound ? now + Self.poll : nil }
    guard reader != nil else { return nil }
    guard wantsPlaying || scrub != nil else {
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
    stepScrub(now: now)
    fill()
    drawOverview()
    if hasReachedEnd, scrub == nil, let end = output.end(asOf: now) {
      guard now >= end else { return end }
      wantsPlaying = false
      output.close()
      report(.ended)
      return nil
    }
    return min(now + (isStarved ? Self.poll : .milliseconds(20)), scrub?.due ?? .distantFuture)
  }

  /// A column a step, once what is to be heard next is ready.
  private func drawOverview() {
    guard let file = reader?.file else { return }
    let span = settings.timelineSeconds > 0 ? settings.timelineSeconds * file.format.sampleRate : nil
    if let made = picture.step(file, at: fileFrames(position), span: span), let id { onOverview(id, made) }
  }

  private func stepScrub(now: Instant) {
    guard var current = scrub, let reader, now >= current.due else { return }
    // The last piece is heard, too, and is not the end.
    let last = reader.file.totalFrames.map { max(0, $0 - reader.format.frames(in: Scrub.interval)) } ?? .max
    current.place = max(0, min(last, current.place + current.direction * Scrub.stepSeconds * reader.format.sampleRate))
    seek(to: current.place)
    current.due = max(current.due + Scrub.interval, now + Scrub.interval / 2)
    scrub = current
  }

  /// Decodes until the ring holds the lead.
  private func fill() {
    isStarved = false
    guard let reader, let tempo, !hasReachedEnd else { return }
    let lead = output.leadFrames
    while output.queuedFrames < lead, output.writableFrames >= Self.chunkFrames {
      let rate = settings.rate
      let held = tempo.held + Double(level.held) * rate
      let frame = heardPauses?.frame(behind: held) ?? reader.frame(behind: held)
      do throws(MediaError) {
        guard let got = try make(reader, tempo) else {
          isStarved = true
          return
        }
        guard got > 0 else {
          hasReachedEnd = true
          return
        }
        meter.add(scratch, frames: got)
        if tick?.mix(into: scratch, frames: got, channels: reader.format.channels) == false { tick = nil }
        output.write(scratch, frames: got)
        place.add(got, from: frame, rate: rate)
      } catch {
        hasReachedEnd = true
        report(.failed(code: "internal", text: "\(id ?? "?") cannot be decoded further: \(error)"))
        return
      }
    }
  }

  /// What leaves pauses out now: not where a piece is repeated, or looked for.
  private var heardPauses: PauseShortener? { reader?.loop == nil && scrub == nil ? pauses : nil }

  /// The next frames for the speaker, at the speed, pitch and volume that are set.
  ///
  /// - Returns: how many; 0 at the end only; nil: not yet.
  private func make(_ reader: TakeReader, _ tempo: TempoAndPitch) throws(MediaError) -> Int? {
    while true {
      let made = tempo.read(into: scratch, frames: Self.chunkFrames)
      if made > 0 {
        let shaped = level.process(scratch, frames: made)
        if shaped > 0 { return shaped }
      } else if isReadOut {
        return level.finish(into: scratch)
      } else {
        let got =
          if let heardPauses { try heardPauses.read(into: source, frames: Self.sourceFrames) } else {
            try reader.read(into: source, frames: Self.sourceFrames)
          }
        guard let got else { return nil }
        if got > 0 {
          tempo.write(source, frames: got)
        } else {
          tempo.finish()
          isReadOut = true
        }
      }
    }
  }
}
