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
    case .values(SettingsText.reset): settings + ["all"]
    case .values(let key): Settings.row(of: key)?.words ?? []
    }
  }
}
