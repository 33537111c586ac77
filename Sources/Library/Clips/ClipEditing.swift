internal import Hardware
internal import JSON
internal import Media
internal import Proof

/// A clip that is put together from others, a second of media at a time. Storage lane only.
///
/// It appears like any other clip, at once and whole; a crash on the way leaves nothing.
public final class ClipEditing {
  private let clips: ClipLibrary
  private let sources: [String]
  private let range: Range<Double>?
  private var work: (id: String, editor: ClipEditor, target: any StoredFile, opened: [any StoredFile])?
  /// What its proof says of the sources; they are looked at before anything is made of them.
  private var proven: [ProofSource] = []
  private var check: ProofCheck?
  private var proof: ProofWriter?

  /// - Parameters:
  ///   - sources: file names in `clips/`, in the order in which they are to be seen.
  ///   - range: of one source, seconds; `nil`: all of each.
  init(_ clips: ClipLibrary, _ sources: [String], range: Range<Double>?) {
    self.clips = clips
    self.sources = sources
    self.range = range
  }

  deinit { close() }

  /// Does the next piece of the work. After a stall call again.
  ///
  /// - Returns: the new clip's file name when it is there; `nil` while there is more to be done.
  public func step() throws(LibraryError) -> String? {
    do throws(LibraryError) {
      if work == nil {
        guard try hasLookedAtSources() else { return nil }
        try begin()
      }
      guard let (id, editor, target, _) = work else { throw .notFound("the clip being edited") }
      do throws(StorageError) {
        guard try editor.step() else { return nil }
        if let proof, try proof.hashRest(of: target) { return nil }
      } catch {
        throw .storage(error)
      }
      let receipt = receipt(id, editor, bytes: target.size)
      try clips.finishEdit(id, of: sources, receipt: receipt, bytes: target.size) { () throws(StorageError) in
        guard let proof else { return }
        var notes = receipt.objectValue ?? [:]
        notes["protected"] = nil
        try clips.proofs.end(proof, notes: notes, seconds: editor.facts.duration)
      }
      close()
      return id
    } catch {
      if error.stalledUntil == nil { giveUp() }
      throw error
    }
  }

  /// Checks the next piece of the sources' proofs, if the clip is to be signed: nobody is to sign what somebody has changed.
  private func hasLookedAtSources() throws(LibraryError) -> Bool {
    guard clips.proofs.isOn, proven.count < sources.count else { return true }
    let source = sources[proven.count]
    let current = if let check { check } else { try clips.checkProof(of: source) }
    check = current
    guard let verdict = try current.step() else { return false }
    proven.append(ProofSource(id: source, proof: current.hash, verdict: verdict.text, range: range))
    check = nil
    return false
  }

  private func begin() throws(LibraryError) {
    var opened: [any StoredFile] = []
    do throws(LibraryError) {
      for source in sources {
        opened.append(try clips.openSource(source))
      }
      let (id, target, wall) = try clips.beginEdit()
      do throws(MediaError) {
        let editor: ClipEditor
        if let range, let only = opened.first {
          editor = try ClipEditor(trimming: only, to: range, into: target, createdAt: wall, title: id)
        } else {
          editor = try ClipEditor(joining: opened, into: target, createdAt: wall, title: id)
        }
        work = (id, editor, target, opened)
        proof = clips.proofs.begin("edit", path: ClipPath.clip(id)) { $0.sources = proven }
        proof?.begin(holes: [])
      } catch {
        target.close()
        try clips.discardEdit(id)
        throw .badArgument("\(error)")
      }
    } catch {
      for file in opened { file.close() }
      throw error
    }
  }

  private func receipt(_ id: String, _ editor: ClipEditor, bytes: Int) -> JSONValue {
    var receipt: JSONValue = [
      "version": 1, "id": .string(id), "path": .string(ClipPath.clip(id)),
      "fileBytes": .integer(bytes), "stopReason": "edited",
      "sources": .array(sources.map { .string($0) }), "protected": false,
    ]
    if let range {
      receipt["range"] = [.number(range.lowerBound), .number(min(range.upperBound, editor.sourceSeconds))]
    }
    let before = sources.compactMap { try? clips.receipt(of: $0) }
    receipt["operator"] = before.first?["operator"]
    receipt["pictures"] = Self.pictures(before.compactMap { $0["pictures"] })
    receipt["sound"] = before.first?["sound"]
    if before.count == sources.count { receipt["gaps"] = Self.gaps(before, from: range?.lowerBound ?? 0) }
    receipt.state(editor.facts)
    if range != nil, let whole = before.first { receipt.leaveLosses(of: whole) }
    return receipt
  }

  /// How the pictures came that it is made of: those of all sources.
  private static func pictures(_ sources: [JSONValue]) -> JSONValue? {
    guard var pictures = sources.first else { return nil }
    func sum(_ path: (JSONValue) -> JSONValue?) -> JSONValue {
      .integer(sources.reduce(0) { $0 &+ (path($1)?.integerValue ?? 0) })
    }
    pictures["late"] = sum { $0["late"] }
    for cause in Set(sources.flatMap { ($0["dropped"]?.objectValue ?? [:]).keys }) {
      pictures["dropped"]?[cause] = sum { $0["dropped"]?[cause] }
    }
    pictures["largestSmoothingSeconds"] = .number(
      sources.map { $0["largestSmoothingSeconds"]?.numberValue ?? 0 }.max() ?? 0)
    return pictures
  }

  /// What is missing in the sources, one behind the other, at the times of the clip that begins at `start` in them; nil
  /// where one of them does not say.
  private static func gaps(_ sources: [JSONValue], from start: Double) -> JSONValue? {
    var place = -start
    var moved: [JSONValue] = []
    for source in sources {
      guard let gaps = source["gaps"]?.arrayValue, let seconds = source["durationSeconds"]?.numberValue else {
        return nil
      }
      for var gap in gaps {
        guard let begin = gap["start"]?.numberValue, let length = gap["seconds"]?.numberValue else { continue }
        let (from, end) = (max(0, begin + place), begin + place + length)
        guard from < end else { continue }
        gap["start"] = .number(from)
        gap["seconds"] = .number(end - from)
        moved.append(gap)
      }
      place += seconds
    }
    return .array(moved)
  }

  private func giveUp() {
    guard let id = work?.id else { return }
    close()
    do throws(LibraryError) { try clips.discardEdit(id) } catch {
      clips.warn("an unfinished clip stays behind until the next start: \(error)")
    }
  }

  private func close() {
    work?.target.close()
    proof?.close()
    proof = nil
    for file in work?.opened ?? [] { file.close() }
    work = nil
  }
}

extension JSONValue {
  /// Seconds in which no pictures came.
  private var unseen: Double {
    (self["gaps"]?.arrayValue ?? []).reduce(0) {
      $1["track"] == "picture" ? $0 + min(1e9, max(0, $1["seconds"]?.numberValue ?? 0)) : $0
    }
  }

  /// Has the receipt of a part count of what was lost in the whole as much as lies in it, about.
  fileprivate mutating func leaveLosses(of whole: JSONValue) {
    guard whole.unseen > 0, let dropped = self["pictures"]?["dropped"]?.objectValue else { return }
    let share = min(1, unseen / whole.unseen)
    for (cause, count) in dropped {
      let lost = min(1e9, max(0, count.numberValue ?? 0)) * share
      self["pictures"]?["dropped"]?[cause] = .integer(Int(lost.rounded()))
    }
  }
}
