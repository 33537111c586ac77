internal import Appliance
internal import Console
internal import Hardware
public import JSON
public import Library
internal import Threads

/// `library.*`: done on the storage lane, answered from there.
extension Commands {
  func library(_ call: CommandCall, _ reply: @escaping Reply) {
    let id = call.text("id") ?? ""
    switch call.method {
    case "library.list": list(call, reply)
    case "library.show": onStorage(reply) { library throws(LibraryError) in try Self.json(library.show(id)) }
    case "library.rename":
      let name = call.text("name") ?? ""
      onStorage(reply) { library throws(LibraryError) in
        let meta = try library.rename(id, to: name)
        return ["id": .string(meta.id), "name": .string(meta.displayName)]
      }
    case "library.delete":
      device.media.post(.unload(id: id))
      let now = device.clock.now
      let inbox = device.inbox
      onStorage(reply) { library throws(LibraryError) in
        let take = library.summary(id).map { TakeReference($0) }
        try library.delete(id, now: now)
        // The machine forgets the take, as after a delete by key.
        if let take { inbox.post(.library(.deleted(take))) }
        return ["id": .string(id)]
      }
    case "library.undelete":
      onStorage(reply) { library throws(LibraryError) in ["id": .string(try library.undelete())] }
    case "library.verify":
      onStorage(reply) { library throws(LibraryError) in try Self.verify(library, id: call.text("id")) }
    case "library.repair":
      onStorage(reply) { library throws(LibraryError) in try Self.repair(library, id: call.text("id")) }
    default: refuse(call, reply)
    }
  }

  private func list(_ call: CommandCall, _ reply: @escaping Reply) {
    let order: TakeSort =
      switch call.text("sort") {
      case "oldest": TakeSort(.date, reversed: true)
      case "name": TakeSort(.name)
      case "longest": TakeSort(.duration)
      case "largest": TakeSort(.size)
      default: TakeSort(.date)
      }
    let offset = call.integer("offset") ?? 0
    let limit = call.integer("limit") ?? 50
    let query = call.text("query") ?? ""
    onStorage(reply) { library throws(LibraryError) in
      let page = library.list(offset: offset, limit: limit, query: query, sort: order)
      return [
        "total": .integer(page.total), "pending": .integer(library.pending), "offset": .integer(offset),
        "takes": .array(page.takes.map(\.json)),
      ]
    }
  }

  /// Runs work on the storage lane and has its outcome told on the control lane.
  private func onStorage(
    _ reply: @escaping Reply, _ work: @escaping @Sendable (TakeLibrary) throws(LibraryError) -> JSONValue
  ) {
    let answer = ControlLaneReply(reply)
    let inbox = device.inbox
    device.storage.submit { library throws(LibraryError) in
      let result = try work(library)
      inbox.post(.run { answer.reply(.success(result)) })
    } onFailure: { error in
      let failure = CommandFailure(FailureCode(rawValue: error.code) ?? .internal, "\(error)")
      inbox.post(.run { answer.reply(.failure(failure)) })
    }
  }

  @Sendable private static func json(_ meta: FileMeta) throws(LibraryError) -> JSONValue {
    do { return try JSONValue(encoding: meta) } catch {
      throw .unreadable(path: meta.id, reason: "its metadata cannot be shown: \(error)")
    }
  }

  @Sendable private static func verify(_ library: TakeLibrary, id: String?) throws(LibraryError) -> JSONValue {
    if let id { return report(try library.verify(id), checked: 1) }
    var cursor = library.beginVerify()
    var findings: [Finding] = []
    while let found = try library.verifyNext(&cursor) { findings += found }
    return report(findings, checked: cursor.done)
  }

  @Sendable private static func repair(_ library: TakeLibrary, id: String?) throws(LibraryError) -> JSONValue {
    let ids = id.map { [$0] } ?? library.list().takes.map(\.id)
    var problems: [JSONValue] = []
    for id in ids {
      for sentence in try library.repair(id) {
        problems.append(["id": .string(id), "problem": .string(sentence), "remedy": "done"])
      }
    }
    return ["checked": .integer(ids.count), "problems": .array(problems)]
  }

  private static func report(_ findings: [Finding], checked: Int) -> JSONValue {
    let problems = findings.filter { $0.severity != .note }.map { finding -> JSONValue in
      [
        "id": .string(finding.id), "problem": .string("\(finding.code): \(finding.text)"),
        "remedy": finding.isRepairable ? "library.repair" : .null,
      ]
    }
    return ["checked": .integer(checked), "problems": .array(problems)]
  }
}

extension TakeSummary {
  /// One take of `library.list`.
  public var json: JSONValue {
    [
      "id": .string(id), "name": .string(displayName), "createdAt": .string(createdAt.iso8601),
      "seconds": .number(duration), "frames": .integer(frames), "sampleRate": .integer(sampleRate),
      "channels": .integer(channels), "format": .string(format), "bytes": .integer(fileSizeBytes),
      "favourite": .bool(favourite), "tags": .array(userTags.map { .string($0) }),
      "marks": .integer(bookmarkCount), "stopReason": stopReason.map { .string($0) } ?? .null,
    ]
  }
}

/// A reply on its way through another lane; only ever called on the control lane.
struct ControlLaneReply: @unchecked Sendable {
  let reply: Commands.Reply
  init(_ reply: @escaping Commands.Reply) { self.reply = reply }
}
