internal import Hardware

/// What is highlighted on a screen: what it is, how it stands, and where in its list.
struct SpokenItem: Hashable, Sendable {
  var name: Translated
  var value: Translated?
  var place: Translated?

  init(_ name: Translated, _ value: Translated? = nil, place: Translated? = nil) {
    self.name = name
    self.value = value
    self.place = place
  }

  init(_ name: any Wording, _ advice: any Wording) { self.init(name.words, advice.words) }

  /// All of it.
  var words: Translated { .joined([name, value ?? Translated(""), place ?? Translated("")], ", ") }
}

/// The screen that is shown, in words: what it is called, and what is highlighted on it. Every screen has a title.
struct SpokenScreen {
  private let state: State
  private let figures: PromptFigures

  init(_ state: State, _ figures: PromptFigures) {
    self.state = state
    self.figures = figures
  }

  var title: Translated {
    if state.isLocked, state.lock.pin.digits != nil {
      return state.lock.pin.wasWrong ? .joined([Phrase.pinWrong.words, Phrase.pin.words]) : Phrase.pin.words
    }
    switch state.screen {
    case .main: return main
    case .files: return files
    case .marks: return Phrase.marks.words
    case .options: return state.options.group?.title.words ?? Phrase.options.words
    case .schedules: return Phrase.schedules.words
    case .schedule: return Phrase.schedule.words
    case .clock: return Phrase.dateAndTime.words
    case .guide: return Phrase.guide.words
    case .receipt: return PromptWords.receipt.words
    case .library: return SpokenBrowser(state, figures).title
    }
  }

  /// `nil` where nothing is highlighted.
  var item: SpokenItem? {
    if state.isLocked, let digits = state.lock.pin.digits {
      return SpokenItem(Translated(String(digits.last ?? 0)), place: PromptWords.digit(digits.count).words)
    }
    switch state.screen {
    case .main: return mainItem
    case .files: return fileItem
    case .marks: return markItem
    case .options:
      let row = state.options.row
      return SpokenItem(row.title.words, state.words(of: row))
    case .schedules: return scheduleItem
    case .schedule: return draftItem
    case .clock:
      guard let draft = state.shown.clock else { return nil }
      if draft.isWaiting { return SpokenItem(Phrase.clockWait.words) }
      return SpokenItem(draft.field.words, Translated(draft.text(of: draft.field)))
    case .guide:
      let lines = state.keyGuide
      guard lines.indices.contains(state.shown.guideLine) else { return nil }
      let line = lines[state.shown.guideLine]
      return SpokenItem(
        Translated(line.gesture(in: .english), line.gesture(in: .russian)), line.words)
    case .receipt: return state.files.selection.map { SpokenItem(.takeName($0.displayName), .spoken($0.seconds)) }
    case .library: return SpokenBrowser(state, figures).item
    }
  }

  // MARK: Main screens

  private var main: Translated {
    switch state.mode {
    case .dictaphone: dictaphone
    case .clips: clips
    case .dub: dub
    case .feed: feed
    }
  }

  private var loaded: String { state.loaded?.displayName ?? "" }

  /// Why nothing can be kept now.
  private var trouble: Translated? {
    state.health.storageTrouble(in: state.mode).map { advised($0.phrase, $0.advice(in: state.mode)) }
  }

  private var dictaphone: Translated {
    if state.activity == .idle, let trouble { return trouble }
    return switch state.activity {
    case .idle where state.health.isMicrophoneOpening: PromptWords.mode(.dictaphone).words
    case .idle where !state.health.hasMicrophone: advised(.noMicrophone, .noMicrophoneAdvice)
    case .idle: PromptWords.ready.words
    case .recording: PromptWords.recording.words
    case .paused: PromptWords.recordingPaused(figures.takeSeconds).words
    case .saving: Phrase.saving.words
    case .playing: PromptWords.playing(loaded).words
    case .playbackPaused: PromptWords.playbackPaused(loaded, at: figures.positionSeconds).words
    }
  }

  private var clips: Translated {
    if state.activity == .idle, state.clips.activity == .buffering, let trouble { return trouble }
    return switch (state.activity, state.clips.activity) {
    case (.playing, _): PromptWords.playing(loaded).words
    case (.playbackPaused, _): PromptWords.playbackPaused(loaded, at: figures.positionSeconds).words
    case (_, .capturing): PromptWords.capturing.words
    case (_, .saving): Phrase.saving.words
    case (_, .buffering) where state.health.isCameraOpening: Phrase.opening.words
    case (_, .buffering) where !state.health.hasCamera: advised(.noCamera, .noCameraAdvice)
    case (_, .buffering): PromptWords.clipsReady.words
    }
  }

  private var dub: Translated {
    let name = Translated.takeName(state.dub.current?.name ?? "")
    switch state.dub.activity {
    case .idle: return PromptWords.sources.words
    case .buffering: return .joined([PromptWords.buffering.words, name], " ")
    case .playing:
      return state.dub.isPaused
        ? .joined([Phrase.dubPaused.words, name], " ") : PromptWords.playing(state.dub.current?.name ?? "").words
    }
  }

  private var feed: Translated {
    let name = Translated.takeName(state.feed.item?.title ?? "")
    switch state.feed.activity {
    case .idle: return .joined([Phrase.feed.words, name], ", ")
    case .loading: return Phrase.feedLoading.words
    case .empty: return advised(.feedEmpty, .feedEmptyAdvice)
    case .failed: return .joined([Phrase.feedFailed.words, name], " ")
    case .buffering: return .joined([PromptWords.buffering.words, name], " ")
    case .playing:
      return state.feed.isPaused
        ? .joined([Phrase.dubPaused.words, name], " ") : PromptWords.playing(state.feed.item?.title ?? "").words
    }
  }

  private func advised(_ what: Phrase, _ advice: Phrase) -> Translated { .joined([what.words, advice.words]) }

  private var mainItem: SpokenItem? {
    switch (state.mode, state.dub.activity) {
    case (.feed, _): return feedItem
    case (.dictaphone, _):
      guard state.isArmed, let left = figures.timeLeftSeconds else { return nil }
      return SpokenItem(PromptWords.left(left).words)
    case (.clips, _): return nil
    case (.dub, .idle):
      let sources = state.dub.sources
      guard let source = sources.selection else { return SpokenItem(Phrase.noSources, Phrase.noSourcesAdvice) }
      return SpokenItem(.takeName(source.name), place: place(sources.selected, of: sources.all.count))
    case (.dub, _): return SpokenItem(state.dub.isOn ? PromptWords.mode(.dub).words : Phrase.original.words)
    }
  }

  /// Why it cannot be played, or that it is not heard.
  private var feedItem: SpokenItem? {
    if state.feed.activity == .failed, let fault = state.feed.fault {
      return SpokenItem(Sentence.told(code: fault.code, fault.text).words, Phrase.hintRetry.words)
    }
    return state.feed.isMuted && state.feed.isBusy ? SpokenItem(Phrase.muted, Phrase.hintUnmute) : nil
  }

  // MARK: Lists

  private var files: Translated {
    if state.files.isConfirmingDelete, let file = state.files.selection {
      if let marked = state.files.browser.marked {
        return .joined([
          Phrase.deleteMany.words, PromptWords.markedTakes(marked.count).words, Phrase.deleteYes.words,
          Phrase.deleteNo.words,
        ])
      }
      let question: Phrase = state.mode == .clips ? .deleteClip : .deleteQuestion
      return .joined([
        question.words, .takeName(file.displayName), .spoken(file.seconds), Phrase.deleteYes.words,
        Phrase.deleteNo.words,
      ])
    }
    if state.mode == .clips { return Phrase.clips.words }
    let view = state.files.browser.view
    return .joined(
      [
        Phrase.takes.words, Translated(view.query), Translated(view.tag ?? ""),
        view.favouritesOnly ? Phrase.favourites.words : Translated(""),
      ], ", ")
  }

  private var fileItem: SpokenItem? {
    let list = state.files
    guard !list.isConfirmingDelete else { return nil }
    guard list.count > 0 else {
      if state.mode == .clips { return SpokenItem(Phrase.noClips, Phrase.noClipsAdvice) }
      return list.browser.view.showsAll
        ? SpokenItem(Phrase.noTakes, Phrase.noTakesAdvice) : SpokenItem(Phrase.nothingFound, Phrase.nothingFoundAdvice)
    }
    let place = place(list.selected, of: list.count)
    guard let file = list.selection else { return SpokenItem(place) }
    let isMarked = list.browser.marked?.contains(file.id) == true
    let flags = [
      isMarked ? PromptWords.marked : nil, file.isFavourite ? PromptWords.favourite : nil,
      file.isProtected ? .protected : nil,
    ]
    return SpokenItem(
      .takeName(file.displayName), .joined([.spoken(file.seconds)] + flags.compactMap { $0?.words }, ", "),
      place: place)
  }

  private var markItem: SpokenItem? {
    let list = state.dictaphone.loadedMarks ?? MarkList()
    guard let mark = list.selection else { return SpokenItem(Phrase.noMarks, Phrase.noMarksAdvice) }
    let rate = Double(max(1, state.loaded?.sampleRate ?? 1))
    return SpokenItem(
      PromptWords.mark(number: list.selected &+ 1, title: mark.title).words, .spoken(Double(mark.frame) / rate))
  }

  private var scheduleItem: SpokenItem? {
    let rows = ScheduleMenu.rows(state.settings)
    switch rows[state.shown.schedules.selected(of: rows)] {
    case .schedule(let schedule): return SpokenItem(schedule.words, (schedule.isOn ? Phrase.on : .off).words)
    case .add: return SpokenItem(Phrase.addSchedule.words)
    case .clock: return SpokenItem(Phrase.zoneAndPlace.words, Translated(state.settings.zone))
    }
  }

  private var draftItem: SpokenItem? {
    guard let draft = state.shown.schedules.draft, draft.texts.indices.contains(draft.selected) else { return nil }
    let row = draft.texts[draft.selected]
    return SpokenItem(row.title, row.value)
  }

  private func place(_ index: Int, of count: Int) -> Translated { PromptWords.place(index &+ 1, of: count).words }
}
