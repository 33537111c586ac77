internal import Hardware

/// What the head of a WAV says that libavformat does not tell.
struct WaveFacts {
  /// Its format is WAVE_FORMAT_EXTENSIBLE, in which samples may have fewer bits than their places.
  private(set) var isExtensible = false
  /// It is RF64 or BW64, and has no sound by its `ds64`: who wrote it did not come to its end, or could not go back there.
  private(set) var claimsNothing = false

  private static let mostChunks = 64

  /// - Parameter path: of a file; of one that cannot be read nothing is known.
  init(path: String) {
    guard let file = AVIOFile(path: path, isBuffered: false) else { return }
    do throws(StorageError) { try read(file) } catch {}
  }

  private mutating func read(_ file: any StoredFile) throws(StorageError) {
    var offset = ID3Tag.length(try file.bytes(at: 0, count: ID3Tag.headBytes)) ?? 0
    var head = ByteReader(try file.bytes(at: offset, count: 12))
    guard let form = head.fourCC(), head.skip(4), head.fourCC() == "WAVE" else { return }
    offset += 12
    for _ in 0..<Self.mostChunks {
      var reader = ByteReader(try file.bytes(at: offset, count: 24))
      guard let kind = reader.fourCC(), let size = reader.little32() else { return }
      switch kind {
      case "ds64": claimsNothing = ["RF64", "BW64"].contains(form) && reader.skip(8) && reader.little64() == 0
      case "fmt ": isExtensible = reader.little16() == 0xFFFE
      case "data": return
      default: break
      }
      offset += 8 + Int(size) + Int(size & 1)  // bounded: 33 bits, 64 times
    }
  }
}
