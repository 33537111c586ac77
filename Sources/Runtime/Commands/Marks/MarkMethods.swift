internal import Appliance
internal import Console
internal import Hardware
internal import Library

/// A mark as it is told: its number counts from the beginning of the take.
struct MarkAnswer: WireObject {
  let mark: Bookmark
  let number: Int

  static let fields: [Field<Self>] = [
    Field("mark", \.mark.id, "its id, which stays"), Field("number", \.number, "its place among the marks, from 1"),
    Field("seconds", \.mark.time, "where it is in the take"), Field("frame", ifAny: \.mark.frame, "the same in frames"),
    Field("title", ifAny: \.mark.title, "its title"), Field("note", ifAny: \.mark.note, "its note"),
  ]
}

/// The marks of a take, the earliest first.
struct MarksAnswer: WireObject {
  let id: String
  let marks: [MarkAnswer]

  static let fields: [Field<Self>] = [
    Field("id", \.id, "the take's file name"), Field("marks", \.marks, "its marks, the earliest first"),
  ]

  init(_ take: FileMeta) {
    id = take.id
    marks = take.bookmarks.enumerated().map { MarkAnswer(mark: $1, number: $0 + 1) }
  }
}

enum MarksList: DeviceTask {
  static let row = MethodRow("marks.list", "lists the marks of a take", .viewer, whileRecording: .queued)
  typealias Answer = MarksAnswer
  typealias Parameters = TakeParameters

  static func perform(_ take: TakeParameters, in device: CommandContext, reply: @escaping Reply) {
    device.onLibrary(reply) { library throws(LibraryError) in MarksAnswer(try library.showWhole(take.id)) }
  }
}

/// One mark of a take, by its number.
struct ChosenMark: ParameterSet {
  let id: String
  let number: Int

  init(_ given: inout Given) throws(CommandFailure) {
    id = try TakeParameters(&given).id
    number = try given.value("number", .integer(1...1_000_000), "the mark's number, as marks.list shows it")
  }
}

enum MarksSet: DeviceTask {
  static let row = MethodRow(
    "marks.set", "adds a mark to a take, or gives one another place, title or note", .operator,
    whileRecording: .queued,
    discussion: "With a number that mark is changed, without there is another one. An empty text takes it away.")
  typealias Answer = MarksAnswer

  struct Parameters: ParameterSet {
    let id: String
    let number: Int?
    let seconds: Double?
    let title: String?
    let note: String?

    init(_ given: inout Given) throws(CommandFailure) {
      id = try TakeParameters(&given).id
      number = try given.optional("number", .integer(1...1_000_000), "the mark that is changed")
      seconds = try given.optional("seconds", .number(0...31_536_000), "where it is to be in the take")
      title = try given.optional("title", .anyText(limit: 200), "its title")
      note = try given.optional("note", .anyText(limit: 2000), "its note")
    }
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    let wall = device.clock.wallNow
    device.changeMarks(of: wanted.id, reply) { library, take throws(LibraryError) in
      var mark: Bookmark
      switch (wanted.number, wanted.seconds) {
      case (let number?, let seconds):
        mark = try take.mark(number)
        if let seconds { mark.move(to: try take.frame(at: seconds), sampleRate: take.audio.sampleRate) }
      case (nil, let seconds?):
        mark = Bookmark(
          takeID: take.id, frame: try take.frame(at: seconds), sampleRate: take.audio.sampleRate,
          ordinal: take.bookmarks.count + 1, title: nil, createdAt: wall)
      case (nil, nil): throw .badArgument("Say which mark (number), or where a new one is to be (seconds)")
      }
      if let title = wanted.title { mark.title = title.isEmpty ? nil : title }
      if let note = wanted.note { mark.note = note.isEmpty ? nil : note }
      try library.addBookmark(take.id, mark)
    }
  }
}

enum MarksMove: DeviceTask {
  static let row = MethodRow("marks.move", "moves a mark of a take", .operator, whileRecording: .queued)
  typealias Answer = MarksAnswer

  struct Parameters: ParameterSet {
    let chosen: ChosenMark
    let seconds: Double

    init(_ given: inout Given) throws(CommandFailure) {
      chosen = try ChosenMark(&given)
      seconds = try given.value("seconds", .number(0...31_536_000), "where it is to be in the take")
    }
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    device.changeMarks(of: wanted.chosen.id, reply) { library, take throws(LibraryError) in
      var mark = try take.mark(wanted.chosen.number)
      mark.move(to: try take.frame(at: wanted.seconds), sampleRate: take.audio.sampleRate)
      try library.addBookmark(take.id, mark)
    }
  }
}

enum MarksRemove: DeviceTask {
  static let row = MethodRow("marks.remove", "takes a mark out of a take", .operator, whileRecording: .queued)
  typealias Answer = MarksAnswer
  typealias Parameters = ChosenMark

  static func perform(_ wanted: ChosenMark, in device: CommandContext, reply: @escaping Reply) {
    device.changeMarks(of: wanted.id, reply) { library, take throws(LibraryError) in
      try library.removeBookmark(take.id, bookmarkID: try take.mark(wanted.number).id)
    }
  }
}

extension CommandContext {
  /// Changes the marks of a take, tells the screens, and answers with all of them.
  fileprivate func changeMarks(
    of id: String, _ reply: @escaping (Result<MarksAnswer, CommandFailure>) -> Void,
    _ change: @escaping @Sendable (Library, FileMeta) throws(LibraryError) -> Void
  ) {
    onLibrary(reply) { [storage] library throws(LibraryError) in
      try change(library, try library.showWhole(id))
      try storage.news.tellMarks(of: id, in: library)
      return MarksAnswer(try library.showWhole(id))
    }
  }
}

extension FileMeta {
  fileprivate func mark(_ number: Int) throws(LibraryError) -> Bookmark {
    guard bookmarks.indices.contains(number - 1) else {
      throw .badArgument("\(id) has no mark \(number); it has \(bookmarks.count)")
    }
    return bookmarks[number - 1]
  }

  /// A place in the take as a frame; refused behind its end.
  fileprivate func frame(at seconds: Double) throws(LibraryError) -> Int {
    guard !inProgress else { throw .busy(id) }
    guard seconds <= audio.duration else {
      throw .badArgument("\(id) is \(audio.duration) s long: there is no mark at \(seconds) s")
    }
    return Int((seconds * Double(audio.sampleRate)).rounded())
  }
}
