public import Hardware

extension TakeLibrary: Stepper {
  /// Does one piece of the work that waits: one file of recovery, the trash when its time is over, metadata that could
  /// not be written before, the catalogue when it has grown. While a take is being recorded it leaves the storage
  /// alone as far as it can. Call again after every other call of the library.
  public func step(now: Instant) -> Instant? {
    do {
      return try advance(now: now)
    } catch {
      if let until = error.stalledUntil { return until }
      isPaused = true
      warn(error.description)
      return trash?.expires
    }
  }

  /// Pieces of recovery not done yet.
  public var pendingWork: Int { work.count }

  private func advance(now: Instant) throws(LibraryError) -> Instant? {
    if let trashed = trash, trashed.isMoving || now >= trashed.expires {
      if trashed.isMoving { try finishDelete() } else { try emptyTrash() }
      return now
    }
    if let item = work.next {
      if case .inspect = item, !active.isEmpty { return trash?.expires }
      try perform(item)
      return now
    }
    report.isFinished = true
    guard active.isEmpty, !isPaused else { return trash?.expires }
    if let id = unsaved.keys.min() {
      try examine(id, thoroughly: false)
      return now
    }
    if catalogue.wantsRewrite(living: index.count) {
      try catalogue.rewrite(index.records.filter { !$0.inProgress })
      return now
    }
    return trash?.expires
  }

  /// Does one item; what fails for good is reported and never stops the rest.
  private func perform(_ item: RecoveryItem) throws(LibraryError) {
    do {
      try attend(to: item)
    } catch {
      if error.stalledUntil != nil { throw error }
      report.failures += 1
      try fallBack(on: item, after: error)
    }
    work.finish(item)
    for note in notes { report.say(note) }
    notes.removeAll()
  }

  private func attend(to item: RecoveryItem) throws(LibraryError) {
    switch item {
    case .finishSalvage(let id): try finishSalvage(id)
    case .discard(let path):
      try keepCounter()
      try disk.removeIfPresent(path)
      report.leftoversRemoved += 1
    case .restore(let name):
      try disk.moveIfPresent(TakePath.trashed(name), to: "\(TakePath.recordings)/\(name)")
    case .take(let id): try examine(id, thoroughly: false)
    case .inspect(let id): try examine(id, thoroughly: true)
    case .renumber(let sidecar, let names): try renumber(names, sharing: sidecar)
    case .orphan(let name): try setAsideOrphan(name)
    case .leftover(let path):
      try disk.removeIfPresent(path)
      note("\(path) was a leftover of an interrupted write and was removed.")
      report.leftoversRemoved += 1
    }
  }

  /// A take that cannot be mended is at least listed, as far as it can be understood without writing.
  private func fallBack(on item: RecoveryItem, after error: LibraryError) throws(LibraryError) {
    switch item {
    case .take(let id), .inspect(let id):
      note("\(id) could not be checked and stays as it is (\(error)).")
      try listUnchecked(id)
    case .renumber(_, let ids):
      for id in ids {
        note("\(id) shares its number with another take (\(error)).")
        try listUnchecked(id)
      }
    case .finishSalvage(let name), .discard(let name), .restore(let name), .orphan(let name), .leftover(let name):
      note("\(name) could not be dealt with and stays as it is (\(error)).")
    }
  }

  private func listUnchecked(_ id: String) throws(LibraryError) {
    guard index[id] == nil, let sound = try tolerant({ () throws(LibraryError) in try disk.entry(path(of: id)) })
    else { return }
    let meta = try tolerant { () throws(LibraryError) in try metadata(of: id) }
    let shape = try tolerant { () throws(LibraryError) in try inspect(id).shape }
    guard var listed = meta ?? shape.map({ Self.rebuilt(id, from: $0, sound: sound) }) else { return }
    if let shape { listed.setLength(frames: shape.frames, fileSizeBytes: sound.size) }
    index.put(TakeRecord(listed, id: id, sound: sound, sidecar: nil, verified: false))
  }

  private func tolerant<Value>(
    _ body: () throws(LibraryError) -> Value?
  ) throws(LibraryError) -> Value? {
    do {
      return try body()
    } catch {
      if error.stalledUntil != nil { throw error }
      return nil
    }
  }

  /// Says it once, however often a stalled item is begun again.
  ///
  /// - Returns: whether it is said for the first time.
  @discardableResult
  func note(_ sentence: String) -> Bool {
    guard !notes.contains(sentence) else { return false }
    notes.append(sentence)
    return true
  }
}
