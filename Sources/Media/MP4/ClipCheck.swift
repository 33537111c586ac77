public import Hardware

/// Looks whether a finished clip that has no head of its own to be mended by, as one that was trimmed or joined, can be
/// played: by its tables, and by the bytes of its keyframes. Changes nothing.
///
/// Storage lane only; `step` may block.
public struct ClipCheck {
  public enum Outcome: Hashable, Sendable {
    case whole
    /// The reason, a sentence's end.
    case damaged(String)
  }

  private let file: any StoredFile
  private var codec = VideoCodec.h264
  /// Those not looked at yet, the next one last; `nil` before the tables have been read.
  private var keyframes: [ClipReader.Sample]?

  /// Keyframes that are read in one step.
  private static let atOnce = 4

  public init(_ file: any StoredFile) { self.file = file }

  /// Does a bounded piece.
  ///
  /// - Returns: `nil` while there is more. A clip that is too long to be worked on here is taken for whole.
  public mutating func step() throws(StorageError) -> Outcome? {
    guard var keyframes else { return try begin() }
    for _ in 0..<Self.atOnce {
      guard let next = keyframes.popLast() else { return .whole }
      let bytes = try file.bytes(at: next.offset, count: next.bytes)
      guard bytes.count == next.bytes, CodedPicture.isWhole(bytes, codec) else {
        return .damaged("a picture is not where its index says")
      }
    }
    self.keyframes = keyframes
    return nil
  }

  private mutating func begin() throws(StorageError) -> Outcome? {
    switch try ClipReader.read(file) {
    case .whole(let clip):
      guard Self.areApart(clip.pictures + clip.sound) else { return .damaged("its index contradicts itself") }
      codec = clip.description.pictures?.codec ?? .h264
      keyframes = clip.pictures.filter(\.isKeyframe).reversed()
      return nil
    case .tooLong: return .whole
    case .damaged(let reason): return .damaged(reason)
    }
  }

  /// Whether no sample lies in another.
  private static func areApart(_ samples: [ClipReader.Sample]) -> Bool {
    let inOrder = samples.sorted { $0.offset < $1.offset }
    return zip(inOrder, inOrder.dropFirst()).allSatisfy { $0.offset + $0.bytes <= $1.offset }
  }
}
