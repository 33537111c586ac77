internal import Hardware

/// A recording's file of which a proof hears what is written. Storage lane only.
final class TappedFile: StoredFile, @unchecked Sendable {
  private let file: any StoredFile
  private let proof: ProofWriter

  init(_ file: any StoredFile, _ proof: ProofWriter) {
    self.file = file
    self.proof = proof
  }

  var path: String { file.path }
  var size: Int { file.size }
  var usesReserve: Bool {
    get { file.usesReserve }
    set { file.usesReserve = newValue }
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    try file.write(bytes, at: offset)
    proof.hear(bytes, at: offset)
  }

  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    try file.read(into: target, at: offset)
  }

  func truncate(to size: Int) throws(StorageError) { try file.truncate(to: size) }
  func sync() throws(StorageError) { try file.sync() }
  func forgetCached() { file.forgetCached() }
  func close() { file.close() }
}
