internal import Hardware
internal import Media

// The way in: the first playlist, and which of its variants is played.
extension HLSProgramme {
  func open(_ now: Instant) -> Instant? {
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
          track: track(choice.current.url, now: now), epochs: epochs, bytes: options.pictureBytes)
      }
      beginSubtitles(now, at: 0)
    }
  }

  private func begin(_ track: HLSTrack, leadsPictures: Bool) {
    track.measured = { [weak self] bytes, duration in self?.meter.add(bytes: bytes, over: duration) }
    do throws(MediaError) {
      sound = try HLSSound(
        track: track, epochs: epochs, wantsPictures: leadsPictures, pictureBytes: options.pictureBytes)
    } catch {
      failure = "\(error)"
    }
  }

  func track(
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

  func audioRenditions(of variant: MasterPlaylist.Variant) -> [MasterPlaylist.Rendition] {
    guard let group = variant.audioGroup, let master else { return [] }
    return master.renditions.filter { $0.kind == .audio && $0.group == group }
  }

  func chooseVariant(_ now: Instant) {
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
