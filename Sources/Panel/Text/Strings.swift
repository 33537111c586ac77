/// A language of the screens. The raw value is that of the setting `ui.language`.
public enum Language: String, Hashable, Sendable, CaseIterable {
  case english = "en"
}

/// Everything the screens say by themselves. Names, notices and menu rows come from elsewhere.
enum Phrase: String, Hashable, Sendable, CaseIterable {
  case ready
  case noMicrophone
  case noMicrophoneAdvice
  case storageFull
  case storageFullAdvice
  case preRecord
  case preRecordOff
  case left
  case gain
  case nextSchedule
  case hintTakes
  case hintGuide
  case badgeRecording
  case badgePaused
  case badgeSaving
  case badgeScrub
  case hintResume
  case hintSave
  case silence
  case waitingForVoice
  case saving
  case savingAdvice
  case hintSeek
  case hintMarks
  case hintPlay
  case noSpeaker
  case takes
  case noTakes
  case noTakesAdvice
  case favourites
  case favourite
  case nothingFound
  case nothingFoundAdvice
  case menu
  case tags
  case noTags
  case noTagsAdvice
  case information
  case search
  case order
  case newest
  case oldest
  case byName
  case longest
  case largest
  case shownTakes
  case all
  case copyTake
  case deleteTake
  case storage
  case press
  case stopIt
  case yes
  case no
  case date
  case length
  case format
  case size
  case gaps
  case files
  case ended
  case microphone
  case free
  case name
  case marks
  case noMarks
  case noMarksAdvice
  case schedules
  case schedule
  case addSchedule
  case zoneAndPlace
  case on
  case off
  case readingList
  case deleteQuestion
  case deleteYes
  case deleteNo
  case options
  case guide
  case locked
  case unlockAdvice
  case anyKey
  case preparing
  case filling
  case opening
  case noCamera
  case noCameraAdvice
  case storageFullClipAdvice
  case noneLost
  case lost
  case noSound
  case toGo
  case endless
  case hintEndClip
  case clips
  case noClips
  case noClipsAdvice
  case deleteClip
  case dub
  case noSources
  case noSourcesAdvice
  case original
  case buffering
  case dubPaused
  case linkLost
  case live
  case onTime
  case hintStop
  case hintRecord
  case rungService
  case rungRendition
  case rungSidecar
  case rungSynthesised
}

extension Language {
  /// A phrase in this language. The compiler sees to it that none is missing.
  func text(_ phrase: Phrase) -> String {
    switch self {
    case .english: english(phrase)
    }
  }

  private func english(_ phrase: Phrase) -> String {
    switch phrase {
    case .ready: "Ready"
    case .noMicrophone: "No mic"
    case .noMicrophoneAdvice: "Plug in a microphone: it is used at once. Takes can be played."
    case .storageFull: "Card full"
    case .storageFullAdvice: "Delete takes (DOWN: list, hold RIGHT) or put in another card."
    case .preRecord: "pre-record"
    case .preRecordOff: "no pre-record"
    case .left: "left"
    case .gain: "gain"
    case .nextSchedule: "next"
    case .hintTakes: "DOWN takes"
    case .hintGuide: "hold UP guide"
    case .badgeRecording: "REC"
    case .badgePaused: "PAUSED"
    case .badgeSaving: "SAVING"
    case .badgeScrub: "SCRUB"
    case .hintResume: "REC goes on"
    case .hintSave: "STOP saves"
    case .waitingForVoice: "waiting for a voice"
    case .silence: "Microphone lost"
    case .saving: "Saving…"
    case .savingAdvice: "Leave card and power in"
    case .hintMarks: "◀▶ marks, hold: scrub"
    case .hintSeek: "◀▶ 10 s, hold: scrub"
    case .hintPlay: "CENTRE plays"
    case .noSpeaker: "No speaker"
    case .takes: "Takes"
    case .noTakes: "No takes yet"
    case .noTakesAdvice: "REC makes the first"
    case .favourites: "Favourites"
    case .favourite: "Favourite"
    case .nothingFound: "No such take"
    case .nothingFoundAdvice: "hold LEFT: search, show"
    case .menu: "Menu"
    case .tags: "Tags"
    case .noTags: "No tags yet"
    case .noTagsAdvice: "Made on the console: tag"
    case .information: "Info"
    case .search: "Search"
    case .order: "Sort"
    case .newest: "newest"
    case .oldest: "oldest"
    case .byName: "name"
    case .longest: "longest"
    case .largest: "largest"
    case .shownTakes: "Show"
    case .all: "all"
    case .copyTake: "Copy"
    case .deleteTake: "Delete"
    case .storage: "Card"
    case .press: "CENTRE"
    case .stopIt: "CENTRE stops"
    case .yes: "yes"
    case .no: "no"
    case .date: "Date"
    case .length: "Length"
    case .format: "Format"
    case .size: "Size"
    case .gaps: "Gaps"
    case .files: "Files"
    case .ended: "Ended by"
    case .microphone: "Microphone"
    case .free: "Free"
    case .name: "Name"
    case .marks: "Marks"
    case .noMarks: "No marks yet"
    case .noMarksAdvice: "REC sets one"
    case .schedules: "Schedules"
    case .schedule: "Schedule"
    case .addSchedule: "Add"
    case .zoneAndPlace: "Zone and place"
    case .on: "on"
    case .off: "off"
    case .readingList: "Reading the list…"
    case .deleteQuestion: "Delete take?"
    case .deleteYes: "CENTRE deletes it"
    case .deleteNo: "any other key keeps it"
    case .options: "Options"
    case .guide: "Keys and info"
    case .locked: "Locked"
    case .unlockAdvice: "Hold LOCK 2 s to unlock"
    case .anyKey: "any key: close"
    case .preparing: "New take"
    case .filling: "Filling…"
    case .opening: "Camera…"
    case .noCamera: "No camera"
    case .noCameraAdvice: "Plug in the camera: it is used at once. Clips can be played."
    case .storageFullClipAdvice: "Delete clips (DOWN: list, hold RIGHT) or put in another card."
    case .noneLost: "none lost"
    case .lost: "lost"
    case .noSound: "No sound"
    case .toGo: "s"
    case .endless: "Till STOP"
    case .hintEndClip: "STOP ends now"
    case .clips: "Clips"
    case .noClips: "No clips yet"
    case .noClipsAdvice: "REC keeps the first"
    case .deleteClip: "Delete clip?"
    case .dub: "Dub:"
    case .noSources: "Nothing to play"
    case .noSourcesAdvice: "Takes and clips play here"
    case .original: "Original"
    case .buffering: "Buffering"
    case .dubPaused: "Paused"
    case .linkLost: "link lost"
    case .live: "LIVE"
    case .onTime: "on time"
    case .hintStop: "STOP ends it"
    case .hintRecord: "REC records"
    case .rungService: "Live dub"
    case .rungRendition: "Track"
    case .rungSidecar: "Sidecar"
    case .rungSynthesised: "Spoken here"
    }
  }
}
