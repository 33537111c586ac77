public import Hardware
public import Media

/// A local clip or take: its sound and pictures, with the sound and subtitles beside it by their names
/// (`clip.es.m4a`, `clip.es.vtt` beside `clip.mp4`), and further tracks of sound in it.
///
/// One lane. Every call but `next…` may block on the medium.
public final class FileProgramme: Programme {
  private let path: String
  private let tracks: MediaTracks
  private let sidecars: SidecarFiles
  private let sound: FileSound?
  private var pictures: FilmPictures?
  private var cues: [WebVTT.Cue] = []
  private var cueLanguage = ""
  private var subtitleProblem: String?
  private var nextCueIndex = 0
  /// By their places in `otherTracks`.
  private var renditions: [Int: FileSound] = [:]
  private let decodedFrames: Int
  // A clip without sound is silent for its length; one whose sound ends before its pictures, from there on.
  private var silence = SoundQueue()
  private let silentLength: Int
  private var silentEpoch = 0
  private var isClosed = false
  /// What went wrong without stopping anything, for people.
  private var remarks = Remarks()
  /// Sound and pictures of a film do not end at the same instant.
  private static let leastSilence = 48_000 / 4
  /// Nothing is sought further than this: 5,800 years, in frames.
  private static let longest = 1 << 43

  /// - Parameters:
  ///   - path: absolute; a local file.
  ///   - pictures: whether they are wanted.
  ///   - pictureBytes: of pictures that may wait, because sound is taken some seconds ahead.
  ///   - subtitleLanguages: the most welcome first; empty: the first there is.
  ///   - decodedFrames: that may wait decoded.
  /// - Throws: if there is nothing in it that can be played.
  public init(
    path: String, pictures wantsPictures: Bool = false, pictureBytes: Int = 4 << 20, subtitleLanguages: [String] = [],
    decodedFrames: Int = 2 * 48_000
  ) throws(MediaError) {
    self.path = path
    self.decodedFrames = decodedFrames
    tracks = try MediaTracks(path: path)
    sidecars = SidecarFiles(beside: path)
    guard !tracks.sounds.isEmpty || tracks.hasPictures else {
      throw MediaError(
        .unsupported, subject: path, operation: "open",
        reason: "no sound in it that can be decoded, and no pictures that can be shown: those are H.264 in MP4 or MOV")
    }
    sound =
      tracks.sounds.isEmpty
      ? nil
      : try FileSound(path: path, track: nil, language: tracks.sounds.first?.language ?? "", most: decodedFrames)
    silentLength = sound == nil ? Int(min(tracks.duration ?? 0, 1e6) * 48_000) : 0
    if wantsPictures, tracks.hasPictures { pictures = try FilmPictures(path: path, mostBytes: pictureBytes) }
    let language =
      subtitleLanguages.first { wanted in sidecars.subtitles.contains { Languages.match(wanted, $0.language) } }
      ?? sidecars.subtitles.first?.language
    if let language { _ = selectSubtitles(language: language, from: 0) }
    if let inside { remarks.add("\(path): \(inside)") }
  }

  /// What is to be said of subtitles that are not read, in the film itself or beside it.
  private var inside: String? {
    if let name = sidecars.nameless { return "\(name): its name says no language, as NAME.es.srt does" }
    guard !tracks.subtitles.isEmpty else { return nil }
    return "subtitles within a film are not read, here \(tracks.subtitles.joined(separator: ", ")); "
      + "those of a file beside it are, such as NAME.es.srt"
  }

  public func step(now: Instant) -> Instant? {
    guard !isClosed else { return nil }
    let wake = sound?.step(now: now)
    pictures?.read(until: max(sound?.taken ?? 0, silence.taken) + decodedFrames, epoch: currentEpoch)
    guard sound?.isOver ?? true else { return wake }
    beSilent()
    return isAtEnd ? nil : now + .milliseconds(100)
  }

  private func beSilent() {
    if let sound, silence.end < sound.end {
      silence.restart(at: sound.end)
      if let fault = sound.status.breaksOff, silentEnd > sound.end { remarks.add(fault.text) }
    }
    while silence.frames < decodedFrames, silence.end < silentEnd {
      let count = min(2048, silentEnd - silence.end)
      silence.append(
        SoundBlock(
          epoch: currentEpoch, start: silence.end, samples: [Float](repeating: 0, count: 2 * count),
          sourceTime: Int64(silence.end) * 15 / 8))
    }
  }

  /// There is something to be seen when its sound has ended.
  private var isSeenLonger: Bool {
    guard let sound, let pictures else { return false }
    return pictures.claimedEnd - sound.end > Self.leastSilence
  }

  /// Up to where it is silent, as far as that is known yet.
  private var silentEnd: Int {
    guard let sound else { return silentLength }
    return isSeenLonger ? pictures?.end ?? sound.end : sound.end
  }

  /// All of it has been decoded.
  private var isAtEnd: Bool {
    guard let sound else { return silence.end >= silentLength }
    guard isSeenLonger, let pictures else { return sound.isOver }
    return sound.isOver && pictures.isOver && silence.end >= pictures.end
  }

  public var status: ProgrammeStatus {
    var status = sound?.status ?? ProgrammeStatus()
    status.length = sound == nil ? silentLength : status.length.map { max($0, pictures?.claimedEnd ?? 0) }
    status.decodedFrames += silence.frames
    if case .failed = status.phase {} else { status.phase = phase(status) }
    status.breaksOff = status.breaksOff ?? picturesBreakOff
    if isClosed { status.phase = .failed(.closed) }
    var languages = tracks.sounds.map(\.language).filter { !$0.isEmpty }
    for sidecar in sidecars.sounds where !languages.contains(sidecar.language) { languages.append(sidecar.language) }
    status.soundLanguages = languages
    status.subtitleLanguages = sidecars.subtitles.map(\.language)
    status.subtitleProblem = subtitleProblem ?? (sidecars.subtitles.isEmpty ? inside : nil)
    return status
  }

  private func phase(_ status: ProgrammeStatus) -> ProgrammeStatus.Phase {
    if isAtEnd, status.decodedFrames == 0 { return .ended }
    return sound != nil && status.phase == .opening ? .opening : .running
  }

  private var picturesBreakOff: StreamFault? {
    guard let pictures, pictures.isOver else { return nil }
    // The last picture does not end where a file says it, to the second.
    return MediaError.breaksOff(
      path, "pictures", at: pictures.end, of: pictures.claimedEnd, slack: 2, sampleRate: Self.sampleRate
    ).map { StreamFault($0) }
  }

  public func nextSound() -> SoundBlock? { sound?.nextSound() ?? silence.next() }
  public func nextPicture() -> ProgrammePicture? { pictures?.next() }
  var hasPictures: Bool { pictures?.isEmpty == false }
  public func nextRemark() -> String? { remarks.next() }

  public func nextCue() -> SubtitleCue? {
    guard nextCueIndex < cues.count else { return nil }
    let cue = cues[nextCueIndex]
    nextCueIndex += 1
    return SubtitleCue(
      epoch: currentEpoch, start: cue.start * 48, end: cue.end * 48, text: cue.text,
      language: cueLanguage)
  }

  /// Subtitles in another language, from `frame` on.
  ///
  /// - Returns: false if there are none.
  public func selectSubtitles(language: String, from frame: Int) -> Bool {
    for sidecar in sidecars.subtitles(serving: language) {
      guard let file = read(sidecar) else { continue }
      subtitleProblem = nil
      cues = file.cues
      cueLanguage = sidecar.language
      nextCueIndex = cues.firstIndex { $0.end * 48 > frame } ?? cues.count
      return true
    }
    return false
  }

  /// The subtitles of a file beside this one; `nil` if they cannot be read, or if there are none in it.
  private func read(_ sidecar: SidecarFiles.Sidecar) -> WebVTT? {
    // One more, by which it is seen that there are more.
    guard let bytes = SidecarFiles.read(sidecar.path, most: WebVTT.Limits().bytes + 1) else {
      return refuse(sidecar, "cannot be read")
    }
    do throws(PlaylistError) {
      let file = try WebVTT(bytes, subject: sidecar.path)
      guard !file.cues.isEmpty else { return refuse(sidecar, "there are no subtitles in it") }
      if let remark = file.remark { remarks.add("\(sidecar.path): \(remark)") }
      return file
    } catch {
      return refuse(sidecar, error.reason)
    }
  }

  private func refuse(_ sidecar: SidecarFiles.Sidecar, _ reason: String) -> WebVTT? {
    remarks.add("\(sidecar.path): \(reason)")
    subtitleProblem = "\(sidecar.path.pathParts.name): \(reason)"
    return nil
  }

  /// A sidecar's sound in that language, else a further track of the file, the next of them where one cannot be had; the
  /// same object for the same one.
  public func rendition(language: String, from frame: Int) -> (any Programme)? {
    let others = otherTracks
    for number in Languages.serving(language, Array(others.indices), tag: { others[$0].language }) {
      do throws(MediaError) { return try track(number, from: frame) } catch { remarks.add("\(error)") }
    }
    return nil
  }

  /// One of `otherTracks`.
  func track(_ number: Int, from frame: Int) throws(MediaError) -> any Programme {
    if let known = renditions[number] {
      // It may have been left some time ago.
      if abs(known.taken - frame) > 4800 { known.seek(to: frame, epoch: currentEpoch) }
      return known
    }
    let beside = number < sidecars.sounds.count ? sidecars.sounds[number] : nil
    let inside = beside == nil ? furtherSounds[number - sidecars.sounds.count] : nil
    let new = try FileSound(
      path: beside?.path ?? path, track: inside?.track, language: beside?.language ?? inside?.language ?? "",
      most: decodedFrames, isBeside: beside != nil)
    if frame > 0 || currentEpoch > 0 { new.seek(to: frame, epoch: currentEpoch) }
    renditions[number] = new
    return new
  }

  /// The sounds that `rendition` has, those beside the file first.
  var otherTracks: [(language: String, isBeside: Bool)] {
    sidecars.sounds.map { ($0.language, true) } + furtherSounds.map { ($0.language, false) }
  }

  /// The file's sounds but the one that is heard; those that describe or comment come last, and do not take its place
  /// where it is in their language.
  private var furtherSounds: [MediaTracks.Sound] {
    let heard = tracks.sounds.first { $0.track == sound?.track } ?? tracks.sounds.first
    let others = tracks.sounds.filter { $0.track != heard?.track }
    let language = heard?.language ?? ""
    return others.filter { !$0.isAside } + others.filter { $0.isAside && !Languages.match(language, $0.language) }
  }

  /// Whether sound or subtitles of somebody's lie beside a file; blocks on the medium.
  public static func hasFilesBeside(_ path: String) -> Bool {
    let sidecars = SidecarFiles(beside: path)
    return !sidecars.sounds.isEmpty || !sidecars.subtitles.isEmpty
  }

  private var currentEpoch: Int { sound?.currentEpoch ?? silentEpoch }

  public func seek(to frame: Int) {
    let target = min(max(0, frame), status.length ?? Self.longest)
    let epoch = currentEpoch + 1
    sound?.seek(to: min(target, sound?.status.length ?? .max), epoch: epoch)
    for rendition in renditions.values { rendition.seek(to: target, epoch: epoch) }
    if sound == nil { silentEpoch += 1 }
    silence.restart(at: target)
    pictures?.seek(to: target)
    nextCueIndex = cues.firstIndex { $0.end * 48 > target } ?? cues.count
  }

  public func close() {
    isClosed = true
    sound?.close()
    for rendition in renditions.values { rendition.close() }
    pictures = nil
  }
}
