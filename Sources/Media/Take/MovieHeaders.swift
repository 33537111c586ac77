/// The parts of both `moov` boxes, the initial one and the final one.
extension OldTakeBoxes {
  /// Writes times and a duration in 32 bits where they fit, else the box's version 1 in 64.
  private func timed(
    _ writer: inout ByteWriter, _ type: String, flags: UInt32 = 0, duration: Int,
    between: (inout ByteWriter) -> Void, after: (inout ByteWriter) -> Void
  ) {
    let wide = creationTime > UInt64(UInt32.max) || duration >= Int(UInt32.max)
    writer.fullBox(type, version: wide ? 1 : 0, flags: flags) { box in
      for _ in 0..<2 { wide ? box.big64(creationTime) : box.big32(UInt32(creationTime)) }
      between(&box)
      wide ? box.big64(UInt64(duration)) : box.big32(UInt32(duration))
      after(&box)
    }
  }

  func movieHeader(_ writer: inout ByteWriter, duration: Int) {
    timed(&writer, "mvhd", duration: duration) {
      $0.big32(UInt32(sampleRate))
    } after: { box in
      box.big32(0x10000)  // rate 1.0
      box.big16(0x100)  // volume 1.0
      box.zeros(10)
      matrix(&box)
      box.zeros(24)
      box.big32(2)  // next track
    }
  }

  func trackHeader(_ writer: inout ByteWriter, duration: Int) {
    // Flags: enabled, in movie, in preview.
    timed(&writer, "tkhd", flags: 7, duration: duration) { box in
      box.big32(1)  // track
      box.zeros(4)
    } after: { box in
      box.zeros(8)
      box.zeros(4)  // layer, alternate group
      box.big16(0x100)  // volume 1.0
      box.zeros(2)
      matrix(&box)
      box.zeros(8)  // no width, no height
    }
  }

  private func matrix(_ box: inout ByteWriter) {
    for value: UInt32 in [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000] { box.big32(value) }
  }

  /// Skips the encoder's priming; the movie's time scale is the sample rate, so the length is exact.
  func editList(_ writer: inout ByteWriter, duration: Int) {
    let wide = duration >= Int(UInt32.max)
    writer.box("edts") { edits in
      edits.fullBox("elst", version: wide ? 1 : 0) { box in
        box.big32(1)
        wide ? box.big64(UInt64(duration)) : box.big32(UInt32(duration))
        wide ? box.big64(UInt64(primingFrames)) : box.big32(UInt32(primingFrames))
        box.big32(0x10000)  // rate 1.0
      }
    }
  }

  func mediaHeader(_ writer: inout ByteWriter, duration: Int) {
    timed(&writer, "mdhd", duration: duration) {
      $0.big32(UInt32(sampleRate))
    } after: { box in
      box.big16(0x55C4)  // language "und"
      box.zeros(2)
    }
    writer.fullBox("hdlr") { box in
      box.zeros(4)
      box.text("soun")
      box.zeros(12)
      box.text("SoundHandler")
      box.zeros(1)
    }
  }

  func mediaInformation(_ writer: inout ByteWriter) {
    writer.fullBox("smhd") { $0.zeros(4) }
    writer.box("dinf") { information in
      information.fullBox("dref") { references in
        references.big32(1)
        references.fullBox("url ", flags: 1) { _ in }  // the media is in this file
      }
    }
  }

  func sampleDescription(_ writer: inout ByteWriter) {
    writer.fullBox("stsd") { table in
      table.big32(1)
      table.box("mp4a") { entry in
        entry.zeros(6)
        entry.big16(1)  // data reference
        entry.zeros(8)
        entry.big16(UInt16(truncatingIfNeeded: channels))
        entry.big16(16)  // sample size: fixed by 14496-14
        entry.zeros(4)
        // 16.16 fixed point; rates that do not fit are in the AudioSpecificConfig alone.
        entry.big32(sampleRate < 65_536 ? UInt32(sampleRate) << 16 : 0)
        entry.fullBox("esds") { elementaryStream(&$0) }
      }
    }
  }

  /// The ES descriptor of ISO 14496-1 section 7.2.6; all lengths fit one byte.
  private func elementaryStream(_ box: inout ByteWriter) {
    let specific = decoderConfiguration.prefix(64)
    box.big8(3)  // ES_Descriptor
    box.big8(UInt8(3 + 2 + 13 + 2 + specific.count + 3))
    box.big16(1)
    box.big8(0)
    box.big8(4)  // DecoderConfigDescriptor
    box.big8(UInt8(13 + 2 + specific.count))
    box.big8(0x40)  // MPEG-4 audio
    box.big8(0x15)  // audio stream
    box.zeros(1)
    box.big16(UInt16(768 * max(1, channels)))  // decoder buffer: 6144 bits a channel (14496-3, 4.5.3.2)
    box.big32(UInt32(clamping: averageBitrate))
    box.big32(UInt32(clamping: averageBitrate))
    box.big8(5)  // DecoderSpecificInfo
    box.big8(UInt8(specific.count))
    box.bytes.append(contentsOf: specific)
    box.big8(6)  // SLConfigDescriptor
    box.big8(1)
    box.big8(2)
  }

  /// Says that a decoder which starts in the middle must decode one access unit before it (14496-12, 10.1).
  func rollGroups(_ writer: inout ByteWriter, sampleCount: Int) {
    writer.fullBox("sgpd", version: 1) { box in
      box.text("roll")
      box.big32(2)
      box.big32(1)
      box.big16(UInt16(bitPattern: -1))
    }
    writer.fullBox("sbgp") { box in
      box.text("roll")
      box.big32(sampleCount == 0 ? 0 : 1)
      guard sampleCount > 0 else { return }
      box.big32(UInt32(clamping: sampleCount))
      box.big32(1)
    }
  }
}
