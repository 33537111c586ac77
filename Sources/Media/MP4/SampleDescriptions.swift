internal import Hardware

/// The `stsd` box: how the samples of a track are coded.
enum SampleDescriptions {
  /// Where the content of the box has the bit rates of AAC.
  static let bitrates = 68..<76

  /// `mp4a` with its `esds` (ISO 14496-14), or `alac` with its configuration, which is a box already.
  static func write(_ sound: SoundTrack, bitrate: Int, into writer: inout ByteWriter) {
    writer.fullBox("stsd") { table in
      table.big32(1)
      let isAAC = sound.codec == .aac
      table.box(isAAC ? "mp4a" : "alac") { entry in
        entry.zeros(6)
        entry.big16(1)  // data reference
        entry.zeros(8)
        entry.big16(UInt16(truncatingIfNeeded: sound.pcm.channels))
        entry.big16(isAAC ? 16 : UInt16(clamping: sound.pcm.bits))  // sample size: fixed by 14496-14
        entry.zeros(4)
        // 16.16 fixed point; rates that do not fit are in the AudioSpecificConfig alone.
        entry.big32(sound.pcm.sampleRate < 65_536 ? UInt32(sound.pcm.sampleRate) << 16 : 0)
        guard isAAC else { return entry.bytes.append(contentsOf: sound.configuration) }
        entry.fullBox("esds") { elementaryStream(sound, bitrate: bitrate, into: &$0) }
      }
    }
  }

  /// The ES descriptor of ISO 14496-1 section 7.2.6; all lengths fit one byte.
  private static func elementaryStream(_ sound: SoundTrack, bitrate: Int, into box: inout ByteWriter) {
    let specific = sound.configuration.prefix(64)
    box.big8(3)  // ES_Descriptor
    box.big8(UInt8(3 + 2 + 13 + 2 + specific.count + 3))
    box.big16(1)
    box.big8(0)
    box.big8(4)  // DecoderConfigDescriptor
    box.big8(UInt8(13 + 2 + specific.count))
    box.big8(0x40)  // MPEG-4 audio
    box.big8(0x15)  // audio stream
    box.zeros(1)
    box.big16(UInt16(768 * max(1, sound.pcm.channels)))  // decoder buffer: 6144 bits a channel (14496-3, 4.5.3.2)
    box.big32(UInt32(clamping: bitrate))
    box.big32(UInt32(clamping: bitrate))
    box.big8(5)  // DecoderSpecificInfo
    box.big8(UInt8(specific.count))
    box.bytes.append(contentsOf: specific)
    box.big8(6)  // SLConfigDescriptor
    box.big8(1)
    box.big8(2)
  }

  /// Says that a decoder which starts in the middle must decode one access unit before it (14496-12, 10.1).
  static func writeRollGroups(sampleCount: Int, into writer: inout ByteWriter) {
    writer.fullBox("sgpd", version: 1) { box in
      box.text("roll")
      box.big32(2)
      box.big32(1)
      box.big16(UInt16(bitPattern: -1))
    }
    writer.fullBox("sbgp") { box in
      box.text("roll")
      box.big32(1)
      box.big32(UInt32(clamping: sampleCount))
      box.big32(1)
    }
  }

  /// `avc1` with `avcC` (ISO 14496-15, 5.3.3), or JPEG pictures as MPEG-4 visual of type 0x6C (ISO 14496-1, table 5).
  static func write(_ pictures: PictureTrack, into writer: inout ByteWriter) {
    writer.fullBox("stsd") { table in
      table.big32(1)
      table.box(pictures.codec == .h264 ? "avc1" : "mp4v") { entry in
        entry.zeros(6)
        entry.big16(1)  // data reference
        entry.zeros(16)
        entry.big16(UInt16(clamping: pictures.width))
        entry.big16(UInt16(clamping: pictures.height))
        entry.big32(0x48_0000)  // 72 dpi
        entry.big32(0x48_0000)
        entry.zeros(4)
        entry.big16(1)  // pictures a sample
        entry.zeros(32)  // compressor name
        entry.big16(24)  // colour depth
        entry.big16(0xFFFF)
        if pictures.codec == .h264 {
          entry.box("avcC") { $0.bytes.append(contentsOf: pictures.configuration) }
        } else {
          entry.fullBox("esds") { box in
            box.big8(3)  // ES_Descriptor
            box.big8(3 + 2 + 13 + 3)
            box.big16(1)
            box.big8(0)
            box.big8(4)  // DecoderConfigDescriptor
            box.big8(13)
            box.big8(0x6C)  // ISO/IEC 10918-1
            box.big8(0x11)  // visual stream
            box.zeros(11)  // buffer and rates unknown
            box.big8(6)  // SLConfigDescriptor
            box.big8(1)
            box.big8(2)
          }
        }
      }
    }
  }
}
