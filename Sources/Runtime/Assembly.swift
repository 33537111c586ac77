internal import Appliance
internal import Board
internal import Budget
internal import Console
internal import Dictaphone
internal import Hardware
internal import Library
internal import Sound
internal import Threads

/// Sizes and single parts of a running appliance.
extension ApplianceRuntime {
  /// Seconds of stall that the pipe to the storage takes at the highest data rate of the board: the 10 s that a slow
  /// card may take. What it takes longer, the slack of the pre-record history holds.
  private static let stallSeconds = 10

  static func pipeBytes(_ board: BoardDescription) -> Int {
    let format = board.microphone.format
    return max(1 << 20, stallSeconds * format.sampleRate * format.channels * (format.bits > 16 ? 3 : 2))
  }

  /// Enters the rings into the board's ledger; refused if one is above its line.
  static func register(
    _ ledger: BudgetLedger, board: BoardDescription, settings: Settings, pipe: TakePipe
  ) throws(BudgetRefusal) {
    let format = board.microphone.format
    try ledger.register(.audioIn, "capture ring", bytes: CaptureInput.ringBytes(format))
    try ledger.register(
      .preRecord, "pre-record", bytes: CaptureInput.historyBytes(format, seconds: settings.preRecordSeconds))
    try ledger.register(.encoder, "pipe to the storage", bytes: pipe.capacity)
    try ledger.register(.audioOut, "render ring", bytes: board.speaker.format.sampleRate / 2 * 8)
  }

  static func makeMedia(
    _ hardware: HardwareSet, _ board: BoardDescription, _ pipe: TakePipe, _ settings: Settings,
    _ inbox: Mailbox<ControlInput>, _ scheduler: any Scheduler, _ clips: ClipParts?
  ) -> MediaWorker {
    let recording = RecordingSettings(settings, bits: board.microphone.format.bits)
    var request = board.microphone.request
    let input = CaptureInput(
      microphone: hardware.microphone, request: request, historySeconds: recording.preRecordSeconds
    ) { inbox.post(.media(.microphone($0))) }
    request = input.request(for: PCMFormat(settings: recording))
    input.configure(request: request, historySeconds: recording.preRecordSeconds)
    let recorder = Recorder(input: input, pipe: pipe, clock: hardware.clock, settings: recording) {
      inbox.post(.media(.recorder($0)))
    }
    let player = Player(speaker: hardware.speaker, request: board.speaker.request) { inbox.post(.media(.player($0))) }
    return MediaWorker(
      recorder: recorder, input: input, player: player, pipe: pipe,
      clips: clips?.makeMaking(sound: input, clock: hardware.clock, settings: settings, inbox: inbox),
      wake: { [weak scheduler] in scheduler?.wake(.media) },
      wakeStorage: { [weak scheduler] in scheduler?.wake(.storage) },
      onLevels: { [weak scheduler] in scheduler?.wake(.control) })
  }

  /// Takes over what was kept; a value that is no longer allowed is said and left at its default.
  static func load(_ store: SettingsStore, into settings: inout Settings, events: EventStream, now: Instant) {
    do throws(LibraryError) {
      for sentence in try store.load() { events.log(.warning, "settings", sentence, at: now) }
    } catch {
      events.log(.warning, "settings", "settings.json could not be read: \(error); defaults hold", at: now)
    }
    for key in Settings.keys.map(\.key) {
      guard let value = store[key].flatMap(SettingValue.init) else { continue }
      do throws(SettingError) { try settings.set(key, to: value) } catch {
        events.log(.warning, "settings", "settings.json: \(error); the default holds", at: now)
      }
    }
  }
}

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
