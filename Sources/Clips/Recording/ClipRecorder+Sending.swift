internal import Hardware
internal import Media
internal import Recording

extension ClipRecorder {
  /// Whether what an open clip begins with is known, and its media goes down the pipe, until its end.
  func work(on clip: OpenClip, now: Instant) {
    if let cut = planner[clip.number] { clip.cut = cut }
    if case .waiting = clip.stage {
      // A clip that begins where another ends waits until it is known where that is.
      if let before = clip.cut.continues, clips.contains(where: { $0.number == before && $0.end == nil && !$0.isOver })
      {
        return
      }
      clip.begin(now: now, clock: clock)
    }
    if case .running = clip.stage {
      do throws(MediaError) {
        try send(clip, now: now)
      } catch {
        clip.stage = .refused(code: "internal", text: "the sound encoder failed: \(error)")
      }
    }
    switch clip.stage {
    case .done:
      if clip.cut.isSpool { return }
      status.clips += 1
      report(.saving(clip: clip.number))
    case .refused(let code, let text):
      if clip.cut.isSpool { return pauseSpool(at: now) }
      planner.drop(clip.number)
      report(.failed(clip: clip.number, code: code, text: text))
    case .waiting, .running: break
    }
  }

  /// Sends what there is, picture and sound in turns, and the end.
  private func send(_ clip: OpenClip, now: Instant) throws(MediaError) {
    var isMoving = true
    while isMoving {
      isMoving = false
      let heard = Double(clip.soundCursor - clip.firstFrame) / Double(max(1, clip.run.rate))
      pictures: while (clip.lastTime.map { clip.position(of: $0) } ?? -1) < heard + Self.turnSeconds
        || clip.encoder == nil
      {
        switch clip.sendPicture(now: now, clock: clock, splitAt: split(of: clip), slice: slice) {
        case .sent: isMoving = true
        case .none: break pictures
        case .split(let time) where clip.cut.isSpool:
          splitSpool(clip, at: time)
          isMoving = true
        case .split(let time):
          if let cut = planner.split(clip.number, at: time) {
            clips.append(OpenClip(cut, bitrateKbps: settings.soundBitrateKbps, world: world))
            // Nobody has asked for it, and everybody has to know of it.
            let trigger = Trigger(number: 0, time: time, cause: .continuous)
            report(.triggered(trigger, .started(clip: cut.number, continues: clip.number)))
          }
          if let cut = planner[clip.number] { clip.cut = cut }
          isMoving = true
        }
      }
      clip.endWithoutPicture(now: now, clock: clock)
      let seen = clip.end == nil ? clip.lastTime.map { clip.position(of: $0) } ?? 0 : .infinity
      while Double(clip.soundCursor - clip.firstFrame) / Double(max(1, clip.run.rate)) < seen + Self.turnSeconds {
        guard try clip.sendSound(now: now, clock: clock, slice: slice) else { break }
        isMoving = true
      }
      // Without pictures sound sets the pace.
      if !isMoving, clip.end == nil { isMoving = try clip.sendSound(now: now, clock: clock, slice: slice) }
    }
    if let end = clip.end, planner[clip.number] != nil { planner.close(clip.number, at: end) }
    if clip.end != nil {
      _ = try clip.sendSound(now: now, clock: clock, slice: slice)
      _ = try clip.sendEnd(
        now: now, reason: clip.cut.isSplitAway ? .split : clip.cut.isCutShort ? .user : .postRoll)
    }
  }
}
