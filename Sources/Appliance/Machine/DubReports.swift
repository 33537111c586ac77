import Hardware

// Dubbed playback: what the player reports, and which of its settings it must be told of.
extension Turn {
  mutating func take(_ sources: [DubSource]) {
    let chosen = state.dub.isBusy ? state.dub.current?.id : state.dub.selection?.id
    state.dub.sources = Array(sources.prefix(DubState.mostSources))
    let place = chosen.flatMap { id in state.dub.sources.firstIndex { $0.id == id } }
    state.dub.selected = place ?? min(state.dub.selected, max(0, state.dub.sources.count - 1))
  }

  mutating func take(_ report: DubReport, run: Int) {
    guard run == state.dub.run, state.dub.isBusy else { return }
    switch report {
    case .buffering(let reason):
      state.dub.activity = .buffering
      state.dub.reason = reason
    case .playing:
      if state.dub.activity == .buffering { state.dub.reason = "" }
      state.dub.activity = .playing
    case .rung(let rung, let reason):
      guard state.dub.isOn || rung == .original else { return }
      state.dub.rung = rung
      state.dub.reason = reason
    case .languages(let languages): offer(languages)
    case .linkLost(let text): linkLost(text)
    case .linkRestored: linkRestored()
    case .ended:
      endDub()
      orderDub(.stop)
    case .failed(let code, let text):
      endDub()
      orderDub(.stop)
      fail(code, text, device: code == "device-lost" ? .speaker : nil)
    }
  }

  private mutating func offer(_ languages: [String]) {
    var offered: [String] = []
    for language in languages where !language.isEmpty && !offered.contains(language) {
      if offered.count < DubState.mostLanguages { offered.append(language) }
    }
    state.dub.languages = offered
    state.dub.languageRow = min(state.dub.languageRow, state.dub.offeredLanguages.count)
  }

  private mutating func linkLost(_ text: String) {
    guard !state.dub.isLinkLost else { return }
    state.dub.isLinkLost = true
    let what = text.isEmpty ? "" : " \(text)"
    raise(.warning, Self.linkLostCode, "Link lost.\(what) It is tried again by itself.", for: .seconds(4))
  }

  private mutating func linkRestored() {
    guard state.dub.isLinkLost else { return }
    state.dub.isLinkLost = false
    dismissLinkNotice()
    raise(.information, "link-restored", "The link is back.", for: .seconds(2))
  }

  private static let linkLostCode = "link-lost"

  mutating func dismissLinkNotice() { dismissNotice(code: Self.linkLostCode) }

  /// Tells the player of settings that count for what is playing.
  mutating func followDubSettings(since before: Settings) {
    guard state.mode == .dub, state.dub.isBusy else { return }
    let now = state.settings
    if now.dubLanguage != before.dubLanguage {
      // What was heard was of the other language.
      state.dub.rung = .original
      state.dub.reason = ""
      orderDub(.language(now.dubLanguage))
    }
    if now.dubOriginalVolume != before.dubOriginalVolume || now.dubVolume != before.dubVolume
      || now.dubMix != before.dubMix
    {
      orderDub(.volume(original: now.dubOriginalVolume, dub: now.dubVolume, now.dubMix))
    }
  }
}
