internal import Appliance
internal import Hardware
internal import Library

/// Looks once a second whether the data directory is in its place, and how much room there is. Storage lane only.
struct StorageLookout {
  private let storage: any Storage
  private let lowBytes: Int
  /// When to look next.
  private(set) var next = Instant.zero
  private var level = StorageLevel.ample
  /// It has refused to hold more: what it says of its room is asked again from then on.
  private var refusedUntil = Instant.zero
  /// Free bytes when it refused.
  private var freeAtRefusal = 0
  /// What is wrong with the place of the data directory.
  private var complaint: StorageError?
  /// It is not there at all.
  private(set) var isMissing = false
  /// And with that of its folders.
  private var folderComplaint: String?
  /// What it takes no files of, as has been told.
  private var refused = StorageRefusal()
  private var looks = 0
  /// Takes whose files are gone, as has been said.
  private var lost: Set<String> = []

  private static let interval = Duration.seconds(1)
  /// Looks from one at whom the folders belong to, to the next; and where they take no files.
  private static let looksPerRights = 60
  private static let looksPerRightsIfRefused = 5
  private static let refusalRest = Duration.seconds(10)
  /// Where so much has become free since, somebody has made room.
  private static let madeRoom = 1 << 20

  /// - Parameter lowBytes: free space below which the storage counts as low.
  init(_ storage: any Storage, lowBytes: Int) { (self.storage, self.lowBytes) = (storage, lowBytes) }

  /// Whether it is time to look; it is not again for a while.
  mutating func isDue(_ now: Instant) -> Bool {
    guard now >= next else { return false }
    next = now + Self.interval
    return true
  }

  /// Says it once when the data directory, or its lock, has gone from under the device, and when it is back.
  mutating func checkPlace(_ news: StorageNews) {
    var found: StorageError?
    do throws(StorageError) { try storage.checkPlace() } catch { found = error }
    guard found != complaint else { return }
    complaint = found
    let wasMissing = isMissing
    // It can be written to without its lock.
    isMissing = found?.path == storage.root
    if let found, isMissing {
      return news.tellPlace(
        DeviceError(.lost, device: found.path, operation: found.operation, code: found.code))
    }
    if wasMissing { news.tellPlace(nil) }
    if let found {
      news.tell(.failed(code: "device-lost", text: "\(found)"))
    } else if !wasMissing {
      news.say("the data directory is in order again")
    }
  }

  /// Says it when a folder of it, or the file of a take that is being recorded, has gone from under the device, and has
  /// the library list what is there now.
  mutating func checkFolders(of library: Library, _ news: StorageNews) {
    guard complaint == nil else { return }
    do throws(LibraryError) {
      let changed = try library.lookAtFolders()
      if !changed.isEmpty { lookAtRights() }
      for folder in changed {
        news.tell(
          .failed(
            code: "device-lost",
            text: "\(folder)/ was removed or replaced while the device was running; what is there now is listed"))
      }
      for id in try library.removedWhileRecording() where lost.insert(id).inserted && changed.isEmpty {
        news.tell(
          .failed(
            code: "device-lost",
            text: "recordings/\(id) was removed while it is being recorded: it is lost. Press STOP, then REC."))
      }
      folderComplaint = nil
    } catch {
      guard error.stalledUntil == nil, folderComplaint != "\(error)" else { return }
      folderComplaint = "\(error)"
      news.tell(error)
    }
  }

  /// What it takes files of is looked at next time, and not only now and then.
  mutating func lookAtRights() { looks = 0 }

  /// - Returns: what it takes no files of, if that has changed.
  mutating func checkRights(of library: Library, _ news: StorageNews) -> StorageRefusal? {
    guard !isMissing else {
      lookAtRights()
      return nil
    }
    defer { looks += 1 }
    let each = refused == StorageRefusal() ? Self.looksPerRights : Self.looksPerRightsIfRefused
    guard looks % each == 0 || level == .full else { return nil }
    let take = library.foldersTakeFiles
    let found = StorageRefusal(takes: !take.takes, clips: !take.clips)
    guard found != refused else { return nil }
    // Of a card that is read-only it is told already.
    if complaint == nil {
      if found.takes, !refused.takes { Self.tellRefusing("recordings", news) }
      if found.clips, !refused.clips { Self.tellRefusing("clips", news) }
      if take.takes, take.clips { news.say("recordings/ and clips/ take files again") }
    }
    refused = found
    return found
  }

  private static func tellRefusing(_ folder: String, _ news: StorageNews) {
    news.tell(
      .failed(
        code: "denied",
        text: "\(folder)/ takes no files: it belongs to another user. Give it to the device's (chown), or rename it."))
  }

  /// The storage takes no more, whatever it says of its room (a quota, no more files): it counts as full for a while, and
  /// then as what it says, so that the next take tries.
  mutating func noteRefusal(at now: Instant) {
    level = .full
    refusedUntil = now + Self.refusalRest
    freeAtRefusal = (try? storage.space())?.free ?? 0
  }

  /// - Returns: how full it is, if that has changed.
  mutating func measure(_ news: StorageNews) -> StorageLevel? {
    guard !isMissing else {
      news.noteNoRoom()
      return nil
    }
    guard let space = try? storage.space() else { return nil }
    news.note((space.free, space.total))
    // It has just been due. Nobody who has made room waits.
    guard next > refusedUntil || space.free > freeAtRefusal + Self.madeRoom else { return nil }
    refusedUntil = .zero
    let found: StorageLevel = space.free <= 0 ? .full : space.free < lowBytes ? .low : .ample
    guard found != level else { return nil }
    level = found
    return found
  }
}
