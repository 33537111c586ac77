public import Hardware

/// What a converted file says of its recording.
public struct SoundNotes: Hashable, Sendable {
  public var title: String
  public var createdAt: WallTime
  public var originator: String
  /// Marks by frames of the source.
  public var summary: FileSummary

  public init(title: String, createdAt: WallTime, originator: String = "Mynah", summary: FileSummary = FileSummary()) {
    (self.title, self.createdAt, self.originator, self.summary) = (title, createdAt, originator, summary)
  }

  /// The same with marks at another rate.
  func scaled(from source: Int, to target: Int) -> SoundNotes {
    guard source != target else { return self }
    var notes = self
    notes.summary.marks = summary.marks.map {
      TakeMark(frame: max(0, $0.frame).scaled(by: target, over: max(1, source)), label: $0.label)
    }
    return notes
  }
}

/// Why a conversion cannot go on.
public enum ConversionError: Error, Hashable, Sendable {
  /// The source cannot be read, or not be encoded.
  case media(MediaError)
  /// The new file cannot be written; after a stall the same call is made again.
  case storage(StorageError)
}

/// Sound of one or several files on its way into one file of another format, a piece at a time. Owned by one thread at a
/// time; every call blocks on the media, and encodes 4096 frames at most.
public final class SoundConversion {
  private enum Stage {
    case encoding, ending, finishing, done
  }

  /// What the new file holds.
  public let target: PCMFormat
  /// Whether the source's own codec left something out.
  public let isLossySource: Bool
  private let source: JoinedSound
  private let file: any StoredFile
  private var converted: ConvertedFile
  private var stage = Stage.encoding
  private var samples: [Float]
  private var unsynced = 0

  /// Frames of a step.
  private static let piece = 4096
  /// Bytes that are written at a time, and made durable at a time.
  private static let flushed = 64 << 10
  private static let synced = 4 << 20

  /// - Parameters:
  ///   - paths: absolute, in their order.
  ///   - file: new and empty.
  ///   - frames: how long the sound is, as far as it is known, in frames of the source.
  public init(
    _ paths: [String], into file: any StoredFile, as format: ConvertedFormat, _ notes: SoundNotes, frames: Int
  ) throws(MediaError) {
    let plain = try JoinedSound(paths)
    isLossySource = plain.isLossy
    target = format.target(of: plain.source, isLossy: plain.isLossy)
    let isSame = target.sampleRate == plain.format.sampleRate && target.channels == plain.format.channels
    source = isSame ? plain : try JoinedSound(paths, output: target)
    self.file = file
    converted = try ConvertedFile(
      file, as: format, target, notes.scaled(from: plain.source.sampleRate, to: target.sampleRate),
      length: max(0, frames).scaled(by: target.sampleRate, over: max(1, plain.source.sampleRate)))
    samples = [Float](repeating: 0, count: Self.piece * target.channels)
  }

  /// Bytes that a conversion will need, about; of WAV exactly, but for its head.
  ///
  /// - Parameter frames: how long the sound is.
  public static func expectedBytes(
    of paths: [String], frames: Int, as format: ConvertedFormat
  ) throws(MediaError) -> Int {
    let source = try JoinedSound(paths)
    let target = format.target(of: source.source, isLossy: source.isLossy)
    return format.bytes(
      frames: max(0, frames).scaled(by: target.sampleRate, over: max(1, source.source.sampleRate)), target)
  }

  /// How long so many frames of the source last.
  public func seconds(of frames: Int) -> Double { Double(frames) / Double(max(1, source.source.sampleRate)) }

  /// Frames that are in the new file.
  public var frames: Int { source.position }

  /// Does the next piece. After a stall call again.
  ///
  /// - Returns: true while there is more to do; when it returns false the file is whole and durable.
  public func step() throws(ConversionError) -> Bool {
    switch stage {
    case .encoding:
      // What could not be written waits: nothing is encoded twice.
      if converted.bufferedBytes >= Self.flushed { return try write() }
      do throws(MediaError) {
        let count = try samples.withUnsafeMutableBufferPointer { buffer throws(MediaError) -> Int in
          guard let start = buffer.baseAddress else { return 0 }
          let count = try source.read(into: start, frames: Self.piece)
          if count > 0 { try converted.append(start, frames: count) }
          return count
        }
        if count == 0 { stage = .ending }
      } catch {
        throw .media(error)
      }
    case .ending:
      do { try converted.end() } catch { throw .media(error) }
      stage = .finishing
    case .finishing:
      do throws(StorageError) {
        if try converted.finishStep() { return true }
        try file.sync()
      } catch {
        throw .storage(error)
      }
      stage = .done
    case .done: return false
    }
    return true
  }

  private func write() throws(ConversionError) -> Bool {
    let bytes = converted.bufferedBytes
    do throws(StorageError) {
      if unsynced >= Self.synced {
        try file.sync()
        unsynced = 0
      }
      try converted.flush()
    } catch {
      throw .storage(error)
    }
    unsynced += bytes
    return true
  }
}
