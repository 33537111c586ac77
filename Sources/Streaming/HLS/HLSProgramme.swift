public import Hardware
internal import Media

/// A stream by HTTP Live Streaming (RFC 8216): VOD, EVENT and live.
///
/// It is one lane's, and never blocks it: transfers run on the network's own thread, and a call of `step` decodes at
/// most half a second of sound. Memory: `HLSOptions.segments` segments, `decodedFrames` of sound, one playlist's text.
public final class HLSProgramme: Programme {
  private let url: String
  private let network: any Network
  private var options: HLSOptions
  private let limits: HLSLimits
  private let wake: @Sendable () -> Void
  private let epochs = EpochMap()

  private var opening: (any HTTPTransfer)?
  private var openingRetry: Backoff
  private var retryAt: Instant?
  private var openingTrouble: String?
  private var failure: String?

  private var master: MasterPlaylist?
  private var choice: VariantChoice?
  private var meter = BandwidthMeter()
  private var sound: HLSSound?
  private var pictures: HLSPictures?
  private var subtitles: HLSSubtitles?
  private var renditions: [HLSRendition] = []
  private var now = Instant.zero
  private var pendingSeek: Int?

  /// Frames decoded in a call at most.
  private static let work = 24_000

  /// - Parameters:
  ///   - url: of a multivariant or media playlist, `http://` or `https://`.
  ///   - wake: called from the network's thread when there is something to do; must not block.
  public init(
    url: String, network: any Network, options: HLSOptions = HLSOptions(), wake: @escaping @Sendable () -> Void
  ) {
    self.url = url
    self.network = network
    self.options = options
    self.wake = wake
    limits = HLSLimits(segmentBytes: options.segmentBytes)
    openingRetry = Backoff(seed: options.seed)
    if !URLReference.isFetchable(url) {
      failure = "\(HLSTrack.name(url)) is no address that begins with http:// or https://"
    }
  }

  /// The variant with the least bits, or the best that the way allows.
  public var isLowPower: Bool {
    get { options.isLowPower }
    set { options.isLowPower = newValue }
  }

  /// Bytes held: segments, decoded sound, pictures, playlists, subtitles.
  public var heldBytes: Int {
    (sound?.heldBytes ?? 0) + (pictures?.heldBytes ?? 0) + (subtitles?.heldBytes ?? 0)
      + renditions.reduce(0) { $0 + $1.heldBytes }
  }

  /// What went wrong last without stopping anything: a segment that was left out, a rendition. For people.
  public var problem: String? { sound?.problem ?? sound?.track.problem ?? subtitles?.problem ?? pictures?.problem }

  /// Packets of the sound that could not be decoded.
  public var damagedPackets: Int { sound?.damagedPackets ?? 0 }

  /// Wall clock (EXT-X-PROGRAM-DATE-TIME) of a frame of the timeline, by the segment that is being decoded; `nil` if the
  /// stream does not say it.
  public func date(ofFrame frame: Int) -> WallTime? {
    guard let place = epochs.place, let date = place.date else { return nil }
    let offset = Int64(frame - place.frame) * 62_500 / 3
    return WallTime(nanosecondsSince1970: date.nanosecondsSince1970 &+ offset)
  }

  public func step(now: Instant) -> Instant? {
    self.now = now
    guard failure == nil else { return nil }
    guard let sound else { return open(now) }
    var wakes: [Instant?] = []
    chooseVariant(now)
    wakes.append(
      sound.step(now: now, most: options.decodedFrames, segments: options.segments, work: Self.work))
    if let failure = sound.track.failure {
      self.failure = failure
      return nil
    }
    if let frame = pendingSeek { seek(to: frame) }
    wakes.append(pictures?.step(now: now, segments: 1, frame: sound.queue.taken))
    wakes.append(subtitles?.step(now: now, frame: sound.queue.end))
    return wakes.compactMap { $0 }.min()
  }

  public func nextSound() -> SoundBlock? { sound?.nextSound() }
  public func nextCue() -> SubtitleCue? { subtitles?.next() }
  public func nextPicture() -> ProgrammePicture? { pictures?.next() ?? sound?.nextPicture() }

  public func close() {
    opening?.cancel()
    opening = nil
    sound?.track.close()
    pictures?.track.close()
    subtitles?.close()
    for rendition in renditions { rendition.close() }
    failure = failure ?? "closed"
  }

  public var status: ProgrammeStatus {
    var status = ProgrammeStatus()
    status.measuredBandwidth = meter.estimate ?? 0
    status.variantBandwidth = choice?.current.bandwidth ?? 0
    status.soundLanguages = languages(.audio)
    status.subtitleLanguages = languages(.subtitles)
    guard failure == nil, let sound else {
      status.phase = failure.map { .failed($0) } ?? openingTrouble.map { .stalled($0) } ?? .opening
      return status
    }
    let playlist = sound.track.plan.playlist
    status.decodedFrames = sound.queue.frames
    status.segments = sound.held
    status.isLive = playlist?.isEnded == false
    if let playlist, let place = epochs.place {
      // Times of a sliding window begin anew with every load.
      let time = sound.track.segment(numbered: place.sequence)?.time ?? place.time
      let ahead = (playlist.duration - time).inSeconds * 48_000
      if playlist.isEnded {
        status.length = sound.isOver ? sound.queue.end : place.frame + Int(ahead.rounded())
      } else {
        let age = min(now - (sound.track.plan.lastChange ?? now), playlist.targetDuration * 3 / 2)
        status.behindLive = max(0, place.frame + Int(ahead + age.inSeconds * 48_000) - sound.queue.end)
      }
    }
    if sound.isOver {
      status.phase = sound.queue.isEmpty ? .ended : .running
    } else if let trouble = sound.track.plan.trouble(now: now) {
      status.phase = .stalled(trouble)
    } else {
      status.phase = epochs.last == nil ? .opening : .running
    }
    return status
  }

  private func languages(_ kind: MasterPlaylist.Rendition.Kind) -> [String] {
    var found: [String] = []
    for rendition in master?.renditions ?? [] where rendition.kind == kind && !rendition.language.isEmpty {
      if !found.contains(rendition.language) { found.append(rendition.language) }
    }
    return found
  }
}

// MARK: - Opening

extension HLSProgramme {
  private func open(_ now: Instant) -> Instant? {
    if let fetch = opening {
      switch fetch.progress {
      case .running: return fetch.nextChange
      case .failed(let error):
        opening = nil
        guard let time = openingRetry.ended(.failed(error), at: now) else {
          failure = "\(error)"
          return nil
        }
        retryAt = time
        if openingRetry.failures > 1 { openingTrouble = "\(error)" }
      case .finished(let response):
        opening = nil
        openingTrouble = nil
        do throws(PlaylistError) {
          try opened(Playlist(response.body, url: response.url, limits: limits.playlist), now)
        } catch {
          failure = "\(error)"
          return nil
        }
        return step(now: now)
      }
    }
    if let retryAt, retryAt > now { return retryAt }
    opening = network.fetch(
      HTTPRequest(url: url, largest: limits.playlist.bytes, timeout: .seconds(15)), wake: wake)
    return opening?.nextChange
  }

  private func opened(_ playlist: Playlist, _ now: Instant) throws(PlaylistError) {
    switch playlist {
    case .media(let media): begin(track(media.url, playlist: media, now: now), leadsPictures: options.pictures)
    case .master(let master):
      self.master = master
      guard
        let choice = VariantChoice(
          master.variants, wantsPictures: options.pictures, mostLines: options.mostLines,
          isLowPower: options.isLowPower, bandwidth: meter.estimate)
      else { throw PlaylistError(.malformed, subject: master.url, line: 0, reason: "no variant in it") }
      self.choice = choice
      let address = soundAddress(of: choice.current)
      let hasOwnSound = address != choice.current.url
      begin(track(address, now: now), leadsPictures: options.pictures && !hasOwnSound)
      if options.pictures, hasOwnSound {
        pictures = try? HLSPictures(
          track: track(choice.current.url, now: now), epochs: epochs, bytes: options.segments << 22)
      }
      beginSubtitles(now)
    }
  }

  private func begin(_ track: HLSTrack, leadsPictures: Bool) {
    track.measured = { [weak self] bytes, duration in self?.meter.add(bytes: bytes, over: duration) }
    do throws(MediaError) {
      sound = try HLSSound(
        track: track, epochs: epochs, wantsPictures: leadsPictures, pictureBytes: options.segments << 22)
    } catch {
      failure = "\(error)"
    }
  }

  private func track(
    _ url: String, playlist: MediaPlaylist? = nil, start: LoaderPlan.Start = .natural, now: Instant
  ) -> HLSTrack {
    HLSTrack(
      url: url, playlist: playlist, start: start, variables: master?.variables ?? PlaylistVariables(),
      network: network, limits: limits, seed: options.seed, now: now, wake: wake)
  }

  /// Where a variant's sound is: in a playlist of its own if its group has a default one, else in the variant.
  private func soundAddress(of variant: MasterPlaylist.Variant) -> String {
    let group = audioRenditions(of: variant)
    return (group.first(where: \.isDefault) ?? group.first)?.url ?? variant.url
  }

  private func audioRenditions(of variant: MasterPlaylist.Variant) -> [MasterPlaylist.Rendition] {
    guard let group = variant.audioGroup, let master else { return [] }
    return master.renditions.filter { $0.kind == .audio && $0.group == group }
  }

  private func chooseVariant(_ now: Instant) {
    guard var choice, let sound else { return }
    defer { self.choice = choice }
    if sound.track.takeFailedChange() != nil || pictures?.track.takeFailedChange() != nil {
      choice.avoid(choice.current, now: now)
    }
    let wanted = choice.wanted(bandwidth: meter.estimate, isLowPower: options.isLowPower, now: now)
    guard wanted.url != choice.current.url else { return }
    choice.take(wanted, now: now)
    sound.track.change(to: soundAddress(of: wanted))
    pictures?.track.change(to: wanted.url)
  }
}

// MARK: - Languages

extension HLSProgramme {
  /// The sound in another language, placed on this programme's timeline; the same object for the same language.
  ///
  /// It is stepped like a programme of its own, from the same lane; `seek` is this one's.
  public func rendition(language: String) -> (any Programme)? {
    guard let choice, let sound, failure == nil else { return nil }
    let found = audioRenditions(of: choice.current).first {
      LanguageTag.matches(language, $0.language) && $0.url != nil && $0.url != sound.track.url
    }
    guard let found, let url = found.url else { return nil }
    if let known = renditions.first(where: { $0.language == found.language }) {
      if case .failed = known.status.phase { renditions.removeAll { $0 === known } } else { return known }
    }
    let new = HLSRendition(
      language: found.language, track: track(url, start: hereOrStart, now: now), epochs: epochs, options: options)
    renditions.append(new)
    return new
  }

  /// Subtitles in another language from now on.
  ///
  /// - Returns: false if there are none.
  public func selectSubtitles(language: String) -> Bool {
    options.subtitleLanguages = [language]
    if let subtitles, LanguageTag.matches(language, subtitles.language) { return true }
    guard subtitleRenditions.contains(where: { LanguageTag.matches(language, $0.language) }) else { return false }
    subtitles?.close()
    beginSubtitles(now)
    return true
  }

  private var subtitleRenditions: [MasterPlaylist.Rendition] {
    guard let group = choice?.current.subtitleGroup, let master else { return [] }
    return master.renditions.filter { $0.kind == .subtitles && $0.group == group && !$0.isForced }
  }

  private func beginSubtitles(_ now: Instant) {
    let offered = subtitleRenditions
    let wanted = options.subtitleLanguages.lazy.compactMap { language in
      offered.first { LanguageTag.matches(language, $0.language) }
    }
    guard let found = wanted.first ?? offered.first(where: \.isDefault) ?? offered.first, let url = found.url else {
      return
    }
    subtitles = HLSSubtitles(
      language: found.language, track: track(url, start: hereOrStart, now: now), epochs: epochs)
  }

  /// Beside what the sound is at.
  private var hereOrStart: LoaderPlan.Start {
    guard let place = epochs.place, let sound else { return .natural }
    // What is heard lies before what is decoded.
    let time = nominalTime(ofFrame: sound.queue.taken) ?? place.time
    return .beside(sequence: place.sequence, time: time, date: place.date)
  }
}

// MARK: - Seeking

extension HLSProgramme {
  /// Goes to a frame: exactly, where the timeline is known by its time stamps, else by the lengths in the playlist.
  public func seek(to frame: Int) {
    guard let sound, sound.track.plan.playlist != nil, epochs.place != nil else {
      pendingSeek = frame
      return
    }
    pendingSeek = nil
    guard let playlist = sound.track.plan.playlist, let wanted = nominalTime(ofFrame: frame) else { return }
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
}
