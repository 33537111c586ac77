internal import Console
internal import Hardware
internal import Library

// What is done to takes and clips alike.

/// Names one take or one clip.
protocol OneRecording: ParameterSet {
  /// Its file name.
  var id: String { get }
  /// Whether a clip is meant, and no take of the same name.
  static var isClip: Bool { get }
}

struct TakeParameters: OneRecording {
  let id: String
  static let isClip = false

  init(_ given: inout Given) throws(CommandFailure) {
    id = try given.value("id", .take, "the take's file name, as library.list shows it")
  }
}

struct ClipParameters: OneRecording {
  let id: String
  static let isClip = true

  init(_ id: String) { self.id = id }

  init(_ given: inout Given) throws(CommandFailure) {
    id = try given.value("id", .clip, "the clip's file name, as clips.list shows it")
  }
}

/// A take or clip that something was done to.
struct RecordingAnswer: WireObject {
  let id: String
  static let fields: [Field<Self>] = [Field("id", \.id, "its file name")]
}

/// What `protect` takes of a take or a clip.
struct Protect<Recording: OneRecording>: ParameterSet {
  let id: String
  let isProtected: Bool

  init(_ given: inout Given) throws(CommandFailure) {
    id = try Recording(&given).id
    isProtected = try given.value("protected", .flag, default: true, "false takes the protection off")
  }
}

/// Whether a take or a clip is locked against deletion.
struct Protection: WireObject {
  let id: String
  let isProtected: Bool
  static let fields: [Field<Self>] = [
    Field("id", \.id, "its file name"), Field("protected", \.isProtected, "whether it is protected now"),
  ]
}

extension CommandContext {
  /// Locks a take or clip against deletion, or unlocks it.
  func protect<Recording: OneRecording>(
    _ wanted: Protect<Recording>, _ reply: @escaping (Result<Protection, CommandFailure>) -> Void
  ) {
    let (id, isProtected) = (wanted.id, wanted.isProtected)
    onLibrary(reply) { [storage] library throws(LibraryError) in
      try storage.protect(id, isProtected, isClip: Recording.isClip, in: library)
      return Protection(id: id, isProtected: isProtected)
    }
  }
}
