internal import Hardware
internal import Media

/// Reads a file for a programme in another process: what the process does that reads it. One thread.
public final class ProgrammeServer {
  private let path: String
  private let pictures: Bool
  private let pictureBytes: Int
  private var file: FileProgramme?
  private var tracks: [Int: any Programme] = [:]
  /// Why a track that was asked for is not there.
  private var faults: [Int: StreamFault] = [:]

  /// Decoded ahead here; the programme itself holds more.
  private static let decodedFrames = 12_000
  private static let answerCues = 64

  public init(path: String, pictures: Bool, pictureBytes: Int) {
    (self.path, self.pictures, self.pictureBytes) = (path, pictures, min(pictureBytes, 4 << 20))
  }

  /// What it says before it is asked anything.
  public func opening() -> [UInt8] {
    do throws(MediaError) {
      let file = try FileProgramme(
        path: path, pictures: pictures, pictureBytes: pictureBytes, decodedFrames: Self.decodedFrames)
      self.file = file
      tracks[0] = file
      let status = file.status
      let others = file.otherTracks
      return ProgrammeAnswers.answer([
        .opened(
          length: status.length, sounds: status.soundLanguages, subtitles: status.subtitleLanguages,
          tracks: others.map(\.language), beside: others.count { $0.isBeside })
      ])
    } catch {
      return ProgrammeAnswers.answer([.failed(StreamFault(error))])
    }
  }

  public func answer(to question: ProgrammeQuestion) -> [UInt8] {
    switch question {
    case .more(let track, let frames, let pictures): return ProgrammeAnswers.answer(more(of: track, frames, pictures))
    case .seek(let frame): file?.seek(to: frame)
    case .open(let track, let frame):
      guard let file, file.otherTracks.indices.contains(track - 1) else { break }
      do throws(MediaError) {
        tracks[track] = try file.track(track - 1, from: frame)
      } catch {
        faults[track] = StreamFault(error)
      }
    case .subtitles(let number, let frame):
      guard let file, file.status.subtitleLanguages.indices.contains(number) else { break }
      _ = file.selectSubtitles(language: file.status.subtitleLanguages[number], from: frame)
    }
    return ProgrammeAnswers.answer([])
  }

  private func more(of track: Int, _ frames: Int, _ mostPictures: Int) -> [ProgrammeRecord] {
    guard let programme = tracks[track] else {
      return [.failed(faults[track] ?? .silent("\(path): there is no such track"))]
    }
    var records: [ProgrammeRecord] = []
    var (sound, pictures, cues) = (0, 0, 0)
    if frames == 0 { _ = programme.step(now: .zero) }
    // A step without sound is the end, or waits for pictures to be taken.
    var isHeard = true
    while sound < frames, isHeard {
      _ = programme.step(now: .zero)
      isHeard = false
      while let block = programme.nextSound() {
        records.append(.sound(start: block.start, block.samples))
        sound += block.frames
        isHeard = true
      }
    }
    while pictures < mostPictures, let picture = programme.nextPicture() {
      records.append(
        .picture(
          start: picture.start, isKeyframe: picture.isKeyframe, lost: picture.lostBefore, picture.bytes))
      pictures += picture.bytes.count
    }
    while cues < Self.answerCues, let cue = programme.nextCue() {
      records.append(.cue(start: cue.start, end: cue.end, language: cue.language, text: cue.text))
      cues += 1
    }
    while track == 0, let remark = programme.nextRemark() { records.append(.remark(remark)) }
    let status = programme.status
    if let fault = status.breaksOff { records.append(.breaksOff(fault)) }
    let hasPictures = track == 0 && (pictures > 0 || file?.hasPictures == true)
    if case .failed(let fault) = status.phase {
      records.append(.failed(fault))
    } else {
      let isOver = status.phase == .ended && cues < Self.answerCues
      records.append(
        .state(
          length: status.length, isOver: isOver, hasPictures: hasPictures, subtitleProblem: status.subtitleProblem))
    }
    return records
  }
}
