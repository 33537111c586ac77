internal import Console
internal import Hardware
internal import Library

/// A file, as it lies in the data directory.
struct FileRow: WireObject {
  let id: String
  let bytes: Int
  let created: WallTime?
  let isSafety: Bool

  static let fields: [Field<Self>] = [
    Field("id", \.id, "its name, for `files.read`"), Field("bytes", \.bytes, "how long it is"),
    Field("createdAt", ifAny: \.created?.iso8601, "when its take was begun, in UTC"),
    Field("safety", \.isSafety, "whether it is a safety take"),
  ]
}

enum FilesList: DeviceTask {
  static let row = MethodRow(
    "files.list", "lists the files of a take or a clip", .viewer, whileRecording: .queued,
    discussion: "A split take has one for each part, in their order; the safety takes come last.")

  struct Parameters: ParameterSet {
    let id: String

    init(_ id: String) { self.id = id }
    init(_ given: inout Given) throws(CommandFailure) {
      id = try given.value("id", .take, "the file name of a take or of a clip")
    }
  }

  struct Answer: WireObject {
    let files: [FileRow]
    static let fields: [Field<Self>] = [Field("files", \.files, "in their order")]
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    device.onLibrary(reply) { library throws(LibraryError) in
      if let take = library.summary(wanted.id) {
        guard !take.inProgress else { throw .busy(wanted.id) }
        func rows(_ parts: [TakePart], isSafety: Bool) -> [FileRow] {
          parts.map { FileRow(id: $0.id, bytes: $0.bytes, created: take.createdAt, isSafety: isSafety) }
        }
        return Answer(files: rows(take.files, isSafety: false) + rows(take.safety, isSafety: true))
      }
      guard let clip = library.clips.summary(wanted.id) else { throw .notFound(wanted.id) }
      return Answer(files: [FileRow(id: clip.id, bytes: clip.bytes, created: nil, isSafety: false)])
    }
  }
}

/// Hands out files in pieces that fit into a line.
enum FilesRead: DeviceTask {
  static let row = MethodRow(
    "files.read", "reads a piece of a take's or a clip's file", .viewer, whileRecording: .queued,
    discussion:
      "Read it from offset 0, each piece from where the one before it ended, and the last one says the sum of "
      + "the whole file.")

  /// Four thirds of it are a line of less than 64 KiB.
  private static let most = 45_000

  struct Parameters: ParameterSet {
    let id: String
    let offset: Int
    let bytes: Int
    let notes: Bool
    /// What goes out by ZMODEM has its own check, and must not disturb a client that reads in order.
    let isSummed: Bool

    init(_ id: String, offset: Int, bytes: Int) {
      (self.id, self.offset, self.bytes, notes, isSummed) = (id, offset, bytes, false, false)
    }

    init(_ given: inout Given) throws(CommandFailure) {
      id = try given.value(
        "id", .take, "the file name of a take, of a part of one, of a clip, or what system.bundle has made")
      offset = try given.value("offset", .integer(0...(1 << 48)), default: 0, "where the piece begins")
      bytes = try given.value("bytes", .integer(1...most), default: most, "how long it is at most")
      notes = try given.value(
        "notes", .flag, default: false, "the notes beside it instead: metadata, or a clip's receipt")
      isSummed = true
    }
  }

  struct Answer: WireObject {
    let piece: FilePiece
    static let fields: [Field<Self>] = [
      Field("data", { Base64.encode($0.piece.data) }, "the piece, in base64; empty at the end of the file"),
      Field("total", \.piece.total, "bytes in the file now; one that is being recorded grows"),
      Field("sha256", \.piece.sha256, "of the piece, in hexadecimal digits"),
      Field("fileSha256", ifAny: \.piece.fileSHA256, "of the whole file, with its last piece"),
    ]
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    device.onLibrary(reply) { library throws(LibraryError) in
      Answer(
        piece: try library.read(
          wanted.id, notes: wanted.notes, offset: wanted.offset, bytes: wanted.bytes, isSummed: wanted.isSummed))
    }
  }
}
