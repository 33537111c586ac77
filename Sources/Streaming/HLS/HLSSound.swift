internal import Hardware
internal import Media

/// The sound that is played: it decodes one segment after the other, and makes the timeline as it goes. One thread.
final class HLSSound {
  let track: HLSTrack
  private let decoder: StreamDecoder
  private let epochs: EpochMap
  var queue = SoundQueue()
  var pictures: PictureQueue
  var isOver = false
  private(set) var problem: String?
  /// Why nothing has been decoded for long; `nil` while all is well.
  private(set) var trouble: StreamFault?
  /// Why nothing will be.
  private(set) var failure: StreamFault?
  /// Why the segments since the last sound cannot be heard, where they are no end of the programme: they are protected, or
  /// have not come, or not as sound.
  private(set) var breaksOff: StreamFault?
  /// Sound has been decoded.
  private(set) var hasDecoded = false
  /// Frames of whole segments that gave no sound after the first, or were not even asked for in time.
  private var absent = 0
  /// Seconds that went by since, without any.
  private var mute = 0.0
  /// Segments that have come and given none before the first sound.
  private var mutes = 0
  /// What the decoder gives is silence for a segment that gave none.
  private var isStandIn = false

  private var current: LoadedSegment?
  private var hasSegment = false
  private var madeSound = false
  /// Frames that the segment had in it.
  private var found = 0
  private var discontinuity: Int?
  private var needsEpoch = true
  /// Frames of silence that stand for sound that is missing where the decoder has no clock.
  private var owed = 0
  /// What was held back of the last gap's length, until the next time stamp tells it exactly.
  private var uncertain = 0
  private var target: Target?
  /// How far the epoch before a seek was decoded.
  private var seekEnd = 0
  /// Sound before this time of the source is left out after a seek.
  private var dropUntil: Int64?
  /// Pictures that stand before the first sound of their epoch.
  private var early: [StreamPicture] = []

  /// How much of a missing segment is left to the time stamp of the next: EXTINF is rounded.
  private static let margin = 0.25
  private static let silenceFrames = 2048
  private static let mostPieces = 512
  /// So many seconds without decoded sound are made up for by silence; more is an error that is told.
  private static let longestMute = 3.0
  /// After so many nothing is expected any more.
  private static let lastMute = 30.0
  /// A first segment may be empty, a page for people, or an advertisement without sound; so many of them are a stream.
  private static let mostMutes = 6

  /// - Parameters:
  ///   - start: frame of the timeline at which its sound begins.
  ///   - pictureBytes: pictures that may wait: sound is decoded some seconds ahead, by the segments that the board has
  ///     room for, and pictures of the same segments come with it.
  init(
    track: HLSTrack, epochs: EpochMap, start: Int, wantsPictures: Bool, pictureBytes: Int
  ) throws(MediaError) {
    pictures = PictureQueue(mostBytes: pictureBytes)
    self.track = track
    self.epochs = epochs
    decoder = try StreamDecoder(pictures: wantsPictures)
    queue.restart(at: start)
  }

  var damagedPackets: Int { decoder.damagedPackets }
  /// Frames that are missing in what has been decoded so far, whether silence stands for them or they are left out.
  var lost: Int { absent + EpochMap.frames(decoder.missing) }
  /// Segments that are held for decoding, the one in use included.
  var held: Int { track.held + (hasSegment ? 1 : 0) }
  var heldBytes: Int {
    track.heldBytes + decoder.heldBytes + queue.frames * 8 + pictures.bytes
  }

  func nextSound() -> SoundBlock? { queue.next() }
  func nextPicture() -> ProgrammePicture? { pictures.next() }

  /// - Parameters:
  ///   - most: frames that may wait decoded.
  ///   - segments: that may be held.
  ///   - work: frames to decode in this call at most.
  func step(now: Instant, most: Int, segments: Int, work: Int) -> Instant? {
    // Large ones are held one at a time.
    let mostBytes = 12 << 20
    var room: Int { track.heldBytes + decoder.heldBytes > mostBytes ? 0 : segments - (hasSegment ? 1 : 0) }
    var wake = track.step(now: now, room: room)
    let goal = min(most, queue.frames + work)
    // Pictures are no sound: however many there are, a call ends.
    var pieces = 0
    while queue.frames < goal, !isOver, failure == nil, pieces < Self.mostPieces {
      pieces += 1
      guard advance(now) else { break }
    }
    if pieces == Self.mostPieces { return now }
    // A segment that was finished makes room for the next.
    if let again = track.step(now: now, room: room) { wake = min(wake ?? again, again) }
    let hasMore = hasSegment || owed > 0 || track.waiting > 0
    if hasMore, queue.frames < most { return now }
    if hasMore { return min(wake ?? .distantFuture, now + .milliseconds(100)) }
    return wake
  }

  /// - Returns: false if there is nothing to do for now.
  private func advance(_ now: Instant) -> Bool {
    if owed > 0 {
      let count = min(owed, Self.silenceFrames)
      owed -= count
      append([Float](repeating: 0, count: 2 * count), source: silentSource())
      return true
    }
    if hasSegment {
      decode()
      return true
    }
    guard let next = track.take() else {
      guard track.plan.isOver else { return false }
      finishRun()
      settleUncertain()
      if owed == 0 {
        isOver = true
        noteCut()
        if !hasDecoded {
          failure = failure ?? trouble ?? .silent("\(HLSTrack.name(track.url)): there is no sound in it")
        } else if let trouble, trouble.isOfContent, mute >= Self.lastMute {
          failure = failure ?? trouble
        }
      }
      return true
    }
    open(next)
    return true
  }

  private func open(_ next: LoadedSegment) {
    let segment = next.segment
    if let discontinuity, discontinuity != segment.discontinuity || next.isAfterBreak {
      finishRun()
      settleUncertain()
      needsEpoch = true
      // It is a time of another clock.
      dropUntil = nil
    }
    discontinuity = segment.discontinuity
    current = next
    madeSound = false
    found = 0
    isStandIn = false
    let place = EpochMap.Place(
      sequence: segment.sequence, time: segment.time, fromOrigin: next.origin + segment.time, frame: queue.end + owed,
      date: segment.date)
    let leftOut = epochs.come(to: place, follows: target == nil)
    // The window has gone on without them; what is missing in the list is counted where it is met.
    if next.isAfterBreak { absent += leftOut }
    switch next.content {
    case .missing(let fault): miss(segment, fault)
    case .bytes(let bytes, let initialization):
      do throws(MediaError) {
        try decoder.begin(
          bytes, initialization: initialization, name: HLSTrack.name(segment.url), place: segment.range?.lowerBound,
          seconds: segment.duration.inSeconds, mayRepeat: next.repeats)
        hasSegment = true
        current?.content = .bytes([], initialization: [])
      } catch {
        miss(segment, fault(error, of: segment))
      }
    }
  }

  private func decode() {
    guard let segment = current?.segment else {
      hasSegment = false
      return
    }
    do throws(MediaError) {
      switch try decoder.next() {
      case .sound(let sound): take(sound, of: segment)
      case .picture(let picture): take(picture, of: segment)
      case .jump: (needsEpoch, dropUntil) = (true, nil)
      case nil:
        hasSegment = false
        noteLack(segment)
        if !madeSound, !decoder.hasRepeated, !decoder.holdsSound {
          miss(segment, .silent("no sound in \(HLSTrack.name(segment.url))"))
        }
      }
    } catch {
      hasSegment = false
      problem = "\(error)"
      if !madeSound { miss(segment, fault(error, of: segment)) }
    }
  }

  /// There is silence where sound is missing, by the time stamps.
  private func noteLack(_ segment: MediaSegment) {
    let (said, heard) = (segment.duration.inSeconds, Double(found) / 48_000)
    guard madeSound, !isStandIn, !decoder.hasRepeated, said >= 1, heard < said / 2 else { return }
    problem = "segments have less sound in them than their list says: \(Int(heard)) of \(Int(said.rounded())) s"
  }

  /// Of the last segment no time stamp tells how much of it is missing.
  private func noteCut() {
    guard let last = current, last.endsInTheMiddle, madeSound, !isStandIn, !decoder.hasRepeated else { return }
    let missing = EpochMap.frames(Int64(last.segment.duration.inSeconds * 90_000)) - found
    let error = MediaError.breaksOff(
      HLSTrack.name(last.segment.url), "sound", at: queue.end, of: queue.end + missing, sampleRate: 48_000)
    guard let error else { return }
    absent += missing
    breaksOff = StreamFault(error)
  }

  /// What is no segment at all behind its key was not encrypted with that key.
  private func fault(_ error: MediaError, of segment: MediaSegment) -> StreamFault {
    guard segment.key != nil, error.kind == .damaged else { return StreamFault(error) }
    return StreamFault("encrypted", "\(error); its key does not fit, or it is damaged")
  }

  /// A segment that gives no sound: silence of its length, but for no longer than `longestMute` at a time.
  private func miss(_ segment: MediaSegment, _ fault: StreamFault) {
    problem = fault.text
    let seconds = segment.duration.inSeconds
    let before = mute
    mute += max(0.1, seconds)
    if mute >= Self.longestMute { trouble = fault }
    // A list may end in a splinter, or in what is silent and says so.
    if mute >= 0.5, !["gap", "no-sound"].contains(fault.code) { breaksOff = fault }
    // What protects one segment protects all of them.
    let isOfAll = ["encrypted", "unsupported"].contains(fault.code)
    // Before the first sound there is no clock; then silence would only make people wait.
    guard hasDecoded else {
      mutes += 1
      if fault.isOfContent, mute >= Self.longestMute, isOfAll || mutes >= Self.mostMutes { failure = fault }
      return
    }
    // In a list that is at its end there may be sound behind them, however long they are, and if not it ends soon.
    let isEnded = track.plan.playlist?.isEnded == true
    if fault.isOfContent, mute >= Self.lastMute, isOfAll || !isEnded { failure = fault }
    if target != nil { settleTarget(source: nil, of: segment) }
    guard mute <= Self.longestMute else {
      finishRun()
      settleUncertain()
      owed += Int(max(0, Self.longestMute - before) * 48_000)
      absent += Int(seconds * 48_000)
      needsEpoch = true
      return
    }
    let margin = min(Self.margin, seconds)
    if decoder.expectedTime != nil, !needsEpoch, (try? decoder.skip(seconds: seconds - margin)) != nil {
      // `next` gives the silence as if it were a segment.
      hasSegment = true
      madeSound = true
      isStandIn = true
      uncertain += Int(margin * 48_000)
      absent += Int((seconds - margin) * 48_000)
    } else {
      owed += Int((seconds * 48_000).rounded())
      absent += Int(seconds * 48_000)
    }
  }

  private func take(_ sound: StreamSound, of segment: MediaSegment) {
    madeSound = true
    found += sound.frames
    if !isStandIn {
      hasDecoded = true
      epochs.note(source: sound.time, at: track.plan.playlist?.isSliding == true ? .zero : segment.time)
      mute = 0
      (trouble, breaksOff) = (nil, nil)
      // The time stamp tells what was held back.
      uncertain = 0
    }
    var sound = sound
    if target != nil {
      settleTarget(source: sound.time, of: segment)
      if owed > 0 {
        let count = owed
        owed = 0
        append([Float](repeating: 0, count: 2 * count), source: silentSource())
      }
    }
    if let dropUntil {
      let early = EpochMap.frames(StreamTime.distance(from: sound.time, to: dropUntil))
      guard early < sound.frames else { return }
      if early > 0 {
        sound.samples.removeFirst(2 * early)
        sound.time += Int64(early) * 15 / 8
      }
      self.dropUntil = nil
    }
    if needsEpoch {
      beginEpoch(
        discontinuity: segment.discontinuity, start: queue.end, source: sound.time, end: queue.end, of: segment)
    }
    append(sound.samples, source: sound.time)
  }

  private func beginEpoch(discontinuity: Int, start: Int, source: Int64, end: Int, of segment: MediaSegment?) {
    needsEpoch = false
    epochs.begin(discontinuity: discontinuity, start: start, source: source, end: end)
    let waiting = early
    early = []
    if let segment { for picture in waiting { take(picture, of: segment) } }
  }

  private func finishRun() {
    do throws(MediaError) {
      if let tail = try decoder.finishRun(), !needsEpoch { append(tail.samples, source: tail.time) }
    } catch {
      problem = "\(error)"
    }
  }

  /// The rest of a gap, where no time stamp of the same clock will tell it.
  private func settleUncertain() {
    owed += uncertain
    absent += uncertain
    uncertain = 0
  }

  private func append(_ samples: [Float], source: Int64) {
    if epochs.last == nil {
      beginEpoch(
        discontinuity: discontinuity ?? 0, start: queue.end, source: source, end: queue.end, of: current?.segment)
    }
    queue.append(
      SoundBlock(epoch: epochs.last?.number ?? 0, start: queue.end, samples: samples, sourceTime: source))
    epochs.reach(queue.end)
  }

  /// The source's time at the end of the queue, by the epoch.
  private func silentSource() -> Int64 {
    epochs.last.map { $0.source + Int64(queue.end - $0.start) * 15 / 8 } ?? 0
  }

  // MARK: Going elsewhere

  /// Where a seek leads.
  private struct Target {
    var frame: Int
    var time: Duration
    /// The source's time of `frame`, once it is known.
    var source: Int64?
  }

  private static let mostEarlyPictures = 128

  /// The epoch of what is at a frame, which begins only when the sound of a seek is there.
  func epoch(ofFrame frame: Int) -> Int {
    target == nil ? epochs.number(ofFrame: frame) : (epochs.last?.number ?? -1) + 1
  }

  /// Goes to a frame of the timeline, which is at `time` of the playlist.
  func seek(to frame: Int, time: Duration) {
    decoder.reset()
    seekEnd = queue.end
    queue.restart(at: frame)
    pictures.removeAll()
    early = []
    dropUntil = nil
    hasSegment = false
    isOver = false
    needsEpoch = true
    owed = 0
    mute = 0
    (trouble, breaksOff) = (nil, nil)
    uncertain = 0
    target = Target(frame: frame, time: time)
    track.seek(to: max(.zero, time - .milliseconds(100)))
  }

  /// Begins the epoch of a seek, and decides which sound is left out before its frame.
  private func settleTarget(source first: Int64?, of segment: MediaSegment) {
    guard let target else { return }
    self.target = nil
    let known = epochs.source(ofFrame: target.frame, discontinuity: segment.discontinuity)
    // A window that has slid since counts from elsewhere: the difference may be anything.
    let ahead = min(max(0, (target.time - segment.time).nanoseconds), 1 << 50)
    let nominal = first.map { $0 + ahead * 9 / 100_000 }
    let source = known ?? nominal ?? 0
    // Of silence before a clock is known: nothing else is placed in it, and the first sound begins another one.
    let hasClock = known != nil || nominal != nil
    beginEpoch(
      discontinuity: hasClock ? segment.discontinuity : -1, start: target.frame, source: source, end: seekEnd,
      of: segment)
    epochs.placeBegins(at: target.frame - Int(((target.time - segment.time).inSeconds * 48_000).rounded()))
    needsEpoch = !hasClock
    guard let first else { return }
    let late = StreamTime.distance(from: source, to: first)
    if late > 0 { owed = min(EpochMap.frames(late), 48_000) } else { dropUntil = source }
  }

  func take(_ picture: StreamPicture, of segment: MediaSegment) {
    guard let epoch = epochs.last, !needsEpoch else {
      // Pictures often stand before the first sound of their epoch.
      if early.count < Self.mostEarlyPictures { early.append(picture) }
      return
    }
    pictures.append(
      ProgrammePicture(
        epoch: epoch.number, start: epoch.frame(of: picture.time), bytes: picture.bytes, isKeyframe: picture.isKeyframe)
    )
  }
}
