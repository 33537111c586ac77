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
  private var pictures: PictureFile?
  private var pictureQueue: PictureQueue
  private var waitingPicture: PictureFile.Picture?
  private var cues: [WebVTT.Cue] = []
  private var cueLanguage = ""
  private var nextCueIndex = 0
  private var renditions: [(language: String, sound: FileSound)] = []
  private let decodedFrames: Int
  // A clip without sound is silent for its length.
  private var silence: SoundQueue
  private var silentEnd = 0
  private var silentEpoch = 0
  private var isClosed = false
  /// What went wrong with what is beside the clip; its own sound plays on. For people.
  public private(set) var problem: String?

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
    pictureQueue = PictureQueue(mostBytes: pictureBytes)
    self.path = path
    self.decodedFrames = decodedFrames
    tracks = try MediaTracks(path: path)
    sidecars = SidecarFiles(beside: path)
    silence = SoundQueue()
    guard !tracks.sounds.isEmpty || tracks.hasPictures else {
      throw MediaError(
        .unsupported, subject: path, operation: "open", reason: "neither sound nor pictures in H.264 in it")
    }
    sound =
      tracks.sounds.isEmpty
      ? nil
      : try FileSound(path: path, track: nil, language: tracks.sounds.first?.language ?? "", most: decodedFrames)
    if sound == nil { silentEnd = Int(min(tracks.duration ?? 0, 1e6) * 48_000) }
    if wantsPictures, tracks.hasPictures { pictures = try PictureFile(path: path) }
    let language =
      subtitleLanguages.first { wanted in sidecars.subtitles.contains { Languages.match(wanted, $0.language) } }
      ?? sidecars.subtitles.first?.language
    if let language { _ = selectSubtitles(language: language, from: 0) }
  }

  public func step(now: Instant) -> Instant? {
    guard !isClosed else { return nil }
    let wake = sound?.step(now: now) ?? stepSilence(now)
    readPictures(until: (sound?.taken ?? silence.taken) + decodedFrames)
    return wake
  }

  private func stepSilence(_ now: Instant) -> Instant? {
    guard sound == nil else { return nil }
    while silence.frames < decodedFrames, silence.end < silentEnd {
      let count = min(2048, silentEnd - silence.end)
      silence.append(
        SoundBlock(
          epoch: silentEpoch, start: silence.end, samples: [Float](repeating: 0, count: 2 * count),
          sourceTime: Int64(silence.end) * 15 / 8))
    }
    return silence.end < silentEnd ? now + .milliseconds(100) : nil
  }

  private func readPictures(until limit: Int) {
    guard let pictures else { return }
    for _ in 0..<64 {
      guard let picture = waitingPicture ?? pictures.next() else { return }
      waitingPicture = picture
      let next = ProgrammePicture(
        epoch: currentEpoch, start: picture.start, bytes: picture.bytes, isKeyframe: picture.isKeyframe)
      // The file waits: none is lost that is not larger than all that may wait.
      guard picture.start < limit, pictureQueue.isEmpty || pictureQueue.hasRoom(next) else { return }
      waitingPicture = nil
      pictureQueue.append(next)
    }
  }

  public var status: ProgrammeStatus {
    var status = sound?.status ?? silentStatus
    if isClosed { status.phase = .failed(.closed) }
    var languages = tracks.sounds.map(\.language).filter { !$0.isEmpty }
    for sidecar in sidecars.sounds where !languages.contains(sidecar.language) { languages.append(sidecar.language) }
    status.soundLanguages = languages
    status.subtitleLanguages = sidecars.subtitles.map(\.language)
    return status
  }

  private var silentStatus: ProgrammeStatus {
    var status = ProgrammeStatus()
    status.length = silentEnd
    status.decodedFrames = silence.frames
    status.phase = silence.isEmpty && silence.end >= silentEnd ? .ended : .running
    return status
  }

  public func nextSound() -> SoundBlock? { sound == nil ? silence.next() : sound?.nextSound() }
  public func nextPicture() -> ProgrammePicture? { pictureQueue.next() }
  var hasPictures: Bool { !pictureQueue.isEmpty }

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
    guard let found = sidecars.subtitles.first(where: { Languages.match(language, $0.language) }) else {
      return false
    }
    guard let bytes = SidecarFiles.read(found.path, most: WebVTT.Limits().bytes) else {
      problem = "\(found.path): cannot be read, or is larger than \(WebVTT.Limits().bytes) bytes"
      return false
    }
    do throws(PlaylistError) {
      cues = try WebVTT(bytes, subject: found.path).cues
    } catch {
      problem = "\(error)"
      return false
    }
    cueLanguage = found.language
    nextCueIndex = cues.firstIndex { $0.end * 48 > frame } ?? cues.count
    return true
  }

  /// A sidecar's sound in that language, else a further track of the file; the same object for the same language.
  public func rendition(language: String, from frame: Int) -> (any Programme)? {
    if let known = renditions.first(where: { Languages.match(language, $0.language) }) {
      // It may have been left some time ago.
      if abs(known.sound.taken - frame) > 4800 { known.sound.seek(to: frame, epoch: currentEpoch) }
      return known.sound
    }
    let beside = sidecars.sounds.first { Languages.match(language, $0.language) }
    let inside = tracks.sounds.dropFirst().first { Languages.match(language, $0.language) }
    guard beside != nil || inside != nil else { return nil }
    do throws(MediaError) {
      let new = try FileSound(
        path: beside?.path ?? path, track: beside == nil ? inside?.track : nil,
        language: beside?.language ?? inside?.language ?? "", most: decodedFrames, isBeside: beside != nil)
      if frame > 0 || currentEpoch > 0 { new.seek(to: frame, epoch: currentEpoch) }
      renditions.append((beside?.language ?? inside?.language ?? "", new))
      return new
    } catch {
      problem = "\(error)"
      return nil
    }
  }

  /// The sounds that `rendition` has, those beside the file first.
  var otherTracks: [(language: String, isBeside: Bool)] {
    sidecars.sounds.map { ($0.language, true) } + tracks.sounds.dropFirst().map { ($0.language, false) }
  }

  /// Whether sound or subtitles of somebody's lie beside a file; blocks on the medium.
  public static func hasFilesBeside(_ path: String) -> Bool {
    let sidecars = SidecarFiles(beside: path)
    return !sidecars.sounds.isEmpty || !sidecars.subtitles.isEmpty
  }

  private var currentEpoch: Int { sound?.currentEpoch ?? silentEpoch }

  public func seek(to frame: Int) {
    let target = min(max(0, frame), status.length ?? .max)
    let epoch = currentEpoch + 1
    sound?.seek(to: target, epoch: epoch)
    for rendition in renditions { rendition.sound.seek(to: target, epoch: epoch) }
    if sound == nil {
      silentEpoch += 1
      silence.restart(at: target)
    }
    pictures?.seek(toFrame: target)
    pictureQueue.removeAll()
    waitingPicture = nil
    nextCueIndex = cues.firstIndex { $0.end * 48 > target } ?? cues.count
  }

  public func close() {
    isClosed = true
    sound?.close()
    for rendition in renditions { rendition.sound.close() }
    pictures = nil
    pictureQueue.removeAll()
  }
}
