internal import Hardware
internal import JSON
internal import Media

/// A clip that is put together from others, a second of media at a time. Storage lane only.
///
/// It appears like any other clip, at once and whole; a crash on the way leaves nothing.
public final class ClipEditing {
  private let library: ClipLibrary
  private let sources: [String]
  private let range: Range<Double>?
  private var work: (id: String, editor: ClipEditor, target: any StoredFile, opened: [any StoredFile])?

  /// - Parameters:
  ///   - sources: file names in `clips/`, in the order in which they are to be seen.
  ///   - range: of one source, seconds; `nil`: all of each.
  init(_ library: ClipLibrary, _ sources: [String], range: Range<Double>?) {
    self.library = library
    self.sources = sources
    self.range = range
  }

  deinit { close() }

  /// Does the next piece of the work. After a stall call again.
  ///
  /// - Returns: the new clip's file name when it is there; `nil` while there is more to be done.
  public func step() throws(LibraryError) -> String? {
    do throws(LibraryError) {
      if work == nil { try begin() }
      guard let (id, editor, target, _) = work else { throw .notFound("the clip being edited") }
      do throws(StorageError) {
        guard try editor.step() else { return nil }
      } catch {
        throw .storage(error)
      }
      try library.finishEdit(id, receipt: receipt(id, editor, bytes: target.size), bytes: target.size)
      close()
      return id
    } catch {
      if error.stalledUntil == nil { giveUp() }
      throw error
    }
  }

  private func begin() throws(LibraryError) {
    var opened: [any StoredFile] = []
    do throws(LibraryError) {
      for source in sources {
        guard library.summary(source) != nil else { throw .notFound(source) }
        opened.append(try library.disk.open(ClipLibrary.path(source), writable: false))
      }
      let wall = library.clock.wallNow
      let (id, target) = try library.beginEdit(createdAt: wall)
      do throws(MediaError) {
        let editor: ClipEditor
        if let range, let only = opened.first {
          editor = try ClipEditor(trimming: only, to: range, into: target, createdAt: wall, title: id)
        } else {
          editor = try ClipEditor(joining: opened, into: target, createdAt: wall, title: id)
        }
        work = (id, editor, target, opened)
      } catch {
        target.close()
        try library.discardEdit(id)
        throw .badArgument("\(error)")
      }
    } catch {
      for file in opened { file.close() }
      throw error
    }
  }

  private func receipt(_ id: String, _ editor: ClipEditor, bytes: Int) -> JSONValue {
    var receipt: JSONValue = [
      "version": 1, "id": .string(id), "path": .string(ClipLibrary.path(id)),
      "durationSeconds": .number(editor.duration), "fileBytes": .integer(bytes), "stopReason": "edited",
      "sources": .array(sources.map { .string($0) }), "protected": false,
    ]
    if let range { receipt["range"] = [.number(range.lowerBound), .number(range.upperBound)] }
    if let first = sources.first, let before = try? library.readReceipt(first) {
      receipt["operator"] = before["operator"]
      receipt["pictures"] = before["pictures"].map {
        var pictures = $0
        pictures["captured"] = .integer(editor.pictures)
        return pictures
      }
      receipt["sound"] = before["sound"].map {
        var sound = $0
        sound["frames"] = .integer(editor.frames)
        return sound
      }
    }
    return receipt
  }

  private func giveUp() {
    guard let id = work?.id else { return }
    close()
    do throws(LibraryError) { try library.discardEdit(id) } catch {
      library.warn("an unfinished clip stays behind until the next start: \(error)")
    }
  }

  private func close() {
    work?.target.close()
    for file in work?.opened ?? [] { file.close() }
    work = nil
  }
}

extension ClipLibrary {
  static let editSuffix = ".edit"

  /// A new clip of others, one after the other; they must agree in size, codec and sound. The work is done by the steps
  /// of what is returned.
  public func join(_ sources: [String]) -> ClipEditing { ClipEditing(self, sources, range: nil) }

  /// A new clip of a part of another: from the picture shown at the range's start (seconds) to its end exactly.
  public func trim(_ source: String, to range: Range<Double>) -> ClipEditing {
    ClipEditing(self, [source], range: range)
  }

  func beginEdit(createdAt: WallTime) throws(LibraryError) -> (String, any StoredFile) {
    try makeRoom()
    let name = try freeName(createdAt: createdAt, fileExtension: "mp4")
    return (name.file, try disk.create(Self.path(name.file) + Self.editSuffix))
  }

  func finishEdit(_ id: String, receipt: JSONValue, bytes: Int) throws(LibraryError) {
    try writeReceipt(id, receipt)
    try disk.moveIfPresent(Self.path(id) + Self.editSuffix, to: Self.path(id))
    enter(ClipRecord(id: id, bytes: bytes))
    try takes.keepCounter()
  }

  func discardEdit(_ id: String) throws(LibraryError) {
    try disk.removeIfPresent(Self.path(id) + Self.editSuffix)
    try disk.removeIfPresent(Self.receipt(id))
  }
}
