internal import Appliance
internal import Hardware
internal import Library
internal import Media
internal import Threads

/// What the list of takes on the panel asks for. Any thread; the work is the storage lane's.
final class PanelTakes: @unchecked Sendable {
  private let storage: StorageWorker
  /// The copy that somebody has asked for. Storage lane only.
  private var copying: TakeCopy?
  /// What is being done to several takes. Storage lane only.
  private var works: PanelWork?

  init(_ storage: StorageWorker) { self.storage = storage }

  func window(start: Int, count: Int, _ view: ListView) {
    storage.submit { [self] library throws(LibraryError) in
      tell(library, start: start, count: count, view)
    } onFailure: { _ in
    }
  }

  private func tell(_ library: Library, start: Int, count: Int, _ view: ListView) {
    let filter = TakeFilter(query: view.query, favouritesOnly: view.favouritesOnly, tag: view.tag)
    let page = library.list(offset: start, limit: count, sort: TakeSort(view.order), filter: filter)
    storage.news.tell(.window(start: start, takes: page.takes.map(TakeReference.init), count: page.total))
    // What nobody has looked at yet is looked at next, and shown then.
    let isWhole = !page.takes.contains(where: \.isPending)
    storage.atNextLook = isWhole ? nil : { [weak self] in self?.tell($0, start: start, count: count, view) }
  }

  /// Brings back what was deleted last, one after the other.
  func undelete() {
    onPanel { [self] library throws(LibraryError) in
      guard !library.undoable.isEmpty else { throw .nothingDeleted }
      var (last, number) = ("", 0)
      // Told once, whatever comes in between.
      defer { if number > 0 { storage.news.tellRestored(last, number: number, in: library) } }
      while let id = try library.undeleteNext() { (last, number) = (id, number + 1) }
    }
  }

  func favourite(_ id: String, _ isOn: Bool) {
    onPanel { [self] library throws(LibraryError) in
      try library.setFavourite(id, isOn)
      storage.news.tellChanged(id, in: library)
    }
  }

  /// Gives a take the name that people see.
  func rename(_ id: String, to name: String) {
    onPanel { [self] library throws(LibraryError) in
      _ = try library.rename(id, to: name)
      storage.news.tellChanged(id, in: library)
    }
  }

  /// Gives a take a tag, or takes it away.
  func tag(_ id: String, _ tag: String, _ isOn: Bool) {
    onPanel { [self] library throws(LibraryError) in
      try library.changeTags(id, add: isOn ? [tag] : [], remove: isOn ? [] : [tag])
      storage.news.tellChanged(id, in: library)
    }
  }

  func tellTags() {
    onPanel { [self] library throws(LibraryError) in storage.news.tell(.tags(library.tags.map(\.tag))) }
  }

  func tellFacts(of id: String) {
    onPanel { [self] library throws(LibraryError) in
      guard let take = library.summary(id) else { throw .notFound(id) }
      // Of a file that nobody has looked at there is no more.
      let meta = try? library.showWhole(id)
      storage.news.tell(
        .facts(
          TakeFacts(
            id: id, createdAt: take.createdAt, format: take.format, bitrateKbps: take.bitrateKbps,
            sampleRate: take.sampleRate, channels: take.channels, bytes: take.fileSizeBytes,
            gaps: meta?.gaps.count ?? 0, marks: take.bookmarkCount, tags: take.userTags, parts: take.files.count,
            stopReason: take.stopReason, source: meta?.source)))
    }
  }

  // MARK: Several takes

  /// Does something to one take after the other, a take a step, and tells what came of it.
  func work(_ work: TakesWork, on ids: [String]) {
    onPanel { [self] _ throws(LibraryError) in
      guard works == nil else { throw .cancelled("Other takes are being worked on; wait for that") }
      let works = PanelWork(work, on: ids)
      self.works = works
      goOn(with: works)
    }
  }

  /// What is done stays so.
  func cancelWork() { onPanel { [self] _ throws(LibraryError) in works?.giveUp() } }

  private func goOn(with work: PanelWork) {
    storage.submit { [self] library throws(LibraryError) in
      if let percent = try work.step(library, storage) { storage.news.tell(.working(percent)) }
      if !work.isOver { return goOn(with: work) }
      works = nil
      work.tellEnd(storage)
    } onFailure: { [self] error in
      works = nil
      work.tellEnd(storage)
      storage.news.tell(error)
    }
  }

  // MARK: Copies

  /// Copies a take, a piece a step.
  func copy(_ id: String) {
    onPanel { [self] library throws(LibraryError) in
      guard copying == nil else { throw .cancelled("\(id) is not copied: another take is being copied; wait for that") }
      let copy = library.copy(id)
      copying = copy
      goOn(with: copy, told: -1)
    }
  }

  func cancelCopy() {
    onPanel { [self] _ throws(LibraryError) in
      copying?.giveUp()
      copying = nil
      storage.news.tell(.copying(nil))
    }
  }

  /// Copies takes to the stick, which tells of it.
  ///
  /// - Parameter ids: nil: all takes and clips.
  func export(_ ids: [String]?, _ settings: Settings) {
    storage.stick.post(
      ExportOrder(
        ids: ids, withSafety: true, format: ConvertedFormat(settings.exportFormat), words: ExportWords(settings),
        isFromPanel: true, isStopped: { false },
        onProgress: { _, _ in },
        onEnd: { _ in }))
  }

  private func goOn(with copy: TakeCopy, told: Int) {
    storage.submit { [self] library throws(LibraryError) in
      guard copying === copy else { return }
      if let meta = try copy.step() {
        copying = nil
        if let reference = library.reference(meta.id) { storage.news.tell(.copied(reference)) }
        return
      }
      let (done, total) = copy.progress
      let percent = total > 0 ? Int(Double(done) / Double(total) * 100) : 0
      if percent > told { storage.news.tell(.copying(percent)) }
      goOn(with: copy, told: max(percent, told))
    } onFailure: { [self] error in
      copying = nil
      storage.news.tell(.copying(nil))
      storage.news.tell(error)
    }
  }

  /// Work that a key has asked for; what goes wrong is shown.
  private func onPanel(_ work: @escaping @Sendable (Library) throws(LibraryError) -> Void) {
    storage.submit(work) { [storage] error in storage.news.tell(error) }
  }
}

extension TakeSort {
  /// The order of the panel's list.
  fileprivate init(_ order: ListView.Order) {
    switch order {
    case .newest: self.init(.date)
    case .oldest: self.init(.date, reversed: true)
    case .name: self.init(TakeSort.Key.name)
    case .longest: self.init(.duration)
    case .largest: self.init(.size)
    }
  }
}
