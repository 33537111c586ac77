internal import Appliance
internal import Library
internal import Synchronization

/// Where the marks of the take are that the screens show: of the open one as they are set, of the one in the player as the
/// library knows them. Control lane only.
final class TakeMarks {
  private let storage: StorageWorker
  private let found = FoundMarks()
  /// The take whose marks were asked for last.
  private var askedFor: String?
  private var open: [Double] = []

  /// More are not drawn: there are 128 columns.
  private static let most = 1000

  init(storage: StorageWorker) { self.storage = storage }

  /// Marks of the open take, in seconds of it.
  func ofOpenTake() -> [Double] { open }

  /// Marks of a take in the player, in seconds of it; none until the library has told them.
  func ofTake(_ id: String?) -> [Double] {
    guard let id else { return [] }
    if askedFor != id {
      askedFor = id
      ask(id)
    }
    return found.seconds(of: id)
  }

  /// A mark was set in the open take.
  func add(seconds: Double) { if open.count < Self.most { open.append(seconds) } }

  /// No take is open.
  func closeTake() { if !open.isEmpty { open = [] } }

  /// What was known of the take in the player holds no more.
  func forget() { askedFor = nil }

  private func ask(_ id: String) {
    let found = found
    storage.submit { library throws(LibraryError) in
      // A clip has no marks.
      guard library.summary(id) != nil else { return }
      found.set(id, try library.show(id).bookmarks.prefix(Self.most).map(\.time))
    } onFailure: { _ in
    }
  }
}

/// The marks of one take on their way from the storage lane. Any thread.
private final class FoundMarks: Sendable {
  private struct Content {
    var id = ""
    var seconds: [Double] = []
  }

  private let content = Mutex(Content())

  func set(_ id: String, _ seconds: [Double]) {
    content.withLock { $0 = Content(id: id, seconds: seconds) }
  }

  func seconds(of id: String) -> [Double] { content.withLock { $0.id == id ? $0.seconds : [] } }
}
