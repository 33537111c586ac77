internal import Hardware
internal import Library
internal import Media

/// Lets the library look into sound files with the media room's eyes. Storage lane only.
final class MediaRepairer: TakeRepairer {
  private let storage: any Storage

  init(storage: any Storage) { self.storage = storage }

  func inspect(_ file: any StoredFile) throws(StorageError) -> TakeDiagnosis {
    diagnosis(try MediaRepair.inspect(file), of: file)
  }

  func repair(_ file: any StoredFile) throws(StorageError) -> TakeDiagnosis {
    let scratch = try storage.scratch()
    defer { scratch.close() }
    return diagnosis(try MediaRepair.repair(file, scratch: scratch), of: file)
  }

  func salvage(from damaged: any StoredFile, into target: any StoredFile) throws(StorageError) -> TakeDiagnosis {
    let scratch = try storage.scratch()
    defer { scratch.close() }
    return diagnosis(try MediaRepair.salvage(from: damaged, into: target, scratch: scratch), of: target)
  }

  private func diagnosis(_ found: MediaInspection, of file: any StoredFile) -> TakeDiagnosis {
    switch found.condition {
    case .finished: .complete(shape(found, of: file))
    case .unfinished: .unfinished(shape(found, of: file))
    case .foreign: decodedShape(of: file).map { .complete($0) } ?? .complete(shape(found, of: file))
    case .damaged(let reason): decodedShape(of: file).map { .complete($0) } ?? .damaged(reason: reason)
    }
  }

  private func shape(_ found: MediaInspection, of file: any StoredFile) -> TakeShape {
    let pcm = found.pcm ?? PCMFormat(sampleRate: 0, channels: 0)
    let seconds = pcm.sampleRate > 0 ? Double(found.frames) / Double(pcm.sampleRate) : 0
    return TakeShape(
      frames: found.frames, sampleRate: pcm.sampleRate, channels: pcm.channels,
      format: found.format?.rawValue ?? "unknown",
      bitrateKbps: seconds > 0 ? Int(Double(file.size) * 8 / seconds / 1000) : nil)
  }

  /// Suffixes of files that other devices make.
  private static let foreign = ["mp3", "flac", "opus", "ogg", "oga", "aac", "m4a", "wav", "mp4"]

  /// What the decoder makes of a file that is not a take of ours: MP3, FLAC, Opus, Vorbis put there by hand.
  private func decodedShape(of file: any StoredFile) -> TakeShape? {
    guard Self.foreign.contains(where: { file.path.lowercased().hasSuffix(".\($0)") }),
      let sound = try? SoundFile(path: "\(storage.root)/\(file.path)"), let frames = sound.totalFrames, frames > 0
    else { return nil }
    let seconds = Double(frames) / Double(max(1, sound.format.sampleRate))
    return TakeShape(
      frames: frames, sampleRate: sound.format.sampleRate, channels: sound.format.channels, format: sound.codecName,
      bitrateKbps: Int(Double(file.size) * 8 / seconds / 1000))
  }
}
