internal import Hardware

/// What the catalogue keeps of a take: enough to list, search and sort, and to tell by size and time of its two files
/// whether they are still the same. Ten thousand of these are about 3 MB.
struct TakeRecord: Hashable {
  /// File name in `recordings/`.
  var id: String
  /// Session number; 0 for files that are not numbered by us.
  var session: Int
  /// Empty if it is the file's name without suffix.
  var displayName = ""
  var tags: [String] = []
  var createdSeconds: Int64
  var frames: Int
  var sampleRate: Int32
  var channels: UInt8
  var bitrateKbps: Int32
  var format: String
  var stopReason: String
  /// Seconds; negative for none.
  var position: Double
  var bookmarks: Int32
  /// Titles of marks, for the search: each once, as long as they come to `longestTitles`.
  var markTitles: [String] = []
  /// It has marks, and a catalogue of earlier firmware did not say what they are called.
  var hasUntoldMarks = false
  var favourite: Bool
  var isProtected: Bool
  /// The chapters in the file are not those of the metadata.
  var hasNewMarks = false
  /// The device has not made it, though its name is of the form of its own (`Origin`).
  var isForeign = false
  /// A sum of the name of the take that it says it goes on from; 0: it says none.
  var link: UInt32 = 0
  var inProgress: Bool
  /// Nobody could make anything of it; the device has not made it, and leaves it as it is.
  var isUnreadable = false
  /// No more than its name is known yet; never in the catalogue.
  var isPending = false
  /// The sound's structure has been looked at, or we wrote it ourselves.
  var verified: Bool
  /// Size and time of the sound file.
  var size: Int
  var modified: Int64
  /// Size and time of the metadata file.
  var metaSize: Int
  var metaModified: Int64
  /// Lower-case name, tags and titles of marks; empty where the file's name says it all.
  var searchKey = ""

  /// Bytes of UTF-8 of all titles, of all tags, and of other texts: the files have all of it, the index what is searched
  /// and shown, for a card may hold anything.
  private static let longestTitles = 2000
  private static let longestText = 1000

  init(_ meta: FileMeta, id: String, sound: StorageEntry?, sidecar: StorageEntry?, verified: Bool) {
    self.id = id
    session = TakeName.number(in: id) ?? 0
    displayName = meta.displayName == TakeName.split(id).stem ? "" : Self.cut(meta.displayName)
    tags = Self.fitting(meta.userTags)
    createdSeconds = meta.createdAt.wholeSeconds.nanosecondsSince1970 / 1_000_000_000
    frames = meta.frames
    sampleRate = Int32(clamping: meta.audio.sampleRate)
    channels = UInt8(clamping: meta.audio.channels)
    bitrateKbps = Int32(clamping: meta.audio.bitrateKbps ?? 0)
    format = Self.cut(meta.audio.format)
    stopReason = Self.cut(meta.stopReason ?? "")
    position = meta.lastPlayedPosition ?? -1
    bookmarks = Int32(clamping: meta.bookmarks.count)
    markTitles = Self.titles(meta.bookmarks)
    favourite = meta.favourite
    isProtected = meta.isProtected
    isForeign = meta.isForeign
    hasNewMarks = meta.hasNewMarks && TakeName.isOurs(id) && !TakeName.isSealed(id) && !isForeign
    link = meta.linkedTake.map(Self.sum) ?? 0
    inProgress = meta.inProgress
    self.verified = verified
    size = sound?.size ?? meta.audio.fileSizeBytes
    modified = sound?.modified.nanosecondsSince1970 ?? 0
    metaSize = sidecar?.size ?? 0
    metaModified = sidecar?.modified.nanosecondsSince1970 ?? 0
    refreshSearchKey()
  }

  /// Known, and not listed among takes: a file from elsewhere that is no sound, and not called one, or a film in `clips/`.
  var isNoTake: Bool { id.utf8.contains(UInt8(ascii: "/")) || isUnreadable && !TakePath.isSound(id) }

  /// A file that nobody has looked at.
  init(unseen file: StorageEntry) {
    let meta = FileMeta(
      id: file.name, displayName: TakeName.split(file.name).stem,
      createdAt: TakeName(file.name)?.createdAt ?? file.modified,
      audio: AudioAttributes(duration: 0, sampleRate: 0, channels: 0, format: "", fileSizeBytes: file.size))
    self.init(meta, id: file.name, sound: file, sidecar: nil, verified: false)
    isPending = true
  }

  /// A film in `clips/` that somebody has looked at; its id is its path.
  init(clip file: StorageEntry, _ shape: TakeShape?) {
    self.init(unseen: file)
    (id, session, isPending, verified, isUnreadable) = (ClipPath.clip(file.name), 0, false, true, shape == nil)
    guard let shape else { return }
    (frames, sampleRate) = (shape.frames, Int32(clamping: shape.sampleRate))
    (channels, format) = (UInt8(clamping: shape.channels), shape.format)
  }

  /// The file's name without suffix: how a take is called until it is renamed.
  var stem: String { KernelName.shown(TakeName.split(id).stem) }

  /// Both are parts of one take, without a sample between: where it was split, the next number goes on, as WAV where the
  /// processor was too slow for the format. (A take of which the power was cut is linked to the next, too, but has a gap
  /// behind it.)
  func goesOn(from before: TakeRecord) -> Bool {
    isLinked && before.isSplit && session == before.session &+ 1
      && (format == before.format || format == "wav")
      && sampleRate == before.sampleRate && channels == before.channels && link == Self.sum(before.id)
  }

  /// It says which take it goes on from.
  var isLinked: Bool { link != 0 }

  /// Of number and stamp, which end with the only Z: cards of two devices have the same numbers, and people change what
  /// is behind.
  private static func sum(_ name: String) -> UInt32 { Checksum.fnv32(name.utf8.prefix { $0 != UInt8(ascii: "Z") }) }

  /// It was to go on in another file.
  var isSplit: Bool { stopReason == Library.split }

  private static func titles(_ marks: [Bookmark]) -> [String] { fitting(marks.lazy.compactMap(\.title)) }

  /// Each once, as long as there is room for it.
  private static func fitting(_ texts: some Sequence<String>) -> [String] {
    var found: [String] = []
    var room = longestTitles
    for text in texts where text.utf8.count <= room && !found.contains(text) {
      found.append(text)
      room -= text.utf8.count + 1
    }
    return found
  }

  private static func cut(_ text: String) -> String {
    text.utf8.count <= longestText ? text : String(text.unicodeScalars.prefix(longestText / 4))
  }

  mutating func refreshSearchKey() {
    guard !displayName.isEmpty || !tags.isEmpty || !markTitles.isEmpty else {
      searchKey = ""
      return
    }
    let name = displayName.isEmpty ? stem : displayName
    searchKey = ([name] + tags + markTitles).joined(separator: "\n").lowercased()
  }

  /// The sound file is the one this record was made from.
  func matches(sound: StorageEntry) -> Bool {
    size == sound.size && modified == sound.modified.nanosecondsSince1970
  }

  /// The metadata file is the one this record was made from.
  func matches(sidecar: StorageEntry) -> Bool {
    metaSize == sidecar.size && metaModified == sidecar.modified.nanosecondsSince1970
  }

  /// Metadata for a file that has none: of one that the device has not made.
  var meta: FileMeta {
    var meta = FileMeta(
      id: id, displayName: stem, createdAt: WallTime(nanosecondsSince1970: createdSeconds * 1_000_000_000),
      audio: AudioAttributes(
        duration: 0, bitrateKbps: bitrateKbps > 0 ? Int(bitrateKbps) : nil, sampleRate: max(1, Int(sampleRate)),
        channels: max(1, Int(channels)), format: format, fileSizeBytes: size))
    meta.isForeign = isForeign
    meta.setLength(frames: frames, fileSizeBytes: size)
    return meta
  }

  var summary: TakeSummary {
    TakeSummary(
      id: id, displayName: displayName.isEmpty ? stem : displayName,
      createdAt: WallTime(nanosecondsSince1970: createdSeconds * 1_000_000_000), frames: frames,
      sampleRate: Int(sampleRate), channels: Int(channels), format: format,
      bitrateKbps: bitrateKbps > 0 ? Int(bitrateKbps) : nil, fileSizeBytes: size, userTags: tags,
      favourite: favourite, isProtected: isProtected, isUnreadable: isUnreadable, isPending: isPending,
      inProgress: inProgress,
      stopReason: stopReason.isEmpty ? nil : stopReason,
      lastPlayedPosition: position >= 0 ? position : nil, bookmarkCount: Int(bookmarks))
  }
}
