internal import Hardware

/// What is said of an event: what came of it, then the screen that it led to, then what is highlighted there.
///
/// Pure: states before and after, and what the machine asks for, are all it knows. Whatever changes the screen or what is
/// highlighted on it is told; so is whatever a key did not do.
///
/// A class, for it has two whole states: as a value its code is twice as large, and as one that cannot be copied the
/// compiler takes three minutes for it (Swift 6.2).
public final class Prompter {
  private let before: State
  private let after: State
  private let event: Event
  private let effects: [Effect]
  private let figures: PromptFigures

  private init(_ before: State, _ event: Event, _ effects: [Effect], _ after: State, _ figures: PromptFigures) {
    self.before = before
    self.after = after
    self.event = event
    self.effects = effects
    self.figures = figures
  }

  /// - Parameters:
  ///   - effects: all of the event's.
  ///   - figures: read when something may be to be said.
  /// - Returns: `nil` if there is nothing to be said, or nobody wants to hear it.
  public static func prompt(
    from before: State, _ event: Event, _ effects: [Effect], to after: State, _ figures: () -> PromptFigures
  ) -> Prompt? {
    // That it is switched off is the last thing that is said.
    guard before.settings.hasVoice || after.settings.hasVoice else { return nil }
    guard !effects.isEmpty || before != after else { return nil }
    return Prompter(before, event, effects, after, figures()).prompt
  }

  /// What is said when the voice begins: where one is.
  public static func greeting(_ state: State, _ figures: PromptFigures) -> Prompt {
    let screen = SpokenScreen(state, figures)
    let told = state.notice.map { [$0.sentence.words] } ?? []
    // While nothing may be said, that there is a voice is what is kept for later.
    if PromptGate.isShut(state) {
      let words = told.isEmpty ? [PromptWords.mode(state.mode).words] : told
      return Prompt(spoken(words, state.settings.language), in: state.settings.language, .follows, isGrave: true)
    }
    let words = told + [PromptWords.mode(state.mode).words, screen.title, screen.item?.words ?? Translated("")]
    return Prompt(spoken(words, state.settings.language), in: state.settings.language, .interrupts)
  }

  private var isGesture: Bool { if case .gesture = event { true } else { false } }

  private var isAnswer: Bool {
    switch event {
    case .gesture, .command: true
    default: false
    }
  }

  private var prompt: Prompt? {
    let news = news
    let words = news + place(hasNews: !news.isEmpty)
    guard !words.isEmpty else { return nil }
    let language = after.settings.language
    let text = Self.spoken(words, language)
    guard !text.isEmpty else { return nil }
    let isGrave = newNotice.map { $0.severity != .information } ?? false
    return Prompt(
      text, in: language, isAnswer || isGrave ? .interrupts : isFleeting ? .fleeting : .follows,
      isGrave: isGrave && !isPassing)
  }

  /// What is so only while a take or a clip is open: behind its end it would not be true any more, and what comes then says
  /// how it ended.
  private var isPassing: Bool {
    switch newNotice?.sentence {
    case .stopping, .cameraLost(isCapturing: true): true
    default: false
    }
  }

  private static func spoken(_ words: [Translated], _ language: Language) -> String {
    let parts = words.map { SpokenText.of($0, in: language) }.filter { !$0.isEmpty }
    return parts.map { ".!?".contains($0.last ?? ".") ? $0 : $0 + "." }.joined(separator: " ")
  }

  /// The ring of clips fills and empties by itself.
  private var isFleeting: Bool {
    guard case .clip = event else { return false }
    return !effects.contains { if case .announce(.captureCompleted) = $0 { true } else { false } }
  }

  // MARK: What came of it

  private var newNotice: Notice? {
    guard let notice = after.notice, notice != before.notice else { return nil }
    // Of a clip the announcement says it, and how long it is.
    if case .clipKept = notice.sentence { return nil }
    return notice
  }

  private var news: [Translated] {
    var words = effects.flatMap { said(of: $0) }
    if let notice = newNotice { words.append(notice.sentence.words) }
    if isAnswer, newNotice == nil, let reason = refusal { words.append(excuse(reason)) }
    if after.scrubbing != before.scrubbing, after.scrubbing != 0 {
      words.append(PromptWords.scrub(after.scrubbing).words)
    }
    if hasKept { words.append(PromptWords.kept.words) }
    if case .player(.ended) = event, before.activity == .playing, after.activity == .idle {
      words.append(PromptWords.ended.words)
    }
    return words + typed
  }

  private var refusal: IgnoredReason? {
    for effect in effects { if case .ignored(let reason) = effect { return reason } }
    return nil
  }

  private func excuse(_ reason: IgnoredReason) -> Translated {
    reason == .locked
      ? .joined([Phrase.locked.words, Phrase.unlockAdvice.words]) : after.refusal(reason).words
  }

  private func said(of effect: Effect) -> [Translated] {
    switch effect {
    case .announce(.takeSaved(let take, let reason)) where reason != .split && reason != .recovered:
      let marks = before.dictaphone.recording.take == nil ? 0 : before.dictaphone.recording.marks.count
      return [PromptWords.saved(take.displayName, seconds: take.seconds, marks: marks).words]
    case .announce(.captureCompleted(_, let clip)):
      return [PromptWords.saved(clip.displayName, seconds: clip.seconds, marks: 0).words]
    case .announce(.lock(true)): return [.joined([Phrase.locked.words, Phrase.unlockAdvice.words])]
    case .announce(.lock(false)): return [PromptWords.unlocked.words]
    case .announce(.settingChanged(let key, _)) where isGesture && after.screen == .main: return setting(key)
    case .player(.seek(let seconds)) where after.activity != .playing: return [PromptWords.seek(seconds).words]
    case .player(.skip(let direction, _)): return [PromptWords.skip(direction).words]
    case .player(.stop) where isAnswer && before.activity == .playing && after.activity == .idle:
      return [PromptWords.stopped.words]
    case .player(.go(let frame)):
      let marks = after.dictaphone.loadedMarks?.marks ?? []
      guard let index = marks.firstIndex(where: { $0.frame == frame }) else { return [] }
      return [PromptWords.mark(number: index &+ 1, title: marks[index].title).words]
    case .library(.copy), .library(.export), .library(.exportAll), .library(.work(.export, _)):
      return [PromptWords.copying.words]
    case .library(.work): return [PromptWords.working.words]
    case .library(.cancelCopy), .library(.cancelExport): return [PromptWords.copyStopped.words]
    default: return []
    }
  }

  /// A setting that a key has changed without the options.
  private func setting(_ key: String) -> [Translated] {
    if key == "recording.gainDb" {
      let gain = OptionValue.decibels(after.settings.inputGain).words
      return [.joined([Phrase.gain.words, gain], " ")]
    }
    guard let row = after.mode.optionsRows.first(where: { $0.key == key }) else { return [] }
    return [.joined([row.title.words, after.words(of: row)], " ")]
  }

  /// The question whether to delete has been answered with no.
  private var hasKept: Bool {
    before.files.isConfirmingDelete && !after.files.isConfirmingDelete && isGesture
      && !effects.contains {
        switch $0 {
        case .library(.delete), .library(.deleteClip): true
        default: false
        }
      }
  }

  /// What was typed, and how many takes a search finds.
  private var typed: [Translated] {
    let (old, new) = (before.files.browser, after.files.browser)
    guard after.screen == .library, before.screen == .library, new.page == old.page else { return [] }
    guard new.page == .search || new.page == .name else { return [] }
    var words: [Translated] = []
    let isOther = new.view.query != old.view.query || new.typed != old.typed
    if isOther { words.append(SpokenBrowser(after, figures).typed) }
    if new.page == .search, after.files.count != before.files.count {
      words.append(PromptWords.found(after.files.count).words)
    }
    return words
  }

  // MARK: Where one is

  private func place(hasNews: Bool) -> [Translated] {
    let (old, new) = (SpokenScreen(before, figures), SpokenScreen(after, figures))
    let (oldTitle, newTitle) = (old.title, new.title)
    let newItem = new.item
    let isOther = before.screen != after.screen || before.mode != after.mode
    if isOther || oldTitle != newTitle, !(hasKept && !isOther) {
      let mode = before.mode == after.mode ? [] : [PromptWords.mode(after.mode).words]
      return mode + [newTitle] + (newItem.map { [$0.words] } ?? [])
    }
    let oldItem = old.item
    if oldItem != newItem, let newItem {
      guard let oldItem, oldItem.name == newItem.name, oldItem.place == newItem.place else { return [newItem.words] }
      return [newItem.value ?? newItem.name]
    }
    // A key has taken a notice away: what it covered.
    if isGesture, !hasNews, before.notice != nil, after.notice == nil { return [newTitle] }
    return []
  }
}
