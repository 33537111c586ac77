internal import CFFmpeg
internal import Hardware

/// The pictures of a film that FFmpeg can demux, without anything else: H.264 as a byte stream, or JPEG images one after the
/// other. Blocks; not for real-time threads.
public enum PictureExtractor {
  /// Only local files, by demuxers that open no others: as many of them as this FFmpeg has.
  private static let containers =
    "mov,matroska,mpegts,mpeg,avi,flv,h264,mjpeg,asf,nut,mxf,gxf,wtv,ogg,nsv,pva,dhav,swf,smjpeg,mpjpeg,mxg,"
    + "live_flv,kux,ivf,ty,lvf"

  /// - Parameter write: called with the pictures in their order.
  /// - Throws: `unsupported`, with what is in the film, if its pictures are coded otherwise.
  public static func extract(
    path: String, write: (UnsafeRawBufferPointer) -> Void
  ) throws(MediaError) {
    let local = try LocalContext(path: path, containers: containers)
    let context = local.pointer
    let index =
      avformat_find_stream_info(context, nil) < 0
      ? -1 : av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
    guard index >= 0, let parameters = context.pointee.streams[Int(index)]?.pointee.codecpar else {
      throw MediaError(.damaged, subject: path, operation: "open the film", reason: "there are no pictures in it")
    }
    let codec = parameters.pointee.codec_id
    guard codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_MJPEG else {
      throw MediaError(
        .unsupported, subject: path, operation: "take its pictures",
        reason: "they are \(String(cString: avcodec_get_name(codec))), and a camera's are H.264 or JPEG")
    }
    let extra = UnsafeBufferPointer(
      start: parameters.pointee.extradata, count: Int(max(0, parameters.pointee.extradata_size)))
    var units = codec == AV_CODEC_ID_H264 ? AccessUnits(extradata: extra) : nil
    guard let packet = LibavPacket() else { throw Libav.outOfMemory(path, "read") }
    while av_read_frame(context, packet.pointer) >= 0 {
      let content = packet.pointer.pointee
      if content.stream_index == index, let data = content.data, content.size > 0 {
        guard !packet.pointer.isProtected else {
          throw MediaError(
            .unsupported, subject: path, operation: "take its pictures", reason: "they are protected (DRM)")
        }
        // Another description from here on: of FLV, and of MP4 with several.
        var size = 0
        if units != nil, let new = av_packet_get_side_data(packet.pointer, AV_PKT_DATA_NEW_EXTRADATA, &size), size > 0 {
          units = AccessUnits(extradata: UnsafeBufferPointer(start: new, count: size))
        }
        if let units {
          units.bytes(content)?.withUnsafeBytes { write($0) }
        } else {
          write(UnsafeRawBufferPointer(start: data, count: Int(content.size)))
        }
      }
      av_packet_unref(packet.pointer)
    }
  }
}
