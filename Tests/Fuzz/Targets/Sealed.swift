import Hardware
import Sealing
import TestSupport

extension FuzzTarget {
  /// Age files, finished, cut off and in the middle of being written, before somebody who has their key; and files of keys.
  static let sealed = FuzzTarget("sealed", .bytes, make: { Sealed.valid(&$0) }) { Sealed.judge($0) }

  /// A key for this only.
  private enum Sealed {
    static let identities =
      AgeIdentity.list("AGE-SECRET-KEY-1979PZUS2GU9V4WVFNWG7UCG0EKT92RSPMH8XXWQJ2ESXJ3AVP5PSDKML97") ?? []
    static let recipients =
      AgeRecipient.list("age1dldd27nv0ymzn6za02t9eev7lsl0c72405mvvm3vdflluze9auxse3sxpd") ?? []
    /// What is in every valid input, or a beginning of it.
    static let text = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

    static func valid(_ dice: inout SeededGenerator) -> [UInt8]? {
      // Beside a chunk's edge, or short.
      let edge = 65_536 * dice.below(3)
      let count = max(0, min(text.count, dice.chance(3) ? dice.below(3000) : edge + dice.below(40) - 20))
      if dice.chance(3) { return SealedFile.sealed(Array(text[..<count]), for: recipients) }
      let file = MemoryFile()
      let sealed = SealedFile(file, for: recipients)
      do throws(StorageError) {
        var place = 0
        while place < count {
          let end = min(count, place + 1 + dice.below(30_000))
          try sealed.write(text, place..<end, at: place)
          place = end
          if dice.chance(2) { sealed.settle(to: place) }
          if dice.chance(2) { try sealed.sync() }
        }
        if dice.chance(2) {
          sealed.beginEnd()
          try sealed.seal()
        }
      } catch { return nil }
      return file.bytes
    }

    static func judge(_ bytes: [UInt8]) -> String? {
      guard !identities.isEmpty, !recipients.isEmpty else { return "the keys are none" }
      let words = String(decoding: bytes.prefix(4096), as: UTF8.self)
      _ = AgeIdentity.list(words)
      if let list = AgeRecipient.list(words), list.count > AgeRecipient.most { return "\(list.count) recipients" }
      let file = MemoryFile(bytes)
      var (place, hasGap) = (0, false)
      do throws(SealedFailure) {
        var sealed = try SealedText(file, identities)
        while let piece = try sealed.next() {
          let isSealed = piece.count <= text.count - place && piece.elementsEqual(text[place..<place + piece.count])
          // In the place of a chunk that does not open.
          let isGap = piece.count == 65_536 && piece.allSatisfy { $0 == 0 }
          guard isSealed || isGap else { return "what nobody has sealed is read at \(place)" }
          hasGap = hasGap || !isSealed
          place += piece.count
        }
        if hasGap { return "a gap is not told" }
      } catch {
        if case .storage(let error) = error { return "memory answered \(error)" }
      }
      return file.writes.isEmpty ? nil : "reading has changed it"
    }
  }
}
