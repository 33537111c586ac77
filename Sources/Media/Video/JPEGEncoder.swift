internal import CFFmpeg

/// Pictures to JPEG images (JFIF), by libavcodec.
public enum JPEGEncoder {
  /// Encodes one picture. May block for some 10 ms; any thread.
  ///
  /// - Parameter quality: 1 (worst)…100; 90 is hard to tell from the picture.
  public static func encode(_ picture: Picture, quality: Int = 90) throws(MediaError) -> [UInt8] {
    _ = Libav.isReady
    guard let encoder = avcodec_find_encoder(AV_CODEC_ID_MJPEG) else {
      throw MediaError(
        .unsupported, subject: "JPEG", operation: "encode",
        reason: "this libavcodec has no JPEG encoder; install one that has")
    }
    guard let codec = LibavCodec(encoder), let frame = LibavFrame(), let packet = LibavPacket() else {
      throw Libav.outOfMemory("JPEG", "encode")
    }
    // libavcodec's scale goes from 2 (best) to 31.
    let scale = FF_QP2LAMBDA * Int32(2 + (100 - min(100, max(1, quality))) * 29 / 99)
    let context = codec.pointer
    context.pointee.width = Int32(picture.width)
    context.pointee.height = Int32(picture.height)
    context.pointee.pix_fmt = AV_PIX_FMT_YUVJ420P
    context.pointee.time_base = AVRational(num: 1, den: 1)
    context.pointee.flags |= AV_CODEC_FLAG_QSCALE
    context.pointee.global_quality = scale
    var status = avcodec_open2(context, encoder, nil)
    guard status >= 0 else { throw Libav.error(status, subject: "JPEG", operation: "start the encoder") }
    frame.pointer.pointee.format = AV_PIX_FMT_YUVJ420P.rawValue
    frame.pointer.pointee.width = Int32(picture.width)
    frame.pointer.pointee.height = Int32(picture.height)
    frame.pointer.pointee.quality = scale
    status = av_frame_get_buffer(frame.pointer, 0)
    guard status >= 0 else { throw Libav.error(status, subject: "JPEG", operation: "encode") }
    FrameFilling.fill(frame.pointer, from: picture.asInJPEG)
    status = avcodec_send_frame(context, frame.pointer)
    if status >= 0 { status = avcodec_receive_packet(context, packet.pointer) }
    guard status >= 0 else { throw Libav.error(status, subject: "JPEG", operation: "encode") }
    return Array(UnsafeBufferPointer(start: packet.pointer.pointee.data, count: Int(packet.pointer.pointee.size)))
  }
}
