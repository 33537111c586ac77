import Hardware
import Library

/// A doctor for a toy format: `TAKE`, one byte of state (`R` recording, `C` complete), three of nought, then four bytes
/// a frame, and `DONE` at the end of a complete file. Anything that does not begin with `TAKE` is damaged; what ends in
/// `DONE` nonetheless can be salvaged.
final class FakeDoctor: TakeRepairer, @unchecked Sendable {
  static let rate = 48_000
  private(set) var inspections = 0
  /// What is missing in what it repairs.
  var gaps: [Range<Int>] = []
  /// Pieces that each work is made of.
  var pieces = 1
  var examinesApart = true
  /// A file at which the program ends: from then on nothing is done any more.
  var deadly: String?
  private(set) var isDead = false
  /// Another process dies of it as well.
  var isDeadlyApart = true
  private(set) var examinations = 0
  var onInspection: ((String) -> Void)?
  /// What examinations open.
  private let storage: (any Storage)?

  init(_ storage: (any Storage)? = nil) { self.storage = storage }

  private func work(_ body: @escaping () throws(StorageError) -> TakeDiagnosis) -> TakeWork {
    var left = pieces
    return TakeWork { () throws(StorageError) in
      left -= 1
      return left > 0 ? nil : try body()
    }
  }

  func inspection(of file: any StoredFile) throws(StorageError) -> TakeWork {
    work { () throws(StorageError) in try self.inspect(file) }
  }

  func repair(of file: any StoredFile) throws(StorageError) -> TakeWork {
    work { () throws(StorageError) in try self.repair(file) }
  }

  func salvage(from damaged: any StoredFile, into target: any StoredFile) throws(StorageError) -> TakeWork {
    work { () throws(StorageError) in try self.save(from: damaged, into: target) }
  }

  func examination(of path: String) throws(StorageError) -> TakeWork {
    work { () throws(StorageError) in
      guard let storage = self.storage else { return .damaged(reason: "There is no storage.") }
      self.examinations += 1
      if self.examinesApart, let deadly = self.deadly, path.hasSuffix(deadly) {
        guard !self.isDeadlyApart else { return .unanswered(reason: "It ended another process.", died: true) }
        return .complete(Self.shape(1))
      }
      return try self.inspect(try storage.open(path, writable: false))
    }
  }

  func bearsMarks(_ file: any StoredFile) throws(StorageError) -> Bool {
    try Self.content(file).starts(with: Array("TAKE".utf8))
  }

  static func recording(frames: Int) -> [UInt8] {
    Array("TAKER".utf8) + [0, 0, 0] + body(frames)
  }

  static func complete(frames: Int) -> [UInt8] {
    Array("TAKEC".utf8) + [0, 0, 0] + body(frames) + Array("DONE".utf8)
  }

  static func body(_ frames: Int) -> [UInt8] { (0..<frames * 4).map { UInt8(truncatingIfNeeded: $0 % 251) } }

  static func shape(_ frames: Int) -> TakeShape {
    TakeShape(frames: frames, sampleRate: rate, channels: 2, format: "wav")
  }

  func inspect(_ file: any StoredFile) throws(StorageError) -> TakeDiagnosis {
    inspections += 1
    onInspection?(file.path)
    if isDead || deadly.map({ file.path.hasSuffix($0) }) == true {
      isDead = true
      throw StorageError(.stalled(until: .distantFuture), operation: "live", path: file.path)
    }
    let bytes = try Self.content(file)
    guard bytes.count >= 8, bytes.starts(with: Array("TAKE".utf8)) else {
      return .damaged(reason: "It does not begin as a take.")
    }
    if bytes[4] == UInt8(ascii: "C"), bytes.suffix(4) == Array("DONE".utf8)[...], bytes.count >= 12 {
      return .complete(Self.shape((bytes.count - 12) / 4))
    }
    return .unfinished(Self.shape(Self.frames(bytes)))
  }

  func repair(_ file: any StoredFile) throws(StorageError) -> TakeDiagnosis {
    let frames = Self.frames(try Self.content(file))
    try Self.write(Array("DONE".utf8), file, at: 8 + frames * 4)
    try file.truncate(to: 12 + frames * 4)
    try Self.write([UInt8(ascii: "C")], file, at: 4)
    try file.sync()
    var shape = Self.shape(frames)
    shape.gaps = gaps
    return .complete(shape)
  }

  /// Whole frames of an unfinished file; an end that an interrupted repair has written is not sound.
  private static func frames(_ bytes: [UInt8]) -> Int {
    (bytes.count - (bytes.suffix(4) == Array("DONE".utf8)[...] ? 12 : 8)) / 4
  }

  private func save(from damaged: any StoredFile, into target: any StoredFile) throws(StorageError) -> TakeDiagnosis {
    let bytes = try Self.content(damaged)
    guard bytes.count > 12, bytes.suffix(4) == Array("DONE".utf8)[...] else {
      return .damaged(reason: "Nothing in it can be read.")
    }
    try Self.write(Array("TAKEC".utf8) + [0, 0, 0] + bytes[8...], target, at: 0)
    try target.truncate(to: bytes.count)
    try target.sync()
    return .complete(Self.shape((bytes.count - 12) / 4))
  }

  static func content(_ file: any StoredFile) throws(StorageError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: file.size)
    var failure: StorageError?
    bytes.withUnsafeMutableBytes { buffer in
      do throws(StorageError) { _ = try file.read(into: buffer, at: 0) } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  static func write(_ bytes: [UInt8], _ file: any StoredFile, at offset: Int) throws(StorageError) {
    var failure: StorageError?
    bytes.withUnsafeBytes { buffer in
      do throws(StorageError) { try file.write(buffer, at: offset) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
