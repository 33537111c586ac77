internal import CFFmpeg

/// AES-128 in CBC mode with PKCS #7 padding, as HLS encrypts whole segments (RFC 8216 section 4.3.2.4).
///
/// Any thread; costs some 10 ms a megabyte without an instruction set for it.
public enum SegmentCipher {
  /// Decrypts in place, and cuts the padding off.
  ///
  /// - Parameters:
  ///   - key: 16 bytes.
  ///   - vector: 16 bytes.
  ///   - name: what errors call it.
  ///   - isCut: its end may not have come: neither whole blocks nor a padding are wanted.
  /// - Throws: `damaged` if sizes are wrong, or the padding is not what it must be: another key, or damaged bytes.
  public static func decrypt(
    _ bytes: inout [UInt8], key: [UInt8], vector: [UInt8], name: String, isCut: Bool = false
  ) throws(MediaError) {
    func damaged(_ reason: String) -> MediaError {
      MediaError(.damaged, subject: name, operation: "decrypt", reason: reason)
    }
    guard key.count == 16, vector.count == 16 else { throw damaged("the key has \(key.count) bytes; AES-128 needs 16") }
    if isCut { bytes.removeLast(bytes.count % 16) }
    guard !bytes.isEmpty, bytes.count % 16 == 0, let blocks = Int32(exactly: bytes.count / 16) else {
      throw damaged("\(bytes.count) bytes are not whole blocks of 16; it was cut off")
    }
    guard let cipher = av_aes_alloc() else { throw Libav.outOfMemory(name, "decrypt") }
    defer { av_free(UnsafeMutableRawPointer(cipher)) }
    guard av_aes_init(cipher, key, 128, 1) >= 0 else { throw damaged("the key cannot be used") }
    var chain = vector
    bytes.withUnsafeMutableBufferPointer { buffer in
      av_aes_crypt(cipher, buffer.baseAddress, buffer.baseAddress, blocks, &chain, 1)
    }
    let padding = Int(bytes[bytes.count - 1])
    guard (1...16).contains(padding), bytes.suffix(padding).allSatisfy({ $0 == UInt8(padding) }) else {
      if isCut { return }
      throw damaged("its end is not the padding that it must be: the key does not fit, or it is damaged")
    }
    bytes.removeLast(padding)
  }
}
