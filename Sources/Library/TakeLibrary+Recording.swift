internal import Hardware

extension TakeLibrary {
  /// Creates the file of a new take under a name that has never been used, and its provisional metadata
  /// (`inProgress`): two writes, both durable on return.
  ///
  /// After a stall call again with the same plan; with another plan, the file of the first is removed.
  public func begin(_ plan: TakePlan) throws(LibraryError) -> TakeHandle {
    if let pending = pendingTake, pending.plan != plan {
      pendingTake = nil
      pending.file.close()
      try attempt("An unused file stays behind") { () throws(LibraryError) in
        try disk.removeIfPresent(TakePath.sound(pending.name.file))
      }
    }
    let pending: PendingTake
    if let begun = pendingTake {
      pending = begun
    } else {
      pending = try createFile(plan)
      pendingTake = pending
    }
    let id = pending.name.file
    let meta = Self.provisional(plan, name: pending.name)
    do {
      try write(meta, id: id, withBackup: false)
    } catch {
      if error.stalledUntil == nil {
        // No take without metadata: give the name back as if nothing had been.
        pendingTake = nil
        pending.file.close()
        do { try disk.removeIfPresent(TakePath.sound(id)) } catch { warn("\(id) stays behind, empty: \(error)") }
      }
      throw error
    }
    pendingTake = nil
    active[id] = meta
    index.put(TakeRecord(meta, id: id, sound: nil, sidecar: nil, verified: false))
    return TakeHandle(id: id, file: pending.file, meta: meta)
  }

  /// Replaces the metadata of a take that is being recorded (marks, gaps): one write. What people set meanwhile
  /// (name, tags, favourite, custom fields, marks from the console) is kept.
  public func update(_ id: String, _ meta: FileMeta) throws(LibraryError) {
    guard let current = active[id] else { throw .notFound(id) }
    var merged = Self.merge(meta, edited: current)
    merged.inProgress = true
    active[id] = merged
    index.put(TakeRecord(merged, id: id, sound: nil, sidecar: nil, verified: false))
    try write(merged, id: id, withBackup: false)
  }

  /// Makes a take an ordinary one: final metadata with the file's true size, backup, catalogue. The sound file has
  /// been completed, synced and closed before. After a stall call again with the same values.
  ///
  /// When even the metadata cannot be written (storage full), this throws, the take is listed all the same, and `step`
  /// writes the metadata when there is room; if the power goes before, recovery completes it from the sound.
  ///
  /// - Returns: the metadata as kept.
  @discardableResult
  public func complete(_ id: String, _ meta: FileMeta) throws(LibraryError) -> FileMeta {
    guard let current = active[id] else { throw .notFound(id) }
    var final = Self.merge(meta, edited: current)
    final.inProgress = false
    guard let sound = try disk.entry(TakePath.sound(id)) else {
      active[id] = nil
      index.remove(id)
      throw .notFound(TakePath.sound(id))
    }
    final.setLength(frames: final.frames, fileSizeBytes: sound.size)
    let sidecar: StorageEntry?
    do {
      sidecar = try write(final, id: id, withBackup: true)
    } catch {
      if error.stalledUntil == nil {
        active[id] = nil
        unsaved[id] = final
        index.put(TakeRecord(final, id: id, sound: sound, sidecar: nil, verified: true))
      }
      throw error
    }
    try attempt("The directory could not be synced") { () throws(LibraryError) in
      try disk.syncDirectory(TakePath.recordings)
    }
    try enter(TakeRecord(final, id: id, sound: sound, sidecar: sidecar, verified: true))
    state.note(session: highestNumber)
    try attempt("The session counter could not be saved") { () throws(LibraryError) in try state.save() }
    active[id] = nil
    isPaused = false
    return final
  }

  /// Removes a take that came to nothing (no sample was written). After a stall call again.
  public func discard(_ id: String) throws(LibraryError) {
    guard active[id] != nil else { throw .notFound(id) }
    try keepCounter()
    // The sound last: without metadata an empty file is a leftover, metadata without sound would be a puzzle.
    try disk.removeIfPresent(TakePath.sidecar(id))
    try disk.removeIfPresent(TakePath.sound(id))
    active[id] = nil
    index.remove(id)
  }

  /// Creates a file under the next free number. Nothing that exists is touched.
  private func createFile(_ plan: TakePlan) throws(LibraryError) -> PendingTake {
    while highestNumber < TakeName.highestNumber {
      let name = TakeName(number: highestNumber + 1, createdAt: plan.createdAt, fileExtension: plan.fileExtension)
      // Metadata may lie about without its sound, or for a sound of another format.
      if try disk.entry(TakePath.sidecar(name.file)) == nil, try disk.entry(TakePath.backup(name.file)) == nil {
        do {
          let file = try disk.create(TakePath.sound(name.file))
          highestNumber += 1
          return PendingTake(plan: plan, name: name, file: file)
        } catch {
          guard error.storageKind == .alreadyExists else { throw error }
        }
      }
      highestNumber += 1
    }
    throw .badArgument("all session numbers are used up")
  }

  private static func provisional(_ plan: TakePlan, name: TakeName) -> FileMeta {
    var meta = FileMeta(
      id: name.file, displayName: name.stem, createdAt: plan.createdAt,
      audio: AudioAttributes(
        duration: 0, bitrateKbps: plan.bitrateKbps, sampleRate: plan.sampleRate, channels: plan.channels,
        format: plan.format, fileSizeBytes: 0))
    meta.session = name.number
    meta.preRecordSeconds = plan.preRecordSeconds
    meta.source = plan.source
    meta.linkedTake = plan.linkedTake
    meta.startedMonotonic = plan.started.seconds
    meta.inProgress = true
    return meta
  }

  /// The recorder's metadata with what people have set meanwhile.
  private static func merge(_ meta: FileMeta, edited: FileMeta) -> FileMeta {
    var merged = meta
    merged.id = edited.id
    merged.displayName = edited.displayName
    merged.userTags = edited.userTags
    merged.favourite = edited.favourite
    merged.custom = edited.custom
    let ids = Set(meta.bookmarks.map(\.id))
    merged.bookmarks += edited.bookmarks.filter { !ids.contains($0.id) }
    merged.bookmarks.sort { ($0.time, $0.id) < ($1.time, $1.id) }
    return merged
  }
}
