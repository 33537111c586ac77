internal import Hardware

/// Whether an Ogg file has several streams one behind the other (RFC 3533, 4), as recordings of radio have. Of these
/// libavformat knows the length of the first only, and time stamps begin anew with each.
enum OggChain {
  /// So many places of a long file are looked at.
  private static let looks = 16
  /// Bytes of a look, more than a page has.
  private static let window = 72 << 10
  /// Bytes of pages that are summed: some times what there is where each page is one.
  private static let mostSummed = 8 << 20

  static func isOne(path: String) -> Bool {
    guard let file = AVIOFile(path: path, isBuffered: false) else { return false }
    do throws(StorageError) { return try isOne(file) } catch { return false }
  }

  private static func isOne(_ file: any StoredFile) throws(StorageError) -> Bool {
    // The streams that begin with the file, and the page of each that was seen last.
    var last: [UInt32: UInt32] = [:]
    var isHead = true
    var seen = 0
    var left = mostSummed
    for look in 0...looks {
      let start = max(seen, max(0, file.size - window) / looks * look)
      let bytes = try file.bytes(at: start, count: window)
      // Ours never are.
      if look == 0, OggPage.isOurs(bytes) { return false }
      var place = 0
      while place < bytes.count {
        guard bytes[place] == UInt8(ascii: "O"), let (page, end) = OggPage.whole(bytes, at: place, summing: &left)
        else {
          place += 1
          continue
        }
        place = end
        seen = start + end
        let begins = page.flags & OggPage.firstFlag != 0
        if begins || last.isEmpty {
          guard isHead else { return true }
        } else {
          isHead = false
          guard let before = last[page.serial], page.number >= before else { return true }
        }
        last[page.serial] = page.number
      }
    }
    return false
  }
}
