public import Hardware

/// What a sound file turned out to hold.
public struct TakeShape: Hashable, Sendable {
  /// Exact length.
  public var frames: Int
  /// Hertz.
  public var sampleRate: Int
  /// 0: there are pictures, and no sound.
  public var channels: Int
  /// `aac`, `wav`, `flac`, `alac`, `mp3`, `opus`, `vorbis`.
  public var format: String
  public var bitrateKbps: Int?
  /// Frames of which nothing can be read any more, of a file that was mended.
  public var gaps: [Range<Int>] = []

  public init(frames: Int, sampleRate: Int, channels: Int, format: String, bitrateKbps: Int? = nil) {
    self.frames = frames
    self.sampleRate = sampleRate
    self.channels = channels
    self.format = format
    self.bitrateKbps = bitrateKbps
  }
}

/// What state a sound file is in.
public enum TakeDiagnosis: Hashable, Sendable {
  /// An ordinary file, finished and sound.
  case complete(TakeShape)
  /// Its recording was cut off, or its end is missing; `repair` makes it complete with this much sound.
  case unfinished(TakeShape)
  /// Not playable as it is; `salvage` may get something out of it.
  case damaged(reason: String)
  /// Nobody knows: whoever looked, in a process of his own, did not come back.
  ///
  /// - Parameter died: it ended him; false: he was given up.
  case unanswered(reason: String, died: Bool)
}

/// Work on one file, a bounded piece at a time, however long the file is. Storage worker only.
public struct TakeWork {
  private let next: () throws(StorageError) -> TakeDiagnosis?

  /// - Parameter next: does a piece; nil while there is more. One that throws is made again.
  public init(_ next: @escaping () throws(StorageError) -> TakeDiagnosis?) { self.next = next }

  /// Does the next piece.
  ///
  /// - Returns: the outcome; nil while there is more to do.
  public func step() throws(StorageError) -> TakeDiagnosis? { try next() }
}

/// Knows the insides of sound files.
///
/// Storage worker only. All work may throw a stall half-way; it is then begun again from the start with the same files,
/// and must come to the same result.
public protocol TakeRepairer: AnyObject, Sendable {
  /// Looks at the structure of a file without changing it. Any content is answered, nothing traps.
  func inspection(of file: any StoredFile) throws(StorageError) -> TakeWork
  /// Completes an unfinished file in place and syncs it. After a crash at any point inside, an inspection must again
  /// find it unfinished (or complete).
  func repair(of file: any StoredFile) throws(StorageError) -> TakeWork
  /// Copies what can be saved of a damaged file into another, from offset 0, cut to its new length, and syncs it.
  func salvage(from damaged: any StoredFile, into target: any StoredFile) throws(StorageError) -> TakeWork
  /// Looks at a file that the device has not made, by its path in the data directory.
  func examination(of path: String) throws(StorageError) -> TakeWork
  /// Whether a file begins as those do that the device makes, also one that was cut off; in one go, for it is a small read.
  func bearsMarks(_ file: any StoredFile) throws(StorageError) -> Bool
  /// Whether an examination is made where it cannot end the program, whatever is in the file.
  var examinesApart: Bool { get }
  /// Nothing more is to be examined for now.
  func rest()
}

extension TakeRepairer {
  public func rest() {}
}
