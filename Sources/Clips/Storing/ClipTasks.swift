public import Hardware
internal import Media
public import Recording

/// Where snapshots are kept. Storage lane only; every call may block, and may throw `stalled` having done nothing that a
/// second call would do twice.
public protocol PictureStore: AnyObject {
  /// Keeps a picture: `clips/000044_<stamp>.jpg`, appearing whole.
  ///
  /// - Returns: its file name.
  func keepPicture(_ bytes: [UInt8], createdAt: WallTime) throws(StorageError) -> String
}

/// Where the spool is kept. The same rules.
public protocol SpoolStore: AnyObject {
  /// Removes every piece.
  func clear() throws(StorageError)
}

/// What clip capture wants of the storage beside recordings: snapshots, and the spool's end. Storage lane only.
public final class ClipTasks: RecordingTasks {
  private let pictures: any PictureStore
  private let spool: any SpoolStore
  private let room: Int
  /// The JPEG that is being kept: it is not made again after a stall.
  private var jpeg: [UInt8]?

  /// - Parameter room: bytes of decoded pictures at a time.
  public init(pictures: any PictureStore, spool: any SpoolStore, room: Int) {
    self.pictures = pictures
    self.spool = spool
    self.room = room
  }

  public func perform(_ task: RecordingTask) throws(StorageError) -> FileWriter.Event? {
    switch task {
    case .clearSpool:
      try spool.clear()
      return nil
    case .snapshot(let order):
      let bytes: [UInt8]
      if let jpeg {
        bytes = jpeg
      } else {
        switch picture(order) {
        case .success(let made): bytes = made
        case .failure(let refusal):
          return .failed(nil, code: refusal.code, text: "the picture was not kept: \(refusal.reason)")
        }
        jpeg = bytes
      }
      let name = try pictures.keepPicture(bytes, createdAt: order.takenAt)
      jpeg = nil
      return .picture(path: "clips/\(name)")
    }
  }

  public func fail(_ task: RecordingTask, _ error: StorageError) -> FileWriter.Event? {
    jpeg = nil
    // What is left over of a spool is looked at by the next start.
    guard case .snapshot = task else { return nil }
    return .failed(
      nil, code: error.kind == .full ? "storage-full" : "internal",
      text: "the picture was not kept: \(error)")
  }

  private struct Refusal: Error {
    var code: String
    var reason: String
  }

  /// The JPEG of a snapshot: the camera's own, or decoded from its group and encoded again.
  private func picture(_ order: SnapshotOrder) -> Result<[UInt8], Refusal> {
    guard let last = order.pictures.last else {
      return .failure(Refusal(code: "device-lost", reason: "the camera has delivered none"))
    }
    if order.codec == .mjpeg { return .success(JPEGTables.complete(last)) }
    do throws(MediaError) {
      let decoder = try VideoDecoder(order.codec, room: room, depth: order.depth)
      // They come out as they are seen: the wanted one, and those after it, are the last.
      var seen: [Picture] = []
      func keep(_ picture: Picture) {
        seen.append(picture)
        if seen.count > order.later + 1 { seen.removeFirst() }
      }
      for bytes in order.pictures {
        var failure: MediaError?
        bytes.withUnsafeBytes { raw in
          do throws(MediaError) { try decoder.decode(raw, emit: keep) } catch { failure = error }
        }
        if let failure { throw failure }
      }
      try decoder.finish(emit: keep)
      guard let found = seen.first else {
        return .failure(Refusal(code: "unsupported", reason: "it could not be decoded"))
      }
      return .success(try JPEGEncoder.encode(found))
    } catch {
      return .failure(Refusal(code: "internal", reason: "\(error)"))
    }
  }
}
