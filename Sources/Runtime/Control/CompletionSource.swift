internal import Appliance
internal import Console

/// What TAB may complete: takes' names and settings.
final class CompletionSource {
  private let storage: StorageWorker
  private let settings: [String]

  init(storage: StorageWorker, settings: [String]) {
    self.storage = storage
    self.settings = settings
  }

  func answer(_ subject: CompletionSubject) -> [String] {
    switch subject {
    case .takes: storage.status.recentTakes
    case .clips: storage.status.recentClips
    case .settings: settings
    case .values(let key): Settings.description(of: key)?.kind.words ?? []
    }
  }
}

extension SettingKind {
  /// The words that a setting of this kind takes; none if it takes numbers.
  var words: [String] {
    switch self {
    case .choice(let words): words
    case .integerChoice(let numbers): numbers.map(String.init)
    case .flag: ["true", "false"]
    case .languageTag: DubState.spokenLanguages
    case .integer, .number, .address, .addresses, .path: []
    }
  }
}
