internal import Hardware
internal import Streaming

/// Takes a programme's subtitles in the language that serves the dub best, and turns them into slots.
///
/// Subtitles in the dub's own language are spoken as they are; else the first language that comes goes to the service.
struct SubtitleIntake {
  /// The programme has subtitles that can be used.
  private(set) var hasCues = false
  /// Language of the subtitle that was taken last.
  private(set) var lastLanguage = ""
  /// The language that subtitles were asked for in.
  private var chosen = ""
  /// The language that is taken for want of the dub's own.
  private var substitute: String?

  private static let slotLimit = 40

  func isChosen(_ language: String) -> Bool { chosen == language }

  /// Asks the programme for subtitles in `language`, from frame `place` on.
  ///
  /// - Parameter hasStarted: whether something has been heard: then what the programme lacks now it will not get.
  /// - Returns: whether what is divided already was divided by subtitles of another language.
  mutating func choose(
    _ language: String, of programme: any Programme, from place: Int, hasStarted: Bool
  ) -> Bool {
    guard chosen != language else { return false }
    let isThere = programme.selectSubtitles(language: language, from: place)
    if isThere || hasStarted { chosen = language }
    return isThere && hasStarted && !Languages.match(lastLanguage, language)
  }

  /// Another language is wished.
  mutating func forgetSubstitute() { substitute = nil }

  /// Takes what has come.
  ///
  /// - Parameter available: the languages of the programme's subtitles.
  /// - Returns: whether what was divided already has given way to subtitles of another region.
  mutating func pull(
    from programme: any Programme, into slots: inout SlotMaker, language: String, available: [String]
  ) -> Bool {
    var hasGivenWay = false
    while slots.slots.count < Self.slotLimit, let cue = programme.nextCue() {
      guard serves(cue, language, available) else { continue }
      if hasCues, cue.language != lastLanguage {
        slots.giveWay(to: cue)
        hasGivenWay = true
      }
      hasCues = true
      lastLanguage = cue.language
      slots.add(cue)
    }
    return hasGivenWay
  }

  private mutating func serves(_ cue: SubtitleCue, _ language: String, _ available: [String]) -> Bool {
    if Languages.match(cue.language, language) { return true }
    if available.contains(where: { Languages.match($0, language) }) { return false }
    if substitute == nil { substitute = cue.language }
    return cue.language == substitute
  }
}
