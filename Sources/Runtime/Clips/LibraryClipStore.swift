internal import Appliance
internal import Clips
internal import Console
internal import Hardware
internal import JSON
internal import Library
internal import Panel
internal import Threads

// What is asked of the files of clips: by the machine, and by the console.
extension EffectRunner {
  func performOnClips(_ order: LibraryOrder) {
    guard let clips else { return }
    switch order {
    case .clipWindow(let start, let count):
      storage.clipWindow(start: start, count: count)
      storage.clipCards(from: start, count: count, known: Set(clips.cards.keys)) { cards in clips.add(cards) }
    case .deleteClip(let id):
      media.post(.unload(id: id))
      storage.deleteClip(id)
    case .protectClip(let id, let isProtected): storage.protectClip(id, isProtected)
    case .receipt(let id):
      clips.receipt = ("", [])
      storage.receipt(of: id) { receipt in clips.receipt = (id, ReceiptRows.rows(receipt)) }
    case .window, .delete: break
    }
  }
}

extension StorageWorker {
  func clipWindow(start: Int, count: Int) {
    submitClips { [inbox] clips throws(LibraryError) in
      let page = clips.list(offset: start, limit: count)
      inbox.post(
        .library(.clipWindow(start: start, clips: page.clips.map { TakeReference($0) }, count: page.total)))
    } onFailure: { _ in
    }
  }

  /// Has cards made for clips of the list, one after the other: whatever else the storage has to do comes in between.
  func clipCards(
    from start: Int, count: Int, known: Set<String>, then: @escaping ([String: ClipCard]) -> Void
  ) {
    let answer = CardAnswer(then)
    submitClips { [inbox] clips throws(LibraryError) in
      for clip in clips.list(offset: start, limit: count).clips where !known.contains(clip.id) {
        self.submitClips { clips throws(LibraryError) in
          let card = ClipCard(
            caption: ClipNames.time(clip.id), thumbnail: try clips.thumbnail(of: clip.id, on: self.storage))
          inbox.post(.run { answer.give([clip.id: card]) })
        } onFailure: { _ in
        }
      }
    } onFailure: { _ in
    }
  }

  func deleteClip(_ id: String) {
    submitClips { [inbox] clips throws(LibraryError) in
      guard let clip = clips.summary(id) else { throw .notFound(id) }
      guard !clip.isProtected else { throw .busy("\(id), which is protected") }
      try clips.delete(id)
      inbox.post(.library(.deleted(TakeReference(clip))))
    } onFailure: { [inbox] error in
      inbox.post(.library(.failed(code: error.code, text: "\(error)")))
    }
  }

  func protectClip(_ id: String, _ isProtected: Bool) {
    submitClips { [inbox] clips throws(LibraryError) in
      try clips.protect(id, isProtected)
      if let clip = clips.summary(id) { inbox.post(.library(.protected(TakeReference(clip)))) }
    } onFailure: { [inbox] error in
      inbox.post(.library(.failed(code: error.code, text: "\(error)")))
    }
  }

  /// Reads a receipt, and hands it over on the control lane.
  func receipt(of id: String, then: @escaping (JSONValue) -> Void) {
    let answer = ControlLaneAnswer(then)
    submitClips { [inbox] clips throws(LibraryError) in
      let receipt = try clips.receipt(of: id)
      inbox.post(.run { answer.give(receipt) })
    } onFailure: { [inbox] error in
      inbox.post(.library(.failed(code: error.code, text: "\(error)")))
    }
  }
}

/// The same for cards of the list.
struct CardAnswer: @unchecked Sendable {
  let give: ([String: ClipCard]) -> Void
  init(_ give: @escaping ([String: ClipCard]) -> Void) { self.give = give }
}

/// A closure on its way through another lane; only ever called on the control lane.
struct ControlLaneAnswer: @unchecked Sendable {
  let give: (JSONValue) -> Void
  init(_ give: @escaping (JSONValue) -> Void) { self.give = give }
}

extension Commands {
  func clipFiles(_ call: CommandCall, _ reply: @escaping Reply) {
    let id = call.text("id") ?? ""
    let inbox = device.inbox
    switch call.method {
    case "clips.list":
      let (offset, limit, query) = (call.integer("offset") ?? 0, call.integer("limit") ?? 50, call.text("query"))
      onClips(reply) { clips throws(LibraryError) in
        Self.list(clips, offset: offset, limit: limit, query: query)
      }
    case "clips.receipt":
      onClips(reply) { clips throws(LibraryError) in try clips.receipt(of: id) }
    case "clips.protect":
      let isProtected = call.flag("protected") ?? true
      onClips(reply) { clips throws(LibraryError) in
        try clips.protect(id, isProtected)
        if let clip = clips.summary(id) { inbox.post(.library(.protected(TakeReference(clip)))) }
        return ["id": .string(id), "protected": .bool(isProtected)]
      }
    case "clips.delete":
      device.media.post(.unload(id: id))
      onClips(reply) { clips throws(LibraryError) in
        guard let clip = clips.summary(id) else { throw .notFound(id) }
        guard !clip.isProtected else { throw .busy("\(id), which is protected") }
        try clips.delete(id)
        inbox.post(.library(.deleted(TakeReference(clip))))
        return ["id": .string(id)]
      }
    case "clips.trim":
      let start = call.number("start") ?? 0
      let end = call.number("end") ?? .greatestFiniteMagnitude
      guard end > start else {
        return reply(.failure(CommandFailure(.badArgument, "clips.trim: the end has to be after the start")))
      }
      edit(reply) { $0.trim(id, to: start..<end) }
    case "clips.concat":
      let ids = (call.parameters["ids"]?.arrayValue ?? []).compactMap(\.stringValue)
      edit(reply) { $0.join(ids) }
    default: refuse(call, reply)
    }
  }

  /// Makes a clip of others, a second of media at a time, so that whatever else the storage has to do comes in between.
  private func edit(_ reply: @escaping Reply, _ make: @escaping @Sendable (ClipLibrary) -> ClipEditing) {
    let answer = ControlLaneReply(reply)
    let storage = device.storage
    storage.submitClips { clips throws(LibraryError) in
      storage.goOn(EditUnderWay(editing: make(clips)), answer)
    } onFailure: { [inbox = device.inbox] error in
      let failure = CommandFailure(FailureCode(rawValue: error.code) ?? .internal, "\(error)")
      inbox.post(.run { answer.reply(.failure(failure)) })
    }
  }

  private static func list(_ clips: ClipLibrary, offset: Int, limit: Int, query: String?) -> JSONValue {
    guard let query else {
      let page = clips.list(offset: offset, limit: limit)
      return [
        "total": .integer(page.total), "offset": .integer(offset), "clips": .array(page.clips.map { $0.json }),
      ]
    }
    // Names are all that is searched: of thousands of clips, receipts are read of those that are shown only.
    let search = WordSearch(query)
    let found = clips.list(limit: .max).clips.filter { search.matches(lowercased: $0.id.lowercased()) }
    return [
      "total": .integer(found.count), "offset": .integer(offset),
      "clips": .array(found.dropFirst(offset).prefix(limit).map { $0.json }),
    ]
  }

  /// Runs work on the storage lane and has its outcome told on the control lane.
  func onClips(
    _ reply: @escaping Reply, _ work: @escaping @Sendable (ClipLibrary) throws(LibraryError) -> JSONValue
  ) {
    let answer = ControlLaneReply(reply)
    let inbox = device.inbox
    device.storage.submitClips { clips throws(LibraryError) in
      let result = try work(clips)
      inbox.post(.run { answer.reply(.success(result)) })
    } onFailure: { error in
      let failure = CommandFailure(FailureCode(rawValue: error.code) ?? .internal, "\(error)")
      inbox.post(.run { answer.reply(.failure(failure)) })
    }
  }
}

/// An edit between two of its steps; storage lane only.
struct EditUnderWay: @unchecked Sendable {
  let editing: ClipEditing
}

extension StorageWorker {
  /// Queues the next step of an edit, and the answer when it was the last.
  func goOn(_ edit: EditUnderWay, _ answer: ControlLaneReply) {
    submitClips { [inbox] _ throws(LibraryError) in
      guard let id = try edit.editing.step() else { return self.goOn(edit, answer) }
      inbox.post(.run { answer.reply(.success(["id": .string(id), "path": .string("clips/\(id)")])) })
    } onFailure: { [inbox] error in
      let failure = CommandFailure(FailureCode(rawValue: error.code) ?? .internal, "\(error)")
      inbox.post(.run { answer.reply(.failure(failure)) })
    }
  }
}

extension ClipSummary {
  /// One clip of `clips.list`.
  var json: JSONValue {
    [
      "id": .string(id), "path": .string("clips/\(id)"), "seconds": .number(duration), "bytes": .integer(bytes),
      "protected": .bool(isProtected), "stopReason": stopReason.map { .string($0) } ?? .null,
      "sampleRate": .integer(sampleRate), "frames": .integer(frames),
    ]
  }
}
