import Hardware

// Dubbed playback. What is heard, and from which rung of the ladder, is the player's to find out; what is wanted is
// decided here. It never touches a take: while one is open there is no way into this mode.
extension Turn {
  /// Plays the highlighted source.
  mutating func startSelectedDub() {
    guard let source = state.dub.selection else {
      refuse(.nothingLoaded)
      return
    }
    startDub(source)
  }

  mutating func startDub(_ source: DubSource) {
    guard state.mode == .dub else {
      refuseMeaningless()
      return
    }
    guard state.health.hasSpeaker else {
      refuse(.deviceMissing(.speaker))
      return
    }
    guard source.kind != .stream || state.dub.hasNetwork else {
      refuse(.deviceMissing(.network))
      return
    }
    endScrub()
    let isOn = state.dub.isOn
    state.dub.run &+= 1
    state.dub.current = source
    state.dub.activity = .buffering
    state.dub.isPaused = false
    state.dub.rung = .original
    state.dub.reason = ""
    state.dub.isLinkLost = false
    state.dub.languages = []
    state.dub.languageRow = 0
    if let place = state.dub.sources.firstIndex(where: { $0.id == source.id }) { state.dub.selected = place }
    dismissLinkNotice()
    show(.main)
    orderDub(.start(source, language: state.settings.dubLanguage, isOn: isOn, run: state.dub.run))
  }

  mutating func stopDub() {
    guard state.dub.isBusy else {
      refuseMeaningless()
      return
    }
    endDub()
    orderDub(.stop)
  }

  /// Nothing plays any more, for whatever reason.
  mutating func endDub() {
    endScrub()
    state.dub.run &+= 1
    state.dub.activity = .idle
    state.dub.isPaused = false
    state.dub.rung = .original
    state.dub.reason = ""
    state.dub.isLinkLost = false
    state.dub.languages = []
    state.dub.languageRow = 0
    state.dub.current = nil
    if state.screen == .languages { show(.main) }
    dismissLinkNotice()
  }

  mutating func pauseDub() {
    guard state.dub.isBusy, !state.dub.isPaused else {
      refuseMeaningless()
      return
    }
    endScrub()
    state.dub.isPaused = true
    orderDub(.pause)
  }

  mutating func resumeDub() {
    guard state.dub.isBusy, state.dub.isPaused else {
      refuseMeaningless()
      return
    }
    guard state.health.hasSpeaker else {
      refuse(.deviceMissing(.speaker))
      return
    }
    state.dub.isPaused = false
    orderDub(.resume)
  }

  /// UP and DOWN while something plays: what stands before or after it in the list.
  mutating func startNeighbour(_ step: Int) {
    guard let place = Self.moved(state.dub.selected, by: step, count: state.dub.sources.count) else {
      refuse(.atLimit)
      return
    }
    startDub(state.dub.sources[place])
  }

  mutating func moveDubSelection(by step: Int) {
    guard let place = Self.moved(state.dub.selected, by: step, count: state.dub.sources.count) else {
      refuse(state.dub.sources.isEmpty ? .nothingLoaded : .atLimit)
      return
    }
    state.dub.selected = place
  }

  // MARK: Languages

  /// REC: the next language, and after the last one the original. A dub that is off comes on with the first.
  mutating func nextLanguage() {
    let languages = state.dub.offeredLanguages
    guard state.dub.isOn else {
      if let first = languages.first { choose(first) }
      return
    }
    // A language that this source does not have stands before the first one.
    let place = languages.firstIndex(of: state.settings.dubLanguage).map { $0 + 1 } ?? 0
    if languages.indices.contains(place) { choose(languages[place]) } else { enableDub(false) }
  }

  mutating func openLanguages() {
    show(.languages)
    state.dub.languageRow =
      state.dub.isOn ? (state.dub.offeredLanguages.firstIndex(of: state.settings.dubLanguage) ?? -1) + 1 : 0
  }

  /// CENTRE in the list of languages; its first row is the original.
  mutating func chooseHighlightedLanguage() {
    let languages = state.dub.offeredLanguages
    let row = state.dub.languageRow
    show(.main)
    if languages.indices.contains(row - 1) {
      choose(languages[row - 1])
    } else if state.dub.isOn {
      enableDub(false)
    }
  }

  private mutating func choose(_ language: String) {
    set("dub.language", to: .text(language))
    if !state.dub.isOn { enableDub(true) }
  }

  /// DOWN held while something plays.
  mutating func stepPictureSize() {
    let sizes = DubPicture.allCases
    let place = sizes.firstIndex(of: state.settings.dubPicture) ?? 0
    set("dub.picture", to: .text(sizes[(place + 1) % sizes.count].rawValue))
  }

  mutating func enableDub(_ isOn: Bool) {
    state.dub.isOn = isOn
    if !isOn {
      state.dub.rung = .original
      state.dub.reason = ""
    }
    if state.dub.isBusy { orderDub(.enable(isOn)) }
  }

  // MARK: Orders of the console

  /// Starts what is named, in whatever mode the device is unless a take or a clip is open.
  ///
  /// - Parameter name: an address, the name or id of a source, its place in the list counted from 1; `nil`: the
  ///   highlighted one.
  mutating func startDub(named name: String?, language: String?) {
    if state.mode != .dub { take(.dub) }
    guard state.mode == .dub else { return }
    if let language {
      set("dub.language", to: .text(language))
      guard state.settings.dubLanguage == language else { return }
      if !state.dub.isOn { enableDub(true) }
    }
    guard let name else {
      startSelectedDub()
      return
    }
    guard let source = dubSource(name) else {
      refuse(.nothingLoaded)
      return
    }
    startDub(source)
  }

  private func dubSource(_ name: String) -> DubSource? {
    let sources = state.dub.sources
    // What the settings name counts at once; the list comes when the storage has looked for clips, which may take a while.
    let known = (DubSource.streams(in: state.settings.dubSources) ?? []) + sources
    if let exact = known.first(where: { $0.id == name || $0.name == name }) { return exact }
    let lower = name.lowercased()
    if let similar = known.first(where: { $0.name.lowercased() == lower }) { return similar }
    if let place = Int(name), sources.indices.contains(place &- 1) { return sources[place - 1] }
    if lower.hasPrefix("http://") || lower.hasPrefix("https://") {
      return DubSource(id: name, name: DubSource.shortName(of: name), kind: .stream)
    }
    // A file name that is not in the part of the list that is known here: the player finds it, or says that it cannot.
    guard !name.contains("/"), !name.hasPrefix(".") else { return nil }
    if lower.hasSuffix(".mp4") { return DubSource(id: name, name: name, kind: .clip) }
    if lower.hasSuffix(".m4a") || lower.hasSuffix(".wav") { return DubSource(id: name, name: name, kind: .take) }
    return nil
  }
}
