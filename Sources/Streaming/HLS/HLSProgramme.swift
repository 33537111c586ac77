public import Hardware
internal import Media

/// A stream by HTTP Live Streaming (RFC 8216): VOD, EVENT and live.
///
/// It is one lane's, and never blocks it: transfers run on the network's own thread, and a call of `step` decodes no
/// more than some 100 ms of sound. Memory: `HLSOptions.segments` segments, `decodedFrames` of sound, one playlist's text.
public final class HLSProgramme: Programme {
  let url: String
  let network: any Network
  var options: HLSOptions
  let limits: HLSLimits
  let wake: @Sendable () -> Void
  let epochs = EpochMap()

  var opening: (any HTTPTransfer)?
  var openingRetry: Backoff
  var retryAt: Instant?
  var openingTrouble: String?
  var failure: String?

  var master: MasterPlaylist?
  var choice: VariantChoice?
  var meter = BandwidthMeter()
  var sound: HLSSound?
  var pictures: HLSPictures?
  var subtitles: HLSSubtitles?
  var renditions: [HLSRendition] = []
  var now = Instant.zero
  var pendingSeek: Int?

  /// Frames decoded in a call at most.
  private static let work = 4_096

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

  /// The variant with the least bits, or the best that the way allows; from the next segment on.
  public func setLowPower(_ isLow: Bool) { options.isLowPower = isLow }

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
