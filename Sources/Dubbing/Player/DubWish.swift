internal import Hardware
internal import Streaming

/// What is wished of a run: which language, and whether a dub may be heard at all.
struct DubWish {
  var settings: DubSettings
  /// A language tag; empty: the original.
  var language: String
  var isDubbing = true
  /// The board is throttled or on battery.
  var isLowPower = false

  /// Whether a dub is wanted at all.
  var allowsDub: Bool { isDubbing && !language.isEmpty && (!isLowPower || settings.dubsInLowPower) }

  var usesService: Bool { !settings.serviceURL.isEmpty && !language.isEmpty }

  /// Whether a text can be spoken as it is written: in the wished language, or in none that is known.
  func speaks(_ language: String) -> Bool { language.isEmpty || Languages.match(language, self.language) }
}
