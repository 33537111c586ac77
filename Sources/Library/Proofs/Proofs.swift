public import Hardware
public import JSON
public import Proof

/// The signed receipts beside takes and clips: begun with a recording, and kept in line with what the device does to it
/// later. Storage worker only.
///
/// A recording never fails by its proof: what cannot be signed is said, and stays unsigned or cut off.
public final class Proofs {
  private let disk: Disk
  private let clock: any DeviceClock
  private let notices: Notices
  private var key: DeviceKey?
  /// The words that stand for the device's key; empty while it is not needed. Memory only.
  public private(set) var words: [String] = []

  /// Whether new recordings are signed.
  public private(set) var isOn = false
  /// What proofs say of the device.
  public var device: [String: String] = [:]

  init(disk: Disk, clock: any DeviceClock, notices: Notices) {
    self.disk = disk
    self.clock = clock
    self.notices = notices
  }

  /// Signs from the next recording on, or no more. Makes the device's key, if there is none yet.
  public func turn(_ isOn: Bool) throws(LibraryError) {
    self.isOn = isOn
    if isOn { _ = try makeKey() }
  }

  /// The device's public key, made if there is none yet.
  public func publicKey() throws(LibraryError) -> PublicKey { try makeKey().publicKey }

  private func makeKey() throws(LibraryError) -> DeviceKey {
    if let key { return key }
    do throws(StorageError) {
      let new = try DeviceKey.load(from: disk.storage)
      key = new
      words = new.publicKey.words
      return new
    } catch { throw .storage(error) }
  }

  /// The key that there is: none is made for what was never signed.
  private func knownKey() throws(LibraryError) -> DeviceKey? {
    if let key { return key }
    return try disk.entry(DeviceKey.path) == nil ? nil : try makeKey()
  }

  private var anchor: ProofAnchor { ProofAnchor(monotonic: clock.now, wall: clock.wallNow) }

  // MARK: Recordings

  /// What signs a new recording; nil if none is to, or the device has no key. Nothing is written yet.
  ///
  /// - Parameters:
  ///   - path: of the recording when it is complete.
  ///   - isWanted: nil: as is set now.
  ///   - fill: puts in what is known of the recording.
  public func begin(
    _ kind: String, path: String, isOn isWanted: Bool? = nil, _ fill: (inout ProofHeader) -> Void
  ) -> ProofWriter? {
    guard isWanted ?? isOn, let key else { return nil }
    var header = ProofHeader(kind: kind, id: path.pathParts.name, anchor: anchor)
    header.device = device
    fill(&header)
    let storage = disk.storage
    let folder = path.pathParts.folder ?? ""
    return ProofWriter(
      key: key, header: header, open: { () throws(StorageError) in try storage.create(ProofName.of(path)) },
      name: { () throws(StorageError) in try storage.syncDirectory(folder) })
  }

  /// Signs the end of a recording whose notes are written; a proof that cannot be written stays without one.
  ///
  /// - Throws: stalls only; call again then.
  public func end(
    _ proof: ProofWriter, notes: [String: JSONValue], seconds: Double, facts: [String: JSONValue] = [:]
  ) throws(StorageError) {
    do throws(StorageError) {
      try proof.end(notes: notes, seconds: seconds, facts: facts, at: anchor)
    } catch {
      if case .stalled = error.kind { throw error }
      notices.warn("a signed receipt has no end: \(error)")
      proof.close()
    }
  }

  // MARK: What becomes of them

  /// The device has completed a file that the power had cut off.
  func completeCutOff(_ path: String, proof: String? = nil, notes: [String: JSONValue]) throws(LibraryError) {
    let anchor = anchor
    try amend(path, proof) { proof, media throws(StorageError) in
      try proof.completeCutOff(media, notes: notes, at: anchor)
    }
  }

  /// The marks in a file are about to be rewritten, if nobody else has changed it.
  ///
  /// - Returns: whether it is signed; then `finishMarks` is to be called.
  func announceMarks(_ path: String) throws(LibraryError) -> Bool {
    let anchor = anchor
    return try amend(path, nil, isNeeded: true) { proof, media throws(StorageError) -> Bool in
      guard try proof.isAsSigned(media) else { return false }
      try proof.announceMarks(at: anchor)
      return true
    } ?? false
  }

  func finishMarks(_ path: String) throws(LibraryError) {
    let anchor = anchor
    try amend(path, nil) { proof, media throws(StorageError) in try proof.finishMarks(media, at: anchor) }
  }

  /// A recording gets another date, for the clock was not set when it began.
  func date(_ path: String, _ createdAt: WallTime) throws(LibraryError) {
    let anchor = anchor
    try amend(path, nil, isNeeded: true) { proof, media throws(StorageError) in
      guard try proof.isAsSigned(media) else { return }
      try proof.note(["createdAt": .string(createdAt.iso8601)], at: anchor)
    }
  }

  /// - Parameter isNeeded: without it the recording is not to be changed.
  @discardableResult
  private func amend<Outcome>(
    _ path: String, _ proof: String?, isNeeded: Bool = false,
    _ change: (inout ProofAmender, any StoredFile) throws(StorageError) -> Outcome
  ) throws(LibraryError) -> Outcome? {
    let place = proof ?? ProofName.of(path)
    guard try disk.entry(place) != nil, let key = try knownKey() else { return nil }
    let file = try disk.open(place, writable: true)
    defer { file.close() }
    file.usesReserve = true
    let media = try disk.open(path, writable: false)
    defer { media.close() }
    do throws(StorageError) {
      guard var amender = try ProofAmender(file, key: key) else { return nil }
      return try change(&amender, media)
    } catch {
      if case .stalled = error.kind { throw .storage(error) }
      if isNeeded, error.kind == .full { throw .storage(error) }
      notices.warn("the signed receipt of \(path) could not be kept in line: \(error)")
      return nil
    }
  }

  // MARK: Checking

  /// Compares a recording with its proof, a bounded piece a step.
  func check(_ path: String, notes: String) throws(LibraryError) -> ProofCheck {
    try ProofCheck(disk, path, notes: notes)
  }
}

/// A recording that is compared with its signed receipt. Storage worker only.
public final class ProofCheck {
  private let media: any StoredFile
  private let proof: (any StoredFile)?
  private let notes: JSONValue?
  private var verifier: ProofVerifier

  private static let largestNotes = 4 << 20

  init(_ disk: Disk, _ path: String, notes place: String) throws(LibraryError) {
    let isSigned = try disk.entry(ProofName.of(path)) != nil
    let hasNotes = try disk.entry(place) != nil
    let bytes = hasNotes ? try disk.read(place, limit: Self.largestNotes) : []
    notes = try? JSONValue(parsing: bytes, limits: JSONLimits(bytes: Self.largestNotes))
    proof = isSigned ? try disk.open(ProofName.of(path), writable: false) : nil
    do throws(LibraryError) { media = try disk.open(path, writable: false) } catch {
      proof?.close()
      throw error
    }
    verifier = ProofVerifier(media: media, proof: proof, notes: notes)
  }

  deinit {
    media.close()
    proof?.close()
  }

  /// Does the next piece; after a stall it begins again.
  ///
  /// - Returns: nil while there is more to do.
  public func step() throws(LibraryError) -> ProofVerdict? {
    do throws(StorageError) { return try verifier.step() } catch {
      verifier = ProofVerifier(media: media, proof: proof, notes: notes)
      throw .storage(error)
    }
  }

  /// SHA-256 of the last record of the proof; nil without one.
  var hash: String? { proof.flatMap { try? ProofAmender.lastHash($0) } }
}

extension FileMeta {
  /// What a proof says of the notes when a take ends in order, by path: what only the device says of it.
  public var signed: [String: JSONValue] {
    var notes = signedAtRecovery
    notes["stopReason"] = stopReason.map(JSONValue.string)
    notes["preRecordSeconds"] = preRecordSeconds.map(JSONValue.number)
    notes["source"] = source.map(JSONValue.string)
    notes["receipt"] = unknown["receipt"]
    return notes
  }

  /// The marks as they are when it ends; people change them later.
  public var signedMarks: JSONValue {
    .array(bookmarks.map { ["time": .number($0.time), "title": $0.title.map(JSONValue.string) ?? .null] })
  }

  /// What it says of them from the beginning.
  public var signedAtStart: [String: JSONValue] {
    var notes: [String: JSONValue] = [
      "createdAt": .string(createdAt.iso8601), "audio.sampleRate": .integer(audio.sampleRate),
      "audio.channels": .integer(audio.channels), "audio.format": .string(audio.format),
    ]
    notes["operator"] = operatorName.map(JSONValue.string)
    notes["startedMonotonic"] = startedMonotonic.map(JSONValue.number)
    return notes
  }

  /// What it says of them after a power cut.
  var signedAtRecovery: [String: JSONValue] {
    var notes = signedAtStart
    notes["frames"] = .integer(frames)
    notes["gaps"] = .array(gaps.map(\.value))
    return notes
  }
}
