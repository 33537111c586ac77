internal import Hardware
internal import Media

/// A stream by HTTP Live Streaming (RFC 8216): VOD, EVENT and live.
///
/// It is one lane's, and never blocks it: transfers run on the network's own thread, and a call of `step` decodes no
/// more than some 100 ms of sound. Memory: `HLSOptions.segments` segments, `decodedFrames` of sound, one playlist's text.
final class HLSProgramme: Programme {
  private let network: any Network
  private var options: HLSOptions
  private let limits: HLSLimits
  private let wake: @Sendable () -> Void
  private let epochs: EpochMap
  /// Frame of the timeline at which it begins.
  private let beginning: Int
  /// What it begins with, until the first step.
  private var playlist: Playlist?
  private var failure: StreamFault?
  private var remarks = Remarks()

  private var master: MasterPlaylist?
  private var choice: VariantChoice?
  private var meter = BandwidthMeter()
  private var sound: HLSSound?
  private var pictures: HLSPictures?
  private var subtitles: HLSSubtitles?
  private var renditions: [HLSRendition] = []
  /// Addresses of renditions that were asked for, and could not be had.
  private var lost: Set<String> = []
  private var now = Instant.zero
  private var pendingSeek: Int?
  /// Sounds that may yet come, and were left for others.
  private var late = 0

  /// Frames decoded in a call at most.
  private static let work = 4_096

  /// - Parameters:
  ///   - playlist: one of variants, or of segments.
  ///   - start: frame of the timeline at which its sound begins, behind what was played before.
  ///   - epoch: number of its first epoch.
  ///   - wake: called from the network's thread when there is something to do; must not block.
  init(
    _ playlist: Playlist, network: any Network, options: HLSOptions, start: Int = 0, epoch: Int = 0,
    wake: @escaping @Sendable () -> Void
  ) {
    self.playlist = playlist
    self.network = network
    self.options = options
    beginning = start
    self.wake = wake
    epochs = EpochMap(firstNumber: epoch)
    limits = HLSLimits(segmentBytes: options.segmentBytes)
  }

  /// The variant with the least bits, or the best that the way allows; from the next segment on.
  func setLowPower(_ isLow: Bool) { options.isLowPower = isLow }

  func step(now: Instant) -> Instant? {
    self.now = now
    guard failure == nil else { return nil }
    if let first = playlist {
      playlist = nil
      begin(first, now)
    }
    guard let sound, failure == nil else { return nil }
    var wakes: [Instant?] = []
    chooseVariant(now)
    wakes.append(
      sound.step(now: now, most: options.decodedFrames, segments: options.segments, work: Self.work))
    if let fault = sound.track.failure ?? sound.failure ?? hopeless(sound) {
      guard takeAnother(after: fault, sound, now) else {
        failure = fault
        return nil
      }
      return now
    }
    if let frame = pendingSeek { seek(to: frame) }
    wakes.append(pictures?.step(now: now, segments: 1, frame: sound.queue.taken))
    leaveLostSubtitles(at: sound.queue.taken)
    wakes.append(subtitles?.step(now: now, frame: sound.queue.end))
    for text in sound.track.remarks + [problem].compactMap({ $0 }) { remarks.add(text) }
    return wakes.compactMap { $0 }.min()
  }

  /// Where its sound ends so far.
  var end: Int { sound?.queue.end ?? beginning }

  func nextSound() -> SoundBlock? { sound?.nextSound() }
  func nextCue() -> SubtitleCue? { subtitles?.next() }
  func nextPicture() -> ProgrammePicture? { pictures?.next() ?? sound?.nextPicture() }

  func close() {
    sound?.track.close()
    pictures?.track.close()
    subtitles?.close()
    for rendition in renditions { rendition.close() }
    failure = failure ?? .closed
  }

  // MARK: The way in

  private func begin(_ playlist: Playlist, _ now: Instant) {
    switch playlist {
    case .list: failure = StreamFault("unsupported", "a list of addresses is no stream")
    case .media(let media): begin(track(media.url, playlist: media, isLeading: true), leadsPictures: options.pictures)
    case .master(let master):
      self.master = master
      for text in master.remarks { remarks.add("\(HLSTrack.name(master.url)), \(text)") }
      guard
        let choice = VariantChoice(
          master.variants, wantsPictures: options.pictures, mostLines: options.mostLines,
          isLowPower: options.isLowPower, bandwidth: meter.estimate)
      else { return failure = StreamFault("malformed", "\(HLSTrack.name(master.url)): no variant in it") }
      self.choice = choice
      play(choice.current, of: master)
    }
  }

  private func play(_ variant: MasterPlaylist.Variant, of master: MasterPlaylist) {
    let address = master.soundAddress(of: variant)
    let hasOwnSound = address != variant.url
    begin(track(address, isLeading: true), leadsPictures: options.pictures && !hasOwnSound)
    if options.pictures, hasOwnSound {
      beginPictures(track(variant.url))
    }
    beginSubtitles(at: 0)
  }

  private func beginPictures(_ track: HLSTrack) {
    pictures = try? HLSPictures(track: track, epochs: epochs, bytes: options.pictureBytes)
  }

  private func begin(_ track: HLSTrack, leadsPictures: Bool) {
    do throws(MediaError) {
      sound = try HLSSound(
        track: track, epochs: epochs, start: beginning, wantsPictures: leadsPictures, pictureBytes: options.pictureBytes
      )
    } catch {
      failure = StreamFault(error)
    }
  }

  func nextRemark() -> String? { remarks.next() }

  /// - Parameter isLeading: whether it is the sound that is played: its transfers tell how wide the way is.
  private func track(
    _ url: String, playlist: MediaPlaylist? = nil, start: LoaderPlan.Start = .natural, isLeading: Bool = false
  ) -> HLSTrack {
    HLSTrack(
      url: url, playlist: playlist, start: start, variables: master?.variables ?? PlaylistVariables(),
      network: network, limits: limits, seed: options.seed, now: now, wake: wake,
      measured: { [weak self] bytes, duration in if isLeading { self?.meter.add(bytes: bytes, over: duration) } },
      mayBeElsewhere: { [weak self] in isLeading && self?.mayChange == true })
  }

  /// Nothing of a stream can be had, although its playlist can.
  private func hopeless(_ sound: HLSSound) -> StreamFault? {
    guard !sound.hasDecoded else { return nil }
    let other = hasOther(than: sound.track.firstURL)
    // Where there is nothing else, patience is better than to give up.
    if other, sound.track.plan.isFailing {
      let why = sound.track.plan.trouble(now: now).map { "\(HLSTrack.name(sound.track.url)): \($0)" }
      return StreamFault("unreachable", sound.track.problem ?? why ?? "")
    }
    guard let fault = sound.trouble, !fault.isOfContent else { return nil }
    return sound.track.plan.isHopeless || other ? fault : nil
  }

  /// Why nothing of it has come so far, if it has failed so often that something else is worth trying: it may come yet.
  var standstill: String? {
    guard failure == nil, let sound, !sound.hasDecoded, sound.track.plan.isFailing || late > 1 else { return nil }
    return problem ?? "\(HLSTrack.name(sound.track.url)): nothing comes of it"
  }

  /// Another variant is on its way, or may be asked for.
  private var mayChange: Bool {
    guard let sound, sound.hasDecoded else { return false }
    return sound.track.isChanging || hasOther(than: sound.track.url)
  }

  private func hasOther(than address: String) -> Bool {
    guard let master else { return false }
    let sound = master.sound(at: address)
    return choice?.others(now: now).contains { master.sound(of: $0) != sound } ?? false
  }

  /// Leaves out the variants whose sound is there.
  private func avoid(_ address: String, for time: Duration, _ choice: inout VariantChoice) {
    guard let master else { return }
    choice.avoid(choice.current, for: time, now: now)
    let sound = master.sound(at: address)
    for other in choice.others(now: now) where master.sound(of: other) == sound {
      choice.avoid(other, for: time, now: now)
    }
  }

  /// Goes over to another sound of the variant, or to a variant with another one, where there is one that has not failed.
  private func takeAnother(after fault: StreamFault, _ sound: HLSSound, _ now: Instant) -> Bool {
    guard let master, var choice, !sound.hasDecoded else { return false }
    remarks.add(fault.text)
    // What may be had again is no reason to go over to another language.
    if !sound.track.plan.isFailing, self.master?.leaveOut(sound.track.firstURL, of: choice.current) == true,
      let changed = self.master
    {
      return replay(choice.current, of: changed)
    }
    // What may be had again is tried again when nothing else is left.
    if sound.track.plan.isFailing { late += 1 }
    let penalty = sound.track.plan.isFailing ? VariantChoice.penalty : VariantChoice.penalty * 60
    avoid(sound.track.firstURL, for: penalty, &choice)
    guard let next = choice.others(now: now).first ?? choice.others(now: now + VariantChoice.penalty).first else {
      return false
    }
    choice.take(next, now: now)
    self.choice = choice
    return replay(next, of: master)
  }

  private func replay(_ variant: MasterPlaylist.Variant, of master: MasterPlaylist) -> Bool {
    sound?.track.close()
    pictures?.track.close()
    subtitles?.close()
    (sound, pictures, subtitles) = (nil, nil, nil)
    play(variant, of: master)
    return sound != nil
  }

  private func chooseVariant(_ now: Instant) {
    guard var choice, let master, let sound else { return }
    defer { self.choice = choice }
    let failed = (sound: sound.track.takeFailedChange(), pictures: pictures?.track.takeFailedChange())
    if failed.sound != nil || failed.pictures != nil { choice.avoid(choice.current, now: now) }
    if failed.sound != nil, let number = master.sound(at: sound.track.url),
      let playing = master.variants.first(where: { master.sound(of: $0) == number })
    {
      choice.take(playing, now: now)
    }
    if sound.hasDecoded, sound.track.plan.isBad, !sound.track.isChanging, hasOther(than: sound.track.url) {
      if let problem { remarks.add(problem) }
      avoid(sound.track.url, for: VariantChoice.penalty, &choice)
    }
    if let track = pictures?.track, !track.isChanging,
      track.failure != nil || track.plan.isBad,
      choice.others(now: now).contains(where: { !$0.isSoundOnly })
    {
      choice.avoid(choice.current, now: now)
    }
    let wanted = choice.wanted(bandwidth: meter.estimate, isLowPower: options.isLowPower, now: now)
    guard wanted.addressNumber != choice.current.addressNumber else { return }
    choice.take(wanted, now: now)
    sound.track.change(to: master.soundAddress(of: wanted))
    if pictures?.track.failure != nil {
      pictures?.track.close()
      beginPictures(track(wanted.url, start: start(at: sound.queue.taken)))
    } else {
      pictures?.track.change(to: wanted.url)
    }
  }

  // MARK: Languages

  /// The sound in another language, placed on this programme's timeline; the same object for the same language, or
  /// another one where that has failed.
  ///
  /// - Parameter frame: where it is to begin: what is heard now.
  func rendition(language: String, from frame: Int) -> (any Programme)? {
    guard let choice, let master, let sound, failure == nil else { return nil }
    renditions.removeAll { rendition in
      guard let fault = rendition.failure else { return false }
      if fault != .closed { lost.insert(rendition.address) }
      return true
    }
    let own = master.soundAddress(of: choice.current)
    let serving = Languages.serving(language, master.audioRenditions(of: choice.current), tag: \.language)
      .filter { $0.url != nil || own == choice.current.url }
    let offered = serving.filter { !$0.isDescribed } + serving.filter(\.isDescribed)
    var left = offered.filter { !lost.contains($0.url ?? "") }
    if left.isEmpty {
      // Each of them has failed: they are asked for anew.
      for rendition in offered { lost.remove(rendition.url ?? "") }
      left = offered
    }
    // What describes the pictures does not take the place of the original, where that is in the language.
    guard let found = left.first, let url = found.url, url != sound.track.url, url != own else { return nil }
    if let known = renditions.first(where: { $0.address == url }) { return known }
    let new = HLSRendition(
      language: found.language, track: track(url, start: start(at: frame)), epochs: epochs,
      epoch: sound.epoch(ofFrame: frame), hasOther: left.contains { $0.url != url }, options: options)
    renditions.append(new)
    return new
  }

  /// Subtitles in another language, from `frame` on.
  ///
  /// - Returns: false if there are none.
  func selectSubtitles(language: String, from frame: Int) -> Bool {
    options.subtitleLanguages = [language]
    guard subtitleRenditions.contains(where: { Languages.match(language, $0.language) }) else { return false }
    if let subtitles, subtitles.address == subtitleChoice?.url { return true }
    subtitles?.close()
    beginSubtitles(at: frame)
    return true
  }

  private var subtitleRenditions: [MasterPlaylist.Rendition] {
    guard let choice else { return [] }
    return master?.subtitleRenditions(of: choice.current) ?? []
  }

  /// The next of their language, where those that are most welcome have failed.
  private var subtitleChoice: MasterPlaylist.Rendition? {
    let offered = subtitleRenditions
    let wanted = options.subtitleLanguages.lazy.compactMap { language in
      Languages.serving(language, offered, tag: \.language).first
    }
    guard let found = wanted.first ?? offered.first(where: \.isDefault) ?? offered.first else { return nil }
    return Languages.serving(found.language, offered, tag: \.language).first { !lost.contains($0.url ?? "") } ?? found
  }

  private func leaveLostSubtitles(at frame: Int) {
    guard let subtitles, subtitles.isLost, lost.insert(subtitles.address).inserted else { return }
    guard let next = subtitleChoice?.url, !lost.contains(next) else { return }
    if let fault = subtitles.fault { remarks.add(fault) }
    subtitles.close()
    beginSubtitles(at: frame)
  }

  private func beginSubtitles(at frame: Int) {
    guard let found = subtitleChoice, let url = found.url else { return }
    subtitles = HLSSubtitles(
      language: found.language, track: track(url, start: start(at: frame)), epochs: epochs,
      epoch: sound?.epoch(ofFrame: frame) ?? 0)
  }

  /// Beside a frame of the timeline, in whatever playlist.
  private func start(at frame: Int) -> LoaderPlan.Start {
    guard let place = epochs.place, let sound else { return .natural }
    guard let time = nominalTime(ofFrame: frame).map({ max(.zero, $0) }) else {
      return .beside(sequence: place.sequence, time: place.time, date: place.date)
    }
    let sequence = sound.track.segment(at: time)?.sequence ?? place.sequence
    return .beside(sequence: sequence, time: time, date: date(ofFrame: frame))
  }

  // MARK: Going elsewhere

  /// Goes to a frame: exactly, where the timeline is known by its time stamps, else by the lengths in the playlist.
  func seek(to frame: Int) {
    guard let sound, let playlist = sound.track.plan.playlist, epochs.place != nil else {
      pendingSeek = frame
      return
    }
    pendingSeek = nil
    guard let wanted = nominalTime(ofFrame: frame) else { return }
    let time = min(max(.zero, wanted), playlist.duration)
    let target = frame + Int(((time - wanted).inSeconds * 48_000).rounded())
    sound.seek(to: target, time: time)
    for rendition in renditions { rendition.restart(at: target, time: time) }
    subtitles?.restart(at: target, time: time)
    pictures?.restart(at: target, time: time)
  }

  /// The time of the playlist at a frame, counted from the segment that is being decoded.
  private func nominalTime(ofFrame frame: Int) -> Duration? {
    guard let place = epochs.place, let segment = sound?.track.segment(numbered: place.sequence) else { return nil }
    return segment.time + .nanoseconds(Int64(frame - place.frame) * 62_500 / 3)
  }

  // MARK: Status

  /// Bytes held: segments, decoded sound, pictures, playlists, subtitles.
  var heldBytes: Int {
    (sound?.heldBytes ?? 0) + (pictures?.heldBytes ?? 0) + (subtitles?.heldBytes ?? 0)
      + renditions.reduce(0) { $0 + $1.heldBytes }
  }

  /// What went wrong last without stopping anything: a segment that was left out, a rendition. For people.
  var problem: String? { sound?.problem ?? sound?.track.problem ?? subtitles?.problem ?? pictures?.problem }

  /// Packets of the sound that could not be decoded.
  var damagedPackets: Int { sound?.damagedPackets ?? 0 }

  /// Wall clock (EXT-X-PROGRAM-DATE-TIME) of a frame of the timeline, by the segment that is being decoded; `nil` if the
  /// stream does not say it.
  func date(ofFrame frame: Int) -> WallTime? {
    guard let place = epochs.place, let date = place.date else { return nil }
    let offset = Int64(frame - place.frame) * 62_500 / 3
    return WallTime(nanosecondsSince1970: date.nanosecondsSince1970 &+ offset)
  }

  var status: ProgrammeStatus {
    var status = ProgrammeStatus()
    status.measuredBandwidth = meter.estimate ?? 0
    status.variantBandwidth = choice?.current.bandwidth ?? 0
    status.soundLanguages = master?.soundLanguages ?? []
    status.subtitleLanguages = master?.subtitleLanguages ?? []
    status.subtitleProblem = subtitles?.fault
    // What has been decoded before it failed is there to be heard.
    status.decodedFrames = sound?.queue.frames ?? 0
    status.lost = sound?.lost ?? 0
    guard failure == nil, let sound else {
      status.phase = failure.map { .failed($0) } ?? .opening
      return status
    }
    status.segments = sound.held
    status.isLive = sound.track.plan.playlist?.isEnded == false
    fillEnds(&status, sound)
    if sound.isOver {
      status.breaksOff = sound.breaksOff
      status.phase = sound.queue.isEmpty ? .ended : .running
    } else if let trouble = sound.trouble?.text ?? sound.track.plan.trouble(now: now) {
      status.phase = .stalled(trouble)
    } else {
      status.phase = epochs.last == nil ? .opening : .running
    }
    return status
  }

  /// How long it is, or how far behind its live edge.
  private func fillEnds(_ status: inout ProgrammeStatus, _ sound: HLSSound) {
    guard let playlist = sound.track.plan.playlist, let place = epochs.place else { return }
    let ahead = (sound.track.plan.origin + playlist.duration - place.fromOrigin).inSeconds * 48_000
    if playlist.isEnded {
      status.length = sound.isOver ? sound.queue.end : place.frame + Int(ahead.rounded())
    } else {
      let age = min(now - (sound.track.plan.lastChange ?? now), playlist.targetDuration * 3 / 2)
      status.behindLive = max(0, place.frame + Int(ahead + age.inSeconds * 48_000) - sound.queue.end)
      if let leftOut = epochs.leftOut { (status.leftOutAt, status.leftOut) = (leftOut.frame, leftOut.frames) }
    }
  }
}
