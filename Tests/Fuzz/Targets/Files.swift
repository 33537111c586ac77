import Hardware
import Media
import Streaming
import TestSupport

extension FuzzTarget {
  /// Recordings of our own kinds as a power cut or somebody else left them: looking changes nothing, repair ends in a
  /// state that stays, what was repaired can be read, cut and joined.
  static let repair = FuzzTarget("repair", .media, make: { Recordings.valid(&$0) }) { bytes in
    do throws(StorageError) {
      let looked = MemoryFile(bytes)
      let before = try MediaRepair.inspect(looked)
      guard looked.writes.isEmpty, looked.bytes == bytes else { return "looking at it has changed it" }
      let file = MemoryFile(bytes)
      let after = try MediaRepair.repair(file, scratch: MemoryFile())
      if case .unfinished = before.condition {
        if case .unfinished = after.condition { return "repaired, and still unfinished" }
      } else if file.bytes != bytes {
        return "\(before.condition), and repair has changed it"
      }
      if after.condition == .finished {
        let again = try MediaRepair.inspect(file)
        guard again.condition == .finished || again.condition == .foreign else {
          return "repaired, and then \(again.condition)"
        }
        guard again.frames == after.frames, again.pictures == after.pictures else {
          return "\(after.frames) frames and \(after.pictures) pictures, and then \(again.frames) and \(again.pictures)"
        }
      }
      if let problem = mark(bytes) { return problem }
      let target = MemoryFile()
      _ = try MediaRepair.salvage(from: MemoryFile(bytes), into: target, scratch: nil, template: Recordings.clip)
      return edit(bytes) ?? edit(file.bytes)
    } catch {
      return "memory answered \(error)"
    }
  }

  /// What is marked is as whole as it was, and marked again the same way it is the same.
  private static func mark(_ bytes: [UInt8]) -> String? {
    let file = MemoryFile(bytes)
    // More than there is room for, up to where a day of the fastest rate is a moment.
    let marks = (0..<400).map { TakeMark(frame: $0 << 38, label: "Ж \($0)") }
    do throws(StorageError) {
      let before = try MediaRepair.inspect(file)
      guard try MarksInFile.replace(marks, in: file, Recordings.clip) else {
        return file.bytes == bytes ? nil : "it is not marked, and has changed"
      }
      let after = try MediaRepair.inspect(file)
      guard before.condition != .finished || (after.condition == .finished && after.frames == before.frames) else {
        return "\(before.condition) of \(before.frames) frames, and marked \(after.condition) of \(after.frames)"
      }
      let marked = file.bytes
      guard try MarksInFile.replace(marks, in: file, Recordings.clip) else { return "it is marked only once" }
      return file.bytes == marked ? nil : "marked again it is another"
    } catch {
      return "memory answered \(error)"
    }
  }

  /// What can be read as a clip can be trimmed and joined.
  private static func edit(_ bytes: [UInt8]) -> String? {
    guard let reader = try? ClipReader(MemoryFile(bytes)) else { return nil }
    guard reader.duration.isFinite, reader.duration >= 0 else { return "a clip of \(reader.duration) s" }
    let source = MemoryFile(bytes)
    let shown = (try? reader.facts(of: source))?.pictures ?? 0
    guard (0...reader.pictures.count).contains(shown) else { return "more pictures are shown than there are" }
    let time = WallTime(nanosecondsSince1970: 0)
    let ends = reader.duration
    for range in [0..<ends.nextUp, ends / 3..<(ends / 2).nextUp] {
      let target = MemoryFile()
      guard let editor = try? ClipEditor(trimming: source, to: range, into: target, createdAt: time, title: "")
      else { continue }
      if let problem = finish(editor, target) { return problem }
    }
    let target = MemoryFile()
    guard let editor = try? ClipEditor(joining: [source, source], into: target, createdAt: time, title: "") else {
      return nil
    }
    return finish(editor, target)
  }

  private static func finish(_ editor: ClipEditor, _ target: MemoryFile) -> String? {
    do throws(StorageError) {
      for _ in 0..<100_000 {
        guard try editor.step() else { continue }
        let made = try MediaRepair.inspect(target)
        return made.condition == .finished || made.condition == .foreign ? nil : "an edit made a file that is \(made)"
      }
      return "an edit of 100,000 steps has not ended"
    } catch {
      return nil
    }
  }

  /// Any sound file, as the player and the list read it.
  static let sound = FuzzTarget("sound", .media, make: { Recordings.valid(&$0) }) { bytes in
    FuzzFolder.with(bytes, named: "sound") { path in
      _ = try? MediaTracks(path: path)
      if let pictures = try? PictureFile(path: path) {
        for _ in 0..<64 { guard pictures.next() != nil else { break } }
        pictures.seek(toFrame: 1 << 40)
        _ = pictures.next()
      }
      hear(bytes)
      return play(path) ?? watch(path)
    }
  }

  /// As it comes by HTTP, from servers that claim any length for it.
  private static func hear(_ bytes: [UInt8]) {
    guard let kind = SoundStream.Kind(beginning: bytes, contentType: "") else { return }
    for length in [bytes.count, 1 << 60, Int.max] {
      guard let sound = try? SoundStream(kind, name: "s", length: length) else { continue }
      sound.feed(bytes)
      for _ in 0..<16 {
        guard (try? sound.next()) == nil else { continue }
        guard let place = sound.wanted, place < bytes.count else { break }
        sound.move(to: place)
        sound.feed(Array(bytes[max(0, place)...]))
      }
      sound.end()
      for _ in 0..<16 where (try? sound.next()) == nil { break }
    }
  }

  /// As the source of a dub: one stretch of sound, with pictures beside it.
  private static func watch(_ path: String) -> String? {
    let most = 12_000
    guard let film = try? FileProgramme(path: path, pictures: true, pictureBytes: 1 << 16, decodedFrames: most) else {
      return nil
    }
    for place in [0, (film.status.length ?? 96_000) / 2, Int.max, 100] {
      film.seek(to: place)
      var next: Int?
      for _ in 0..<32 where film.status.phase != .ended {
        _ = film.step(now: .zero)
        guard film.status.decodedFrames < 2 * most + 4096 else { return "\(film.status.decodedFrames) frames wait" }
        while let block = film.nextSound() {
          guard block.start == next ?? block.start else {
            return "sound at \(block.start), where \(next ?? 0) is next"
          }
          next = block.start + block.frames
        }
        while film.nextPicture() != nil {}
        while film.nextRemark() != nil {}
      }
    }
    return nil
  }

  private static func play(_ path: String) -> String? {
    do throws(MediaError) {
      let file = try SoundFile(path: path, output: PCMFormat(sampleRate: 48_000, channels: 2, bits: 16))
      if let total = file.totalFrames, total < 0 { return "a length of \(total)" }
      var buffer = [Float](repeating: 0, count: 2 * 2048)
      // The beginning, somewhere, behind the end, and the beginning again.
      for place in [0, (file.totalFrames ?? 96_000) / 2, Int.max, 1 << 47, 100] {
        try file.seek(toFrame: place)
        for _ in 0..<16 {
          let before = file.position
          let count = try buffer.withUnsafeMutableBufferPointer { target throws(MediaError) in
            guard let base = target.baseAddress else { return 0 }
            return try file.read(into: base, frames: 2048)
          }
          guard (0...2048).contains(count), file.position == before + count else { return "\(count) frames of 2048" }
          if count == 0 { break }
        }
      }
      return nil
    } catch {
      return nil
    }
  }

  /// A segment of a stream: MPEG-TS, fragmented MP4, packed AAC and MP3.
  static let segment = FuzzTarget("segment", .media) { bytes in
    guard let decoder = try? StreamDecoder(pictures: true) else { return "no decoder" }
    var seconds = 0.0
    for _ in 0..<2 {
      guard (try? decoder.begin(bytes, initialization: [], name: "fuzz")) != nil else { continue }
      for _ in 0..<4000 {
        guard let piece = try? decoder.next() else { break }
        if case .sound(let sound) = piece { seconds += Double(sound.frames) / 48_000 }
      }
      _ = try? decoder.skip(seconds: 1)
    }
    _ = try? decoder.finishRun()
    return seconds < 4000 ? nil : "\(seconds) s of sound"
  }
}

/// Recordings of our own, made by the writers that make them on the device.
enum Recordings {
  /// What a salvage is told that a file was.
  static let clip = FileDescription(
    pictures: PictureTrack(codec: .h264, width: 64, height: 48, configuration: configuration), sound: sound(48_000, 1),
    createdAt: WallTime(nanosecondsSince1970: 1_795_211_640_000_000_000), title: "clip")

  // A real pair of sets would say no more: nothing here decodes.
  private static let configuration: [UInt8] = [1, 66, 0, 30, 255, 225, 0, 4, 103, 66, 0, 30, 1, 0, 2, 104, 206]

  private static func sound(_ rate: Int, _ channels: Int) -> SoundTrack {
    SoundTrack(
      pcm: PCMFormat(sampleRate: rate, channels: channels), configuration: [0x11, 0x88], primingFrames: 1024,
      bitrateKbps: 64)
  }

  /// A take or a clip, finished or cut off; small.
  static func valid(_ dice: inout SeededGenerator) -> [UInt8]? {
    let file = MemoryFile()
    let time = WallTime(nanosecondsSince1970: 1_795_211_640_000_000_000)
    let rate = dice.pick([8_000, 44_100, 48_000], or: 48_000)
    let channels = 1 + dice.below(2)
    var summary = FileSummary()
    for index in 0..<dice.below(4) { summary.marks.append(TakeMark(frame: index * 1000, label: dice.text(upTo: 12))) }
    summary.comment = dice.text(upTo: 8)
    switch dice.below(6) {
    case 5: return opus(channels, summary, &dice)
    case 3: return lossless(.flac, rate, channels, summary, &dice)
    case 4: return lossless(.alac, rate, channels, summary, &dice)
    case 0:
      let description = FileDescription(
        sound: SoundTrack(
          pcm: PCMFormat(sampleRate: rate, channels: channels, bits: dice.pick([16, 24, 32], or: 16))),
        createdAt: time)
      var writer = WaveWriter(file: file, scratch: nil, description: description)
      writer.summary = summary
      fill(&writer, &dice, pictures: false, sampleBytes: 2 * channels * 3)
    case 1:
      let description = FileDescription(sound: sound(rate, channels), createdAt: time, title: "take")
      var writer = MovieWriter(file: file, scratch: nil, description: description)
      writer.summary = summary
      fill(&writer, &dice, pictures: false, sampleBytes: 20)
    default:
      var writer = MovieWriter(file: file, scratch: nil, description: clip)
      writer.summary = summary
      fill(&writer, &dice, pictures: true, sampleBytes: 20)
    }
    return file.bytes
  }

  /// A take whose packets a real encoder has made; of FLAC their checksums count.
  private static func lossless(
    _ codec: SoundCodec, _ rate: Int, _ channels: Int, _ summary: FileSummary, _ dice: inout SeededGenerator
  ) -> [UInt8]? {
    let pcm = PCMFormat(sampleRate: rate, channels: channels, bits: dice.chance(2) ? 16 : 24)
    guard let encoder = try? LosslessEncoder(codec, format: pcm) else { return nil }
    let time = WallTime(nanosecondsSince1970: 1_795_211_640_000_000_000)
    let file = MemoryFile()
    let description = FileDescription(
      sound: SoundTrack(codec, pcm: pcm, configuration: encoder.configuration), createdAt: time, title: "take")
    func write<Writer: MediaWriter>(_ writer: inout Writer) {
      writer.summary = summary
      do {
        try writer.begin()
        for _ in 0..<1 + dice.below(4) {
          let frames = 1 + dice.below(9000)
          let samples = dice.bytes(frames * channels * pcm.bits / 8)
          try samples.withUnsafeBytes { bytes in
            try encoder.encode(bytes, frames: frames) { packet, _ in writer.append(packet, to: 0) }
          }
          try writer.flush()
        }
        guard !dice.chance(3) else { return }
        try encoder.finish { packet, _ in writer.append(packet, to: 0) }
        try writer.finish(at: [.max])
      } catch {}
    }
    if codec == .flac {
      var writer = FLACWriter(file: file, scratch: nil, description: description)
      write(&writer)
    } else {
      var writer = MovieWriter(file: file, scratch: nil, description: description)
      write(&writer)
    }
    return file.bytes
  }

  private static func opus(_ channels: Int, _ summary: FileSummary, _ dice: inout SeededGenerator) -> [UInt8]? {
    let pcm = PCMFormat(sampleRate: 48_000, channels: channels)
    guard let encoder = try? OpusEncoder(format: pcm, bitrateKbps: 32) else { return nil }
    let file = MemoryFile()
    let description = FileDescription(
      sound: SoundTrack(.opus, pcm: pcm, configuration: [], primingFrames: encoder.primingFrames, bitrateKbps: 32),
      createdAt: WallTime(nanosecondsSince1970: 1_795_211_640_000_000_000), title: "take")
    var writer = OpusWriter(file: file, scratch: nil, description: description)
    writer.summary = summary
    var frames = 0
    do {
      try writer.begin()
      for _ in 0..<1 + dice.below(4) {
        let count = 1 + dice.below(6000)
        let samples = dice.bytes(count * channels).map { Float($0) / 512 }
        try encoder.encode(samples, frames: count) { writer.append($0, to: 0) }
        frames += count
        try writer.flush()
      }
      guard !dice.chance(3) else { return file.bytes }
      try encoder.finish { writer.append($0, to: 0) }
      try writer.finish(at: [frames])
    } catch {}
    return file.bytes
  }

  private static func fill<Writer: MediaWriter>(
    _ writer: inout Writer, _ dice: inout SeededGenerator, pictures: Bool, sampleBytes: Int
  ) {
    do throws(StorageError) {
      try writer.begin()
      var time = 0
      for round in 0..<1 + dice.below(4) {
        for index in 0..<1 + dice.below(12) {
          if pictures {
            let unit = [UInt8(0x65)] + dice.bytes(4 + dice.below(20)) + [1]
            let sample = [0, 0, 0, UInt8(unit.count)] + unit
            sample.withUnsafeBytes { writer.append($0, to: 0, at: time, isKeyframe: index == 0 || round == 0) }
            time += 3000
          }
          let sound = dice.bytes(sampleBytes - 1) + [1]
          sound.withUnsafeBytes { writer.append($0, to: pictures ? 1 : 0) }
        }
        try writer.flush()
      }
      if !dice.chance(3) { try writer.finish(at: pictures ? [time, time * 48 / 90] : [.max]) }
    } catch {}
  }
}
