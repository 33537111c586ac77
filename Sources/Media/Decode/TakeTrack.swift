internal import CFFmpeg
internal import Hardware

/// The packets of a finished take of ours, found by its tables on the medium.
///
/// Opening and seeking cost a few reads and no memory to speak of, for a minute as for a day.
final class TakeTrack: PacketSource {
  let decoder: UnsafePointer<AVCodec>
  private let file: AVIOFile
  private let sound: SoundTrack
  /// Media time that the first access unit of the tables has: above 0 where the beginning is lost.
  private let start: Int
  private let frames: Int
  private var tables: SampleTables
  private var next = 0

  private static let largestUnit = 1 << 16

  /// `nil` if the file is anything but a whole take of ours.
  init?(path: String) {
    guard let file = AVIOFile(path: path) else { return nil }
    do throws(StorageError) {
      guard let description = try MovieReading.initialMovie(of: file)?.description, description.tracks.count == 1,
        let sound = description.sound,
        let decoder = avcodec_find_decoder(sound.codec == .alac ? AV_CODEC_ID_ALAC : AV_CODEC_ID_AAC),
        case .whole(let movie) = try FinishedMovie.find(in: file),
        movie.tracks.count == 1, let track = movie.track("soun"),
        let tables = try SampleTables(track.tables, open: { AVIOFile(path: path) })
      else { return nil }
      self.tables = tables
      self.decoder = decoder
      self.sound = sound
      start = max(0, sound.primingFrames - track.firstShown + track.empty)
      frames = movie.length
    } catch {
      return nil
    }
    self.file = file
  }

  var timeBase: AVRational { AVRational(num: 1, den: Int32(sound.pcm.sampleRate)) }

  var origin: Int64? { Int64(sound.primingFrames) }

  var claimed: (sampleRate: Int, channels: Int, bits: Int) {
    (sound.pcm.sampleRate, sound.pcm.channels, sound.pcm.bits)
  }

  var seeksExactly: Bool { true }

  func audibleFrames(sampleRate: Int) -> Int? { sampleRate == sound.pcm.sampleRate ? frames : nil }

  func configure(_ context: UnsafeMutablePointer<AVCodecContext>) -> Int32 {
    let bytes = sound.configuration
    guard let memory = av_mallocz(bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else { return ffmpeg_error_memory() }
    bytes.withUnsafeBytes { source in
      if let start = source.baseAddress { memory.copyMemory(from: start, byteCount: source.count) }
    }
    context.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
    context.pointee.extradata_size = Int32(bytes.count)
    context.pointee.sample_rate = Int32(sound.pcm.sampleRate)
    av_channel_layout_default(&context.pointee.ch_layout, Int32(sound.pcm.channels))
    return 0
  }

  func read(into packet: UnsafeMutablePointer<AVPacket>) -> Int32 {
    do throws(StorageError) {
      guard let unit = try tables.unit(next), unit.size <= Self.largestUnit else { return ffmpeg_error_eof() }
      next += 1
      let status = av_new_packet(packet, Int32(unit.size))
      guard status >= 0, let data = packet.pointee.data else { return ffmpeg_error_memory() }
      let count = try file.read(into: UnsafeMutableRawBufferPointer(start: data, count: unit.size), at: unit.offset)
      guard count == unit.size else {
        av_packet_unref(packet)
        return ffmpeg_error_eof()
      }
      packet.pointee.pts = Int64(start + unit.time)
      packet.pointee.dts = Int64(start + unit.time)
      packet.pointee.duration = Int64(unit.duration)
      packet.pointee.flags |= AV_PKT_FLAG_KEY
      return 0
    } catch {
      av_packet_unref(packet)
      return ffmpeg_error_eof()
    }
  }

  func seek(timestamp: Int64) -> Bool {
    next = tables.index(at: max(0, Int(timestamp) - start))
    return true
  }
}
