public import Hardware
public import Sealing

/// Whom new recordings are sealed to, so that the device itself cannot read them once they are made. Storage worker only.
public final class Seals {
  /// Nobody: recordings are open.
  public var recipients: [AgeRecipient] = [] {
    didSet { if !recipients.isEmpty { known = recipients } }
  }
  /// The last there were: a recording whose name says that it is sealed never is to nobody.
  private var known: [AgeRecipient] = []

  /// What stands behind the suffix of a new recording.
  public var suffix: String { recipients.isEmpty ? "" : TakeName.sealedSuffix }
  public var isOn: Bool { !recipients.isEmpty }

  /// A new file, and what of it the storage is given; nil: it is not sealed.
  ///
  /// - Parameters:
  ///   - id: the recording's name, which says whether it is sealed.
  ///   - file: its file, empty.
  ///   - others: whom it is sealed to; none: the last there were.
  public func seal(_ id: String, _ file: any StoredFile, for others: [AgeRecipient] = []) -> SealedFile? {
    guard TakeName.isSealed(id) || ClipSpool.isSealed(id) else { return nil }
    return SealedFile(file, for: others.isEmpty ? known : others)
  }

  /// A small file in one piece.
  func sealed(_ bytes: [UInt8]) -> [UInt8] { isOn ? SealedFile.sealed(bytes, for: recipients) : bytes }
}

extension Disk {
  /// Completes a sealed file as far as that goes without its key.
  ///
  /// - Returns: its size.
  func completeSealed(_ path: String) throws(LibraryError) -> Int {
    let file = try open(path, writable: true)
    defer { file.close() }
    file.usesReserve = true
    do throws(StorageError) { _ = try SealedEnding.complete(file) } catch { throw .storage(error) }
    return file.size
  }
}
