internal import Console
internal import Hardware
internal import Library

/// Takes in files in pieces that fit into a line.
enum FilesWrite: DeviceTask {
  static let row = MethodRow(
    "files.write", "takes a piece of a sound, for the list of takes, or of an update (.raucb)", .operator,
    whileRecording: .queued,
    discussion: "Ask without data first: a file that broke off goes on where it was. Each piece begins where the "
      + "answer says; others are not taken. Nothing is overwritten: a name that is there gets a number.")

  /// Base64 of 45,000 bytes: with all else a line of less than 64 KiB.
  private static let most = 60_000

  struct Parameters: ParameterSet {
    let piece: Incoming.Piece

    init(_ piece: Incoming.Piece) { self.piece = piece }

    init(_ given: inout Given) throws(CommandFailure) {
      var piece = Incoming.Piece(
        name: try given.value("name", .text(limit: 255), "what the file is called"),
        total: try given.value("total", .integer(1...(1 << 40)), "bytes of the whole file"))
      piece.offset = try given.value("offset", .integer(0...(1 << 40)), default: 0, "where the piece begins")
      let data =
        try given.optional("data", .text(limit: most), "the piece, in base64; without it: only how far it is") ?? ""
      piece.bytes = Base64.decode(data)
      // What is passed over in decoding would be missing in the file.
      guard data.utf8.filter({ $0 > 0x20 }).elementsEqual(Base64.encode(piece.bytes).utf8) else {
        throw CommandFailure(.badArgument, "files.write: data has to be base64 (RFC 4648, section 4), filled up with =")
      }
      guard piece.bytes.count <= piece.total - piece.offset || piece.bytes.isEmpty else {
        let end = piece.offset + piece.bytes.count
        throw CommandFailure(.badArgument, "files.write: data ends at \(end), beyond total, \(piece.total) bytes")
      }
      self.piece = piece
    }
  }

  struct Answer: WireObject {
    let progress: Incoming.Progress
    static let fields: [Field<Self>] = [
      Field("bytes", \.progress.bytes, "how many are there: the next piece begins here"),
      Field("id", ifAny: \.progress.id, "once all are there: the take's file name, or the update's path"),
    ]
  }

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    device.onLibrary(reply) { library throws(LibraryError) in
      Answer(progress: try library.incoming.take(wanted.piece))
    }
  }
}
