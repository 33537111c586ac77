internal import Console
internal import Hardware
internal import JSON
internal import Library

// What is done to one take or many, and copies.

enum LibraryTag: DeviceTask {
  static let row = MethodRow(
    "library.tag", "gives takes tags, or takes tags from them", .operator, whileRecording: .queued)

  struct Answer: WireObject {
    let takes: TakesAnswer
    let tags: [String]?
    static let fields: [Field<Self>] =
      TakesAnswer.fields.map { $0.of(\.takes) } + [Field("tags", ifAny: \.tags, "those that it has now, of one")]
  }

  struct Parameters: ParameterSet {
    let takes: SomeTakes
    let add: [String]
    let remove: [String]

    init(_ given: inout Given) throws(CommandFailure) {
      takes = try SomeTakes(&given)
      add = try given.optional("add", .texts(limit: 200), "tags that they get") ?? []
      remove = try given.optional("remove", .texts(limit: 200), "tags that go") ?? []
    }

    /// What people type: a tag with `-` in front goes.
    init(_ id: String, _ words: [String]) {
      takes = SomeTakes(id)
      add = words.filter { !$0.hasPrefix("-") }
      remove = words.filter { $0.hasPrefix("-") && $0 != "-" }.map { String($0.dropFirst()) }
    }
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    let tags = BetweenSteps<[String]?>(nil)
    let done = { (result: Result<TakesAnswer, CommandFailure>) in
      reply(result.map { Answer(takes: $0, tags: $0.id == nil ? nil : tags.value) })
    }
    device.onTakes(wanted.takes, "tag", done) { [storage = device.storage] library, id, _ throws(LibraryError) in
      tags.value = try library.changeTags(id, add: wanted.add, remove: wanted.remove).userTags
      storage.news.tellChanged(id, in: library)
    }
  }
}

/// A tag, and how many takes have it.
struct TagCount: WireObject {
  let tag: String
  let takes: Int
  static let fields: [Field<Self>] = [
    Field("tag", \.tag, "the tag"), Field("takes", \.takes, "how many takes have it"),
  ]
}

enum LibraryTags: DeviceTask {
  static let row = MethodRow("library.tags", "lists the tags that takes have", .viewer, whileRecording: .queued)

  struct Answer: WireObject {
    let tags: [TagCount]
    static let fields: [Field<Self>] = [Field("tags", \.tags, "from A to Z")]
  }

  static func perform(_: NoParameters, in device: CommandContext, reply: @escaping Reply) {
    device.onLibrary(reply) { library throws(LibraryError) in
      Answer(tags: library.tags.map { TagCount(tag: $0.tag, takes: $0.takes) })
    }
  }
}

enum LibraryFavourite: DeviceTask {
  static let row = MethodRow(
    "library.favourite", "makes takes favourites, or no longer", .operator, whileRecording: .queued)
  typealias Answer = TakesAnswer

  struct Parameters: ParameterSet {
    let takes: SomeTakes
    let isOn: Bool

    init(_ given: inout Given) throws(CommandFailure) {
      takes = try SomeTakes(&given)
      isOn = try given.value("on", .flag, default: true, "false: no longer")
    }

    init(_ id: String, _ isOn: Bool) { (takes, self.isOn) = (SomeTakes(id), isOn) }
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    device.onTakes(wanted.takes, "favourite", reply) { [storage = device.storage] library, id, _ throws(LibraryError) in
      try library.setFavourite(id, wanted.isOn)
      storage.news.tellChanged(id, in: library)
    }
  }
}

enum LibraryDelete: DeviceTask {
  static let row = MethodRow(
    "library.delete", "deletes takes; \"undelete\" brings all of them back for a while", .operator,
    whileRecording: .queued, discussion: "Tells of many by onLibraryProgress; library.cancel ends it.")
  typealias Answer = TakesAnswer
  typealias Parameters = SomeTakes

  static func audited(_ chosen: SomeTakes) -> [String: JSONValue] {
    ["ids": .array(chosen.all.prefix(20).map { .string($0) }), "count": .integer(chosen.all.count)]
  }

  static func perform(_ chosen: SomeTakes, in device: CommandContext, reply: @escaping Reply) {
    device.onTakes(chosen, "delete", reply) {
      [storage = device.storage, media = device.media] library, id, before throws(LibraryError) in
      try storage.delete(id, joining: before, from: library)
      // What could not be deleted plays on.
      media.post(.unload(id: id))
    }
  }
}

enum LibraryUndelete: DeviceTask {
  static let row = MethodRow(
    "library.undelete", "brings back the takes or the clip deleted last", .operator, whileRecording: .queued)

  struct Answer: WireObject {
    let ids: [String]
    static let fields: [Field<Self>] = [
      Field("id", { $0.ids.first ?? "" }, "its file name, or that of the last"),
      Field("ids", \.ids, "all that are back"),
    ]
  }

  static func perform(_: NoParameters, in device: CommandContext, reply: @escaping Reply) {
    let back = BetweenSteps<[String]>([])
    device.onLibraryInSteps(reply) { [storage = device.storage] library throws(LibraryError) in
      guard let id = try library.undeleteNext() else {
        if back.value.isEmpty { throw .nothingDeleted }
        return Answer(ids: back.value)
      }
      back.value.append(id)
      storage.news.tellRestored(id, in: library)
      return nil
    }
  }
}

enum LibraryCancel: DeviceMethod {
  static let row = MethodRow(
    "library.cancel", "ends copies and what is being done to many takes", .operator,
    discussion: "What is done already stays so; of a copy nothing stays.")

  struct Answer: WireObject {
    let works: Int
    static let fields: [Field<Self>] = [Field("works", \.works, "how much of that was under way")]
  }

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    Answer(works: device.works.stop())
  }
}

enum LibraryCopy: DeviceTask {
  static let row = MethodRow(
    "library.copy", "copies a take: another one, of the same sound, tags and marks", .operator, whileRecording: .queued,
    discussion: "Tells how far it is by onLibraryProgress; library.cancel ends it, and nothing of it stays.")
  typealias Parameters = TakeParameters

  struct Answer: WireObject {
    let id: String
    let name: String
    static let fields: [Field<Self>] = [
      Field("id", \.id, "the copy's file name"), Field("name", \.name, "the name that people see"),
    ]
  }

  static func perform(_ take: TakeParameters, in device: CommandContext, reply: @escaping Reply) {
    let (works, token) = (device.works, device.works.begin())
    let done = { (result: Result<Answer, CommandFailure>) in
      works.end()
      reply(result)
    }
    let teller = BetweenSteps(ProgressTeller(device, "copy", id: take.id))
    device.onLibraryInSteps(done) {
      [copies = BetweenSteps<TakeCopy?>(nil)] library throws(LibraryError) in
      let copy = copies.value ?? library.copy(take.id)
      copies.value = copy
      guard !works.isStopped(token) else {
        copy.giveUp()
        throw .cancelled("\(take.id) is not copied: that was cancelled, and nothing of the copy stays")
      }
      if let meta = try copy.step() { return Answer(id: meta.id, name: meta.displayName) }
      let (done, total) = copy.progress
      teller.value.tell(done, of: total)
      return nil
    }
  }
}
