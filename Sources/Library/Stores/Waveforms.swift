internal import Hardware

/// The shapes of takes as the player shows them, kept so that they need not be decoded again: a file of places of equal
/// size, one of which each take has. Two takes that have the same one take turns, and what is damaged, or of another
/// state of the take, is none: who wants it makes it anew. Storage worker only.
public final class Waveforms: @unchecked Sendable {
  /// Columns of a shape.
  public static let columns = 128

  private let disk: Disk
  private var file: (any StoredFile)?
  private var places = 0

  static let path = "cache/waveforms"
  private static let mark = Array("MWF1".utf8)
  private static let keyBytes = 20
  /// Mark, key, columns, and a sum of all of it.
  static let bytes = mark.count + keyBytes + columns + 4
  /// 2.6 MB; less where that would be a twentieth of the disk.
  private static let mostPlaces = 16_384
  private static let share = 20

  init(_ disk: Disk) { self.disk = disk }

  deinit { file?.close() }

  /// What is kept of a take: peaks, 0…1; empty if nothing is.
  public func peaks(of take: TakeSummary) -> [Float] {
    let key = Self.key(take)
    var bytes = [UInt8](repeating: 0, count: Self.bytes)
    guard let file = open(isNeeded: false), let count = try? disk.read(into: &bytes, from: file, at: place(of: key)),
      count == Self.bytes, bytes.starts(with: Self.mark + key), Array(bytes.suffix(4)) == Self.sum(bytes.dropLast(4))
    else { return [] }
    return bytes.dropFirst(Self.mark.count + Self.keyBytes).prefix(Self.columns).map { Float($0) / 255 }
  }

  /// Keeps a shape; that it may not be there the next time is no harm.
  public func keep(_ peaks: [Float], of take: TakeSummary) {
    guard peaks.count == Self.columns, let file = open(isNeeded: true) else { return }
    let key = Self.key(take)
    var bytes = Self.mark + key + peaks.map { UInt8(min(1, max(0, $0)) * 255) }
    bytes += Self.sum(bytes[...])
    try? disk.write(bytes, to: file, at: place(of: key))
  }

  private func open(isNeeded: Bool) -> (any StoredFile)? {
    if let file { return file }
    guard let space = try? disk.space() else { return nil }
    places = max(1, min(Self.mostPlaces, space.total / Self.share / Self.bytes))
    file = try? disk.open(Self.path, writable: true)
    if file == nil, isNeeded { file = try? disk.create(Self.path) }
    return file
  }

  private func place(of key: [UInt8]) -> Int { Int(Checksum.fnv32(key)) % places * Self.bytes }

  /// The take in its present state.
  private static func key(_ take: TakeSummary) -> [UInt8] {
    let name = Checksum.fnv64(take.id.utf8)
    return number(name, 8) + number(UInt64(truncatingIfNeeded: take.fileSizeBytes), 6)
      + number(UInt64(truncatingIfNeeded: take.frames), 6)
  }

  private static func sum(_ bytes: ArraySlice<UInt8>) -> [UInt8] { number(UInt64(Checksum.fnv32(bytes)), 4) }

  private static func number(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
