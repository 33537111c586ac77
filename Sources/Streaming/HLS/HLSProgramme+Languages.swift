internal import Hardware

// Languages of sound and subtitles, and going elsewhere.
extension HLSProgramme {
  /// The sound in another language, placed on this programme's timeline; the same object for the same language.
  ///
  /// - Parameter frame: where it is to begin: what is heard now.
  public func rendition(language: String, from frame: Int) -> (any Programme)? {
    guard let choice, let sound, failure == nil else { return nil }
    let found = audioRenditions(of: choice.current).first {
      LanguageTag.matches(language, $0.language) && $0.url != nil && $0.url != sound.track.url
    }
    guard let found, let url = found.url else { return nil }
    renditions.removeAll { if case .failed = $0.status.phase { true } else { false } }
    if let known = renditions.first(where: { $0.language == found.language }) { return known }
    let new = HLSRendition(
      language: found.language, track: track(url, start: start(at: frame), now: now), epochs: epochs, options: options)
    renditions.append(new)
    return new
  }

  /// Subtitles in another language, from `frame` on.
  ///
  /// - Returns: false if there are none.
  public func selectSubtitles(language: String, from frame: Int) -> Bool {
    options.subtitleLanguages = [language]
    if let subtitles, LanguageTag.matches(language, subtitles.language) { return true }
    guard subtitleRenditions.contains(where: { LanguageTag.matches(language, $0.language) }) else { return false }
    subtitles?.close()
    beginSubtitles(now, at: frame)
    return true
  }

  private var subtitleRenditions: [MasterPlaylist.Rendition] {
    guard let group = choice?.current.subtitleGroup, let master else { return [] }
    return master.renditions.filter { $0.kind == .subtitles && $0.group == group && !$0.isForced }
  }

  func beginSubtitles(_ now: Instant, at frame: Int) {
    let offered = subtitleRenditions
    let wanted = options.subtitleLanguages.lazy.compactMap { language in
      offered.first { LanguageTag.matches(language, $0.language) }
    }
    guard let found = wanted.first ?? offered.first(where: \.isDefault) ?? offered.first, let url = found.url else {
      return
    }
    subtitles = HLSSubtitles(
      language: found.language, track: track(url, start: start(at: frame), now: now), epochs: epochs)
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
}

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
