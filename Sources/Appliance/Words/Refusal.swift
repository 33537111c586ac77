internal import Hardware

/// Why a press or command did nothing, with what of the state the sentence for it needs.
public struct Refusal: Hashable, Sendable {
  let reason: IgnoredReason
  let mode: Mode
  /// There is nothing that could be chosen.
  let isEmpty: Bool
}

extension State {
  /// Why a press or command did nothing: a sentence for people.
  public func refusal(_ reason: IgnoredReason) -> Refusal {
    Refusal(reason: reason, mode: mode, isEmpty: isNothingThere)
  }

  private var isNothingThere: Bool {
    switch mode {
    case .dub: dub.sources.all.isEmpty
    case .feed: feed.item == nil
    case .dictaphone, .clips: files.count <= 0
    }
  }

  /// The same as the console says it.
  public func explain(_ reason: IgnoredReason) -> String { refusal(reason).words.english }
}

extension Refusal: Wording {
  public var words: Translated {
    switch reason {
    case .locked: Translated("Locked: hold LOCK for 2 s to unlock.", "Блокировка: держите LOCK 2 с, чтобы снять.")
    case .noMeaning(let mode):
      Translated("That does nothing in \(Self.spoken(mode)).", "Здесь это не действует.")
    case .busy(let what): Self.busy(what)
    case .deviceMissing(let device): Self.missing(device)
    case .nothingPlays where !isEmpty:
      Translated("Nothing plays: CENTRE plays what is chosen.", "Ничего не играет. Воспроизвести: CENTRE.")
    case .nothingLoaded, .nothingPlays: nothing
    case .sealed:
      Translated("Sealed: it cannot be played here, only with its key.", "Зашифровано: открыть можно только с ключом.")
    case .atLimit: Translated("That is the end.", "Дальше некуда.")
    case .storageFull where mode == .clips:
      Translated("Storage is full: delete clips, then press REC.", "Карта заполнена: удалите клипы и нажмите REC.")
    case .storageFull:
      Translated("Storage is full: delete takes, then press REC.", "Карта заполнена: удалите записи и нажмите REC.")
    case .storageRefuses:
      Translated("The card takes no files: put in another one.", "На карту нельзя писать: вставьте другую.")
    case .notOnBoard(.network):
      Translated("This board has too little memory for dubbing.", "На этой плате мало памяти для дубляжа.")
    case .notOnBoard(let device):
      Translated("This board has no \(device.name).", "На этой плате нет \(device.russianOfWhich).")
    case .protected where mode == .dictaphone:
      Translated("The take is protected: hold LEFT, Protect.", "Запись защищена. Снять: долго LEFT, Защита.")
    case .protected: Translated("The clip is protected: RIGHT takes that off.", "Клип защищён. Снять защиту: RIGHT.")
    case .switchedOff(let source):
      Translated(
        "Clips by \(source.rawValue) are switched off in the settings.", "Такие клипы отключены в настройках.")
    case .refused(let error): error.words
    }
  }

  private var nothing: Translated {
    switch (mode, isEmpty) {
    case (.clips, false):
      Translated("No clip chosen: press DOWN for the list.", "Клип не выбран. Список: DOWN.")
    case (.clips, true): Translated("There is no clip yet: press REC.", "Клипов пока нет: нажмите REC.")
    case (.dub, true):
      Translated("Nothing to play: make a take or a clip first.", "Нечего играть: сначала сделайте запись или клип.")
    case (.dub, false):
      Translated("There is no such source: see the list.", "Такого источника нет: выберите из списка.")
    case (.feed, true): Translated("There is nothing in this feed.", "В этой ленте ничего нет.")
    case (.feed, false): Translated("There is no such feed: see feed.sources.", "Такой ленты нет: см. feed.sources.")
    case (.dictaphone, false):
      Translated("No take chosen: press DOWN for the list.", "Запись не выбрана. Список: DOWN.")
    case (.dictaphone, true): Translated("There is no take yet: press REC.", "Записей пока нет: нажмите REC.")
    }
  }

  private static func busy(_ what: String) -> Translated {
    switch what {
    case "saving":
      Translated("A take is being saved: try again in a moment.", "Запись сохраняется: повторите чуть позже.")
    case "queued":
      Translated("The next take is being recorded already.", "Следующая запись уже идёт.")
    case "clip": Translated("A clip is being saved: try again in a moment.", "Клип сохраняется: повторите чуть позже.")
    case "capturing": Translated("A clip is running: STOP ends it.", "Клип ещё идёт. Закончить: STOP.")
    case "clips":
      Translated("These are the clips: hold STOP for the dictaphone.", "Это клипы. К диктофону: долго STOP.")
    case "recording": Translated("A take is being recorded: press STOP first.", "Идёт запись: сначала нажмите STOP.")
    case "feed": Translated("The feed is being loaded.", "Лента загружается.")
    case "opening":
      Translated("The take is being opened: press REC again.", "Запись открывается: нажмите REC ещё раз.")
    case "library":
      Translated("The list is being read: try again in a moment.", "Список читается: повторите чуть позже.")
    case "takes": Translated("Takes are being worked on: STOP ends it.", "Идёт работа с записями. Прервать: STOP.")
    case "clock": Translated("The clock is being set: wait a moment.", "Часы ставятся: подождите.")
    default: Translated("Busy: \(what) has to finish first.", "Занято: подождите.")
    }
  }

  private static func missing(_ device: Device) -> Translated {
    switch device {
    case .microphone:
      Translated("No microphone: connect one, then press REC.", "Нет микрофона: подключите его и нажмите REC.")
    case .camera: Translated("No camera: connect one, then press REC.", "Нет камеры: подключите её и нажмите REC.")
    case .speaker: Translated("No speaker: connect one to listen.", "Нет динамика: подключите его, чтобы слушать.")
    case .network: Translated("No network: clips and takes can be played.", "Нет сети: клипы и записи играют.")
    case .storage:
      Translated("No card: put it back, then try again.", "Нет карты: вставьте её и повторите.")
    case .display, .buttons, .lamps, .console:
      Translated("The \(device.name) is missing.", "Нет \(device.russianOfWhich).")
    }
  }

  private static func spoken(_ mode: String) -> String {
    switch mode {
    case "dictaphone.idle": "stopped mode"
    case "dictaphone.files": "the list of takes"
    case "dictaphone.options": "the options"
    case "dictaphone.playbackPaused": "paused playback"
    case "clips.buffering": "clip mode"
    case "clips.capturing": "a running clip"
    case "dub.idle": "the list of sources"
    case "dub.buffering", "dub.playing": "dubbed playback"
    case _ where mode.hasPrefix("feed."): "the feed"
    default: String(mode.split(separator: ".").last ?? "this mode") + " mode"
    }
  }
}

extension Device {
  /// The name in English sentences.
  public var name: String {
    switch self {
    case .microphone: "microphone"
    case .camera: "camera"
    case .speaker: "speaker"
    case .display: "display"
    case .buttons: "keys"
    case .lamps: "lamps"
    case .console: "console"
    case .storage: "storage"
    case .network: "network"
    }
  }

  /// The name behind нет, in the genitive.
  fileprivate var russianOfWhich: String {
    switch self {
    case .microphone: "микрофона"
    case .camera: "камеры"
    case .speaker: "динамика"
    case .display: "экрана"
    case .buttons: "кнопок"
    case .lamps: "индикаторов"
    case .console: "консоли"
    case .storage: "карты памяти"
    case .network: "сети"
    }
  }
}

extension SettingError: Wording {
  public var words: Translated {
    switch self {
    case .unknownKey(let key): Translated(description, "настройки \(key) нет")
    case .wrongType(let key, let value, _), .outOfRange(let key, let value, _):
      Translated(description, "\(key): значение \(value) не подходит")
    case .unsupported(let key, let value, _): Translated(description, "\(key): \(value) здесь не поддерживается")
    case .excluded(let key, let other, _): Translated(description, "\(key): не вместе с \(other)")
    case .noKeys(let key, let missing): Translated(description, "\(key): на этой плате нет \(missing)")
    case .hidden(let key): Translated(description, "\(key): скрытая часть адреса неизвестна, введите адрес целиком")
    }
  }
}
