public import Hardware

/// A take in a list.
public struct TakeSummary: Hashable, Sendable {
  public var id: String
  public var displayName: String
  public var createdAt: WallTime
  /// Exact length; 0 while it is being recorded.
  public var frames: Int
  /// Hertz.
  public var sampleRate: Int
  public var channels: Int
  public var format: String
  public var bitrateKbps: Int?
  public var fileSizeBytes: Int
  public var userTags: [String]
  public var favourite: Bool
  /// Locked against deletion.
  public var isProtected = false
  /// A file from elsewhere of which nothing can be made; it is listed, and left as it is.
  public var isUnreadable = false
  /// A file that has not been looked at yet: no more than its name and size is known.
  public var isPending = false
  /// Being recorded, or cut off and not yet repaired.
  public var inProgress: Bool
  public var stopReason: String?
  /// Seconds.
  public var lastPlayedPosition: Double?
  public var bookmarkCount: Int
  /// The files of a split take, in their order; none where there is one.
  public var parts: [TakePart]?
  /// The safety takes beside its files.
  public var safety: [TakePart] = []

  /// Seconds.
  public var duration: Double { sampleRate > 0 ? Double(frames) / Double(sampleRate) : 0 }
}

extension TakeSummary {
  /// One take of several files: their sums, and what people say of the first.
  init?(parts: [TakeSummary]) {
    guard let first = parts.first else { return nil }
    self = first
    guard parts.count > 1 else { return }
    for part in parts.dropFirst() {
      frames &+= part.frames
      fileSizeBytes &+= part.fileSizeBytes
      bookmarkCount &+= part.bookmarkCount
      isProtected = isProtected || part.isProtected
      inProgress = inProgress || part.inProgress
      stopReason = part.stopReason
    }
    self.parts = parts.map {
      TakePart(id: $0.id, frames: $0.frames, sampleRate: $0.sampleRate, bytes: $0.fileSizeBytes)
    }
  }

  public var hasSafety: Bool { !safety.isEmpty }
  /// Bytes of the safety takes; nil without one.
  public var safetyBytes: Int? { hasSafety ? safety.reduce(0) { $0 &+ $1.bytes } : nil }

  /// Its files, in their order.
  public var files: [TakePart] {
    parts ?? [TakePart(id: id, frames: frames, sampleRate: sampleRate, bytes: fileSizeBytes)]
  }
}

/// A file of a take.
public struct TakePart: Hashable, Sendable {
  public var id: String
  /// Exact length; 0 while it is being recorded.
  public var frames: Int
  /// Hertz.
  public var sampleRate: Int
  public var bytes: Int
}

/// A window of the list.
public struct TakePage: Hashable, Sendable {
  public var takes: [TakeSummary]
  /// How many takes match in all.
  public var total: Int
}

/// The library in numbers.
public struct LibraryTotals: Hashable, Sendable {
  public var takes: Int
  /// Seconds of sound.
  public var seconds: Double
  /// Bytes of sound files.
  public var bytes: Int
  /// Bytes that may still be written, the reserve not counted.
  public var freeBytes: Int
  /// Size of the file system.
  public var totalBytes: Int
}
