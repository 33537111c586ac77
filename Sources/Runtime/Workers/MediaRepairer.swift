internal import CLinux
internal import Hardware
internal import Library
internal import Media

/// Lets the library look into sound files with the media room's eyes. Storage lane only.
///
/// What the device writes itself is read here, in steps. What only FFmpeg can read is looked at by the examiner.
final class MediaRepairer: TakeRepairer, @unchecked Sendable {
  private let storage: any Storage
  private let examiner: Examiner?
  /// Nanoseconds that the packets of a file are counted for, before its length is estimated.
  private static let longestCount: Int64 = 5_000_000_000

  /// - Parameter examiner: nil: files are looked at in this process.
  init(storage: any Storage, examiner: Examiner?) {
    self.storage = storage
    self.examiner = examiner
  }

  var examinesApart: Bool { examiner?.isApart == true }

  func rest() { examiner?.rest() }

  func bearsMarks(_ file: any StoredFile) throws(StorageError) -> Bool { try MediaRepair.bearsMarks(file) }

  func inspection(of file: any StoredFile) throws(StorageError) -> TakeWork {
    work(MediaRepair(inspecting: file), of: file, then: try examination(of: file.path))
  }

  func repair(of file: any StoredFile) throws(StorageError) -> TakeWork {
    let scratch = try storage.scratch()
    return work(MediaRepair(file, scratch: scratch), of: file, then: try examination(of: file.path), scratch)
  }

  func salvage(from damaged: any StoredFile, into target: any StoredFile) throws(StorageError) -> TakeWork {
    let scratch = try storage.scratch()
    return work(MediaRepair(salvaging: damaged, into: target, scratch: scratch), of: target, then: nil, scratch)
  }

  func examination(of path: String) throws(StorageError) -> TakeWork {
    TakeWork { [self] () throws(StorageError) in
      // One that cannot be had any more gives nil once.
      if let examiner, examiner.isApart { return examiner.step(path) }
      return look(at: path)
    }
  }

  /// - Parameter decoding: what is done with a file that is not a recording of ours.
  private func work(
    _ repair: MediaRepair, of file: any StoredFile, then decoding: TakeWork?, _ scratch: (any StoredFile)? = nil
  ) -> TakeWork {
    var repair = repair
    var found: MediaInspection?
    return TakeWork { () throws(StorageError) in
      if found == nil {
        found = try repair.step()
        if found != nil { scratch?.close() }
      }
      guard let found else { return nil }
      switch found.condition {
      case .finished: return .complete(Self.shape(found, of: file))
      case .unfinished: return .unfinished(Self.shape(found, of: file))
      case .foreign, .damaged:
        guard let decoding else { return Self.undecoded(found, of: file) }
        guard let decoded = try decoding.step() else { return nil }
        if decoded.isPlayable { return decoded }
        // What is none of ours, and nobody can play, is not whole.
        if case .foreign = found.condition, case .damaged = decoded { return decoded }
        return Self.undecoded(found, of: file)
      }
    }
  }

  /// Looks at any file in one go, in this process.
  func look(at path: String) -> TakeDiagnosis {
    do throws(StorageError) {
      let file = try storage.open(path, writable: false)
      defer { file.close() }
      let found = try MediaRepair.inspect(file)
      switch found.condition {
      case .finished: return .complete(Self.shape(found, of: file))
      // Nobody will finish a stranger's: it is what is heard of it as it is.
      case .unfinished, .foreign, .damaged: return decoded(path, bytes: file.size)
      }
    } catch {
      return .damaged(reason: "It could not be read (\(error)).")
    }
  }

  /// What the decoder makes of a file that is not a take of ours.
  private func decoded(_ path: String, bytes: Int) -> TakeDiagnosis {
    do throws(MediaError) {
      let sound = try SoundFile(path: storage.absolutePath(path))
      let late = mynah_now() + Self.longestCount
      var length = sound.totalFrames
      var isBeyond = false
      // What has been cut off says more than there is.
      if let length { isBeyond = try !SoundLength.reaches(length, sampleRate: sound.format.sampleRate, in: sound.path) }
      if length == nil || isBeyond {
        length = try SoundLength.frames(of: sound.path, isCounted: isBeyond) { mynah_now() > late }
      }
      guard let frames = length, frames > 0 else {
        return .damaged(reason: "There is no sound in it.")
      }
      let rate = sound.format.sampleRate
      return .complete(
        TakeShape(
          frames: frames, sampleRate: rate, channels: sound.format.channels, format: sound.codecName,
          bitrateKbps: Self.bitrate(bytes, Double(frames) / Double(max(1, rate)))))
    } catch {
      if let film = Self.silentFilm(storage.absolutePath(path)) { return .complete(film) }
      return .damaged(reason: error.reason.isEmpty ? "It cannot be played." : "It cannot be played: \(error.reason).")
    }
  }

  /// A film that has pictures, and no sound.
  private static func silentFilm(_ path: String) -> TakeShape? {
    guard let tracks = try? MediaTracks(path: path), tracks.hasPictures, tracks.sounds.isEmpty,
      let seconds = tracks.duration
    else { return nil }
    return TakeShape(frames: Int(min(seconds, 1e9) * 90_000), sampleRate: 90_000, channels: 0, format: "h264")
  }

  private static func undecoded(_ found: MediaInspection, of file: any StoredFile) -> TakeDiagnosis {
    if case .damaged(let reason) = found.condition { return .damaged(reason: reason) }
    return .complete(shape(found, of: file))
  }

  private static func shape(_ found: MediaInspection, of file: any StoredFile) -> TakeShape {
    let pcm = found.pcm ?? PCMFormat(sampleRate: 0, channels: 0)
    var shape = TakeShape(
      frames: found.frames, sampleRate: pcm.sampleRate, channels: pcm.channels,
      format: found.format?.rawValue ?? "unknown",
      bitrateKbps: pcm.sampleRate > 0 ? bitrate(file.size, Double(found.frames) / Double(pcm.sampleRate)) : nil)
    shape.gaps = found.gaps.filter { !$0.isPictures }.map(\.range)
    return shape
  }

  /// In kbit/s, if it is one that can be.
  private static func bitrate(_ bytes: Int, _ seconds: Double) -> Int? {
    let kilobits = seconds > 0 ? Double(bytes) * 8 / seconds / 1000 : .infinity
    return kilobits < 1_000_000 ? Int(kilobits) : nil
  }
}

extension TakeDiagnosis {
  fileprivate var isPlayable: Bool { if case .complete = self { true } else { false } }
}
