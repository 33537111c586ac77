public import JSON

/// How much room clips may take. The oldest go first, protected ones never.
public struct ClipRetention: Hashable, Sendable {
  /// Most bytes of finished clips; `nil`: no limit.
  public var quotaBytes: Int?
  /// Bytes that stay free on the medium when a new clip begins.
  public var reserveBytes: Int
  /// False: nothing is ever removed; a full medium then ends clips.
  public var removesOldest: Bool

  public init(quotaBytes: Int? = nil, reserveBytes: Int = 64 << 20, removesOldest: Bool = true) {
    self.quotaBytes = quotaBytes
    self.reserveBytes = reserveBytes
    self.removesOldest = removesOldest
  }
}

/// A clip in a list.
public struct ClipSummary: Hashable, Sendable {
  /// File name in `clips/`.
  public var id: String
  public var bytes: Int
  /// Seconds; 0 if its receipt does not say.
  public var duration: Double
  public var isProtected: Bool
  public var stopReason: String?
  /// What started it; `nil` if its receipt does not say.
  public var trigger: String?
  /// Rate and length of its sound, for the player.
  public var sampleRate: Int
  public var frames: Int
}

extension ClipLibrary {
  /// Finished clips, the newest first, and how many there are in all.
  public func list(offset: Int = 0, limit: Int = 50) -> (clips: [ClipSummary], total: Int) {
    let wanted = clips.reversed().dropFirst(max(0, offset)).prefix(max(0, limit))
    return (wanted.map { summary($0) }, clips.count)
  }

  /// One clip; `nil` if there is none of this name.
  public func summary(_ id: String) -> ClipSummary? { clips.first { $0.id == id }.map { summary($0) } }

  /// Bytes of all finished clips.
  public var totalBytes: Int { clips.reduce(0) { $0 + $1.bytes } }

  private func summary(_ record: ClipRecord) -> ClipSummary {
    let receipt = (try? readReceipt(record.id)) ?? .null
    return ClipSummary(
      id: record.id, bytes: record.bytes, duration: receipt["durationSeconds"]?.numberValue ?? 0,
      isProtected: receipt["protected"]?.boolValue ?? false, stopReason: receipt["stopReason"]?.stringValue,
      trigger: receipt["triggers"]?[0]?["cause"]?.stringValue,
      sampleRate: receipt["sound"]?["sampleRate"]?.integerValue ?? 0,
      frames: receipt["sound"]?["frames"]?.integerValue ?? 0)
  }

  /// A clip's receipt as it is on the storage.
  public func receipt(of id: String) throws(LibraryError) -> JSONValue {
    guard clips.contains(where: { $0.id == id }) || active.contains(id) else { throw .notFound(id) }
    return try readReceipt(id)
  }

  func readReceipt(_ id: String) throws(LibraryError) -> JSONValue { try readReceipt(at: Self.receipt(id)) }

  func readReceipt(at path: String) throws(LibraryError) -> JSONValue {
    let bytes = try disk.read(path, limit: Self.largestReceipt)
    do throws(JSONError) {
      return try JSONValue(parsing: bytes, limits: JSONLimits(bytes: Self.largestReceipt, depth: 32))
    } catch {
      throw .unreadable(path: path, reason: "\(error)")
    }
  }

  func writeReceipt(_ id: String, _ receipt: JSONValue) throws(LibraryError) {
    try disk.replace(Self.receipt(id), with: Array("\(receipt.text)\n".utf8))
  }

  /// Protects a clip against retention, or takes the protection away. Durable on return.
  public func protect(_ id: String, _ isProtected: Bool) throws(LibraryError) {
    guard let index = clips.firstIndex(where: { $0.id == id }) else { throw .notFound(id) }
    var receipt: JSONValue
    do throws(LibraryError) {
      receipt = try readReceipt(id)
    } catch {
      guard error.stalledUntil == nil else { throw error }
      // A clip from elsewhere, or one whose receipt is damaged, can be protected as well.
      receipt = ["id": .string(id)]
    }
    receipt["protected"] = .bool(isProtected)
    try writeReceipt(id, receipt)
    clips[index].isProtected = isProtected
  }

  /// Removes a clip and its receipt for good. After a stall call again.
  public func delete(_ id: String) throws(LibraryError) {
    guard !active.contains(id) else { throw .busy(id) }
    guard clips.contains(where: { $0.id == id }) else { throw .notFound(id) }
    // The clip first: a receipt without a clip is a leftover, a clip without a receipt would be a puzzle.
    try disk.removeIfPresent(Self.path(id))
    try disk.removeIfPresent(Self.receipt(id))
    clips.removeAll { $0.id == id }
  }

  /// Removes the oldest clips that are not protected until quota and reserve are kept, as far as that goes.
  func makeRoom() throws(LibraryError) {
    guard retention.removesOldest else { return }
    var index = 0
    while index < clips.count {
      var isShort = retention.quotaBytes.map { totalBytes > $0 } ?? false
      if !isShort { isShort = try disk.space().free < retention.reserveBytes }
      guard isShort else { return }
      if try isProtected(index) {
        index += 1
        continue
      }
      let id = clips[index].id
      try delete(id)
      warn("\(id) was the oldest clip and made room for a new one")
    }
  }

  private func isProtected(_ index: Int) throws(LibraryError) -> Bool {
    if let known = clips[index].isProtected { return known }
    var isProtected = false
    do throws(LibraryError) {
      isProtected = try readReceipt(clips[index].id)["protected"]?.boolValue ?? false
    } catch {
      if error.stalledUntil != nil { throw error }
      // Without a receipt it is not ours to remove.
      isProtected = true
    }
    clips[index].isProtected = isProtected
    return isProtected
  }
}
