import Appliance
import Panel

/// How all screens look beside English and text of the usual size: in the other language, in large text, in both.
enum Look: String, CaseIterable, Sendable {
  case russian, large
  case largeRussian = "large-russian"

  private var settings: [String: SettingValue] {
    switch self {
    case .russian: ["ui.language": .text("ru")]
    case .large: ["ui.largeText": .flag(true)]
    case .largeRussian: ["ui.language": .text("ru"), "ui.largeText": .flag(true)]
    }
  }

  /// The sample screens so; rows of menus are gathered anew, as on the running device.
  var samples: [SampleScreen] {
    get throws {
      try SampleScreens.all.map { sample in
        var (state, readings) = (sample.state, sample.readings)
        try state.settings.set(settings)
        switch state.screen {
        case .options: readings.options = state.options.rows.map { MenuRow($0, state) }
        case .guide: readings.guide = state.keyGuide.map { MenuRow($0, in: state.settings.language) }
        default: break
        }
        return SampleScreen(sample.name, state, readings, now: sample.now)
      }
    }
  }
}
