import Foundation
import Glibc
import TestSupport

/// A card on which other recorders, telephones and people have put what they had.
struct ForeignCard {
  /// What the manual says becomes of a file.
  enum Fate: Sendable {
    /// Listed with its length, and played.
    case plays
    case unreadable
    case unlisted
  }

  struct File: Sendable {
    /// In the data directory; `\xE9` stands for a byte that is no UTF-8.
    let path: String
    var fate = Fate.plays
    let make: @Sendable (_ path: String) throws -> Void

    var name: String { String(path[path.index(after: path.firstIndex(of: "/") ?? path.startIndex)...]) }
    var isClip: Bool { path.hasPrefix("clips/") }
  }

  let data: URL

  /// Makes all of them.
  init(in data: URL) throws {
    self.data = data
    for folder in ["recordings", "clips"] {
      try FileManager.default.createDirectory(
        at: data.appendingPathComponent(folder), withIntermediateDirectories: true)
    }
    for file in Self.files {
      let place = data.appendingPathComponent("making").path
      try file.make(place)
      guard rename(place, Self.bytes("\(data.path)/\(file.path)")) == 0 else {
        throw Tool.Failure(description: "\(file.path): errno \(errno)")
      }
    }
  }

  /// A path for the kernel.
  static func bytes(_ path: String) -> [CChar] {
    let parts = path.components(separatedBy: "\\xE9").map { Array($0.utf8) }
    return parts.joined(separator: [0xE9]).map { CChar(bitPattern: $0) } + [0]
  }

  /// What may not change of a file.
  struct State: Equatable {
    let inode: UInt64
    let size: Int
    let modified: [Int]
    let mode: UInt32
    let content: Data?
  }

  /// All that is there of them.
  func states() -> [String: State] {
    var states: [String: State] = [:]
    for file in Self.files {
      var status = stat()
      let path = Self.bytes("\(data.path)/\(file.path)")
      guard lstat(path, &status) == 0 else { continue }
      var content: Data?
      if status.st_mode & S_IFMT == S_IFREG, let stream = fopen(path, "r") {
        var bytes = Data(count: status.st_size)
        let count = bytes.withUnsafeMutableBytes { fread($0.baseAddress, 1, $0.count, stream) }
        content = bytes.prefix(count)
        fclose(stream)
      }
      states[file.path] = State(
        inode: UInt64(status.st_ino), size: status.st_size,
        modified: [status.st_mtim.tv_sec, status.st_mtim.tv_nsec], mode: status.st_mode, content: content)
    }
    return states
  }

  /// Seconds that ffmpeg decodes of a file's sound.
  func decodedSeconds(_ file: File) throws -> Double {
    // MS ADPCM comes in blocks; ffmpeg plays the last one whole, the file says how much of it is sound.
    if file.name == "soxms.wav" { return 2.5 }
    let copy = data.appendingPathComponent("decoding").path
    defer { unlink(copy) }
    guard symlink(Self.bytes("\(data.path)/\(file.path)"), copy) == 0 else {
      throw Tool.Failure(description: "\(file.path): errno \(errno)")
    }
    // One channel at 48 kHz, two bytes a frame.
    let words = ["-v", "error", "-i", copy, "-map", "0:a:0", "-f", "s16le", "-ac", "1", "-ar", "48000", "-"]
    return Double(try Tool.run("ffmpeg", words).data.count) / 96_000
  }

  // MARK: What is on it

  static let files: [File] = sounds + others + films + streamed + nothing

  private static let tone = ["-f", "lavfi", "-i", "sine=440:r=44100:d=2.5,aformat=channel_layouts=stereo"]
  private static let picture = ["-f", "lavfi", "-i", "testsrc=s=160x120:r=25:d=2.5"]

  private static func ffmpeg(_ path: String, _ words: String, _ fate: Fate = .plays, from input: [String] = tone)
    -> File
  {
    File(path: path, fate: fate) { place in
      try Tool.succeed(
        "ffmpeg", ["-v", "error", "-y"] + input + words.split(separator: " ").map(String.init) + [place])
    }
  }

  private static func bytes(_ path: String, _ fate: Fate, _ bytes: [UInt8]) -> File {
    File(path: path, fate: fate) { try Data(bytes).write(to: URL(fileURLWithPath: $0)) }
  }

  private static let sounds: [File] = [
    ffmpeg("recordings/NOXING.MP3", "-c:a libmp3lame -write_xing 0 -id3v2_version 0 -f mp3"),
    ffmpeg("recordings/lame.mp3", "-c:a libmp3lame -f mp3"), ffmpeg("recordings/radio.oga", "-c:a libvorbis -f ogg"),
    ffmpeg("recordings/flac.ogg", "-c:a flac -f ogg"), ffmpeg("recordings/sound.opus", "-c:a libopus -f ogg"),
    ffmpeg("recordings/adts.aac", "-c:a aac -f adts"), ffmpeg("recordings/adts.m4a", "-c:a aac -f adts"),
    ffmpeg("recordings/telephone.m4a", "-c:a aac -f ipod"), ffmpeg("recordings/alac.m4a", "-c:a alac -f ipod"),
    ffmpeg("recordings/pieces.m4a", "-c:a aac -movflags frag_keyframe+empty_moov -frag_duration 500000 -f mp4"),
    File(path: "recordings/odd.wav") { place in
      try Tool.succeed("ffmpeg", ["-v", "error", "-y"] + tone + ["-f", "wav", place])
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: place))
      try file.seekToEnd()
      try file.write(contentsOf: Data([0x78]))
      try file.close()
    },
    // From a recorder whose clock was set by nobody: the year 2400.
    File(path: "recordings/future.wav") { place in
      try Tool.succeed("ffmpeg", ["-v", "error", "-y"] + tone + ["-f", "wav", place])
      let time = timespec(tv_sec: 13_569_465_600, tv_nsec: 0)
      guard utimensat(AT_FDCWD, place, [time, time], 0) == 0 else {
        throw Tool.Failure(description: "\(place): errno \(errno)")
      }
    },
    ffmpeg("recordings/eight.wav", "-c:a pcm_u8 -f wav"), ffmpeg("recordings/deep.wav", "-c:a pcm_s24le -f wav"),
    ffmpeg("recordings/float.wav", "-c:a pcm_f32le -f wav"), ffmpeg("recordings/double.wav", "-c:a pcm_f64le -f wav"),
    ffmpeg("recordings/law.wav", "-c:a pcm_alaw -ac 1 -f wav"), ffmpeg("recordings/adpcm.wav", "-c:a adpcm_ms -f wav"),
    ffmpeg("recordings/long.wav", "-c:a pcm_s16le -rf64 always -f wav"), ffmpeg("recordings/sony.w64", "-f w64"),
    ffmpeg("recordings/apple.aiff", "-c:a pcm_s16be -f aiff"), ffmpeg("recordings/deep.aif", "-c:a pcm_s24be -f aiff"),
    ffmpeg("recordings/film.ac3", "-c:a ac3 -f ac3"), ffmpeg("recordings/film.eac3", "-c:a eac3 -f eac3"),
    ffmpeg("recordings/core.caf", "-c:a alac -f caf"), ffmpeg("recordings/sound.flac", "-c:a flac -f flac"),
    ffmpeg("recordings/vorbis.mka", "-c:a libvorbis -f matroska"), ffmpeg("recordings/aac.mka", "-c:a aac -f matroska"),
    ffmpeg("recordings/browser.webm", "-c:a libopus -f webm"),
    // What browsers record has no length in its head.
    ffmpeg("recordings/endless.webm", "-c:a libopus -live 1 -f webm"),
    ffmpeg("recordings/radio.ts", "-c:a aac -f mpegts"), ffmpeg("recordings/no suffix", "-c:a flac -f flac"),
    ffmpeg("recordings/999999999999_x.wav", "-f wav"),
    ffmpeg("recordings/caf\\xE9.wav", "-f wav"), ffmpeg("recordings/a\u{1B}[2J\nb\u{202E}c\u{9B}.wav", "-f wav"),
    ffmpeg("recordings/film.mp4", "-c:v libx264 -c:a aac -f mp4", from: picture + tone),
    // Frames without speech, 20 ms each.
    bytes(
      "recordings/call.amr", .plays,
      Array("#!AMR\n".utf8) + (0..<125).flatMap { _ in [0x3C] + [UInt8](repeating: 0, count: 31) }),
  ]

  /// What FFmpeg has not written: other programs, and other kinds of the same formats.
  private static let others: [File] = [
    sox("recordings/SOX24.WAV", "-b 24", "-t wav"), sox("recordings/sox32.wav", "-b 32 -e signed", "-t wav"),
    sox("recordings/soxlaw.wav", "-e mu-law -r 8000 -c 1", "-t wav"),
    sox("recordings/soxms.wav", "-e ms-adpcm", "-t wav"), sox("recordings/soxima.wav", "-e ima-adpcm", "-t wav"),
    sox("recordings/six.wav", "-c 6", "-t wav"), sox("recordings/slow.wav", "-r 11025 -b 8 -e unsigned", "-t wav"),
    sox("recordings/fast.wav", "-r 96000 -b 24", "-t wav"), sox("recordings/sox.aifc", "-b 16", "-t aifc"),
    sox("recordings/sox.w64", "-b 24", "-t w64"), sox("recordings/sox.caf", "-b 16", "-t caf"),
    sox("recordings/sox.oga", "-C 3", "-t vorbis"), sox("recordings/mono.flac", "-c 1 -r 16000 -C 8", "-t flac"),
    // What is in it counts, and not its name.
    sox("recordings/wave.mp3", "-b 16", "-t wav"), sox("recordings/flac.wav", "", "-t flac"),
    by("flac", "recordings/FLAC.FLAC", "-s -8 -f --no-padding -S 1x -o"),
    by("flac", "recordings/flac tool.oga", "-s --ogg -f -o"),
    by("opusenc", "recordings/short.opus", "--quiet --framesize 2.5"),
    by("opusenc", "recordings/voice.ogg", "--quiet --downmix-mono --bitrate 12"),
    by("lame", "recordings/vbr.mp3", "--quiet -V 4"), by("lame", "recordings/bare.mp3", "--quiet -t -b 64"),
    by("lame", "recordings/telephone.mp3", "--quiet --resample 8 -m m --id3v2-only --tt Title"),
    by("lame", "recordings/old tag.mp3", "--quiet --id3v1-only --tt Title"),
    ffmpeg("recordings/phone.3gp", "-c:a aac -ac 1 -f 3gp"), ffmpeg("recordings/APPLE.M4A", "-c:a alac -f ipod"),
    ffmpeg("recordings/nine.mov", "-c:a pcm_s24be -f mov"), ffmpeg("recordings/mp3.wav", "-c:a libmp3lame -f wav"),
    ffmpeg("recordings/flac.mka", "-c:a flac -f matroska"),
    ffmpeg("recordings/chained.mp4", "-c:a flac -strict -2 -f mp4"),
  ]

  private static let streams = FileManager.default.isExecutableFile(atPath: "/usr/bin/gst-launch-1.0")

  /// By GStreamer, where it is.
  private static let streamed: [File] =
    !streams
    ? []
    : [
      gst("recordings/gst.mp3", "lamemp3enc"), gst("recordings/gst.wav", "wavenc"),
      gst("recordings/gst.ogg", "vorbisenc ! oggmux"), gst("recordings/gst.mka", "opusenc ! matroskamux"),
      gst("recordings/gst.webm", "vorbisenc ! webmmux"), gst("recordings/gst.flac", "flacenc"),
      gst("clips/gst.mp4", "lamemp3enc ! mp4mux"),
    ]

  private static func gst(_ path: String, _ pipeline: String) -> File {
    File(path: path) { place in
      let source = "-q audiotestsrc num-buffers=100 samplesperbuffer=1024 ! audio/x-raw,rate=44100,channels=2"
      let words = "\(source) ! audioconvert ! audioresample ! \(pipeline) ! filesink".split(separator: " ")
      try Tool.succeed("gst-launch-1.0", words.map(String.init) + ["location=\(place)"])
    }
  }

  private static func sox(_ path: String, _ words: String, _ kind: String) -> File {
    File(path: path) { place in
      let (words, kind) = (words.split(separator: " ").map(String.init), kind.split(separator: " ").map(String.init))
      try Tool.succeed(
        "sox", ["-V1", "-r", "44100", "-n", "-c", "2"] + words + kind + [place, "synth", "2.5", "sine", "440"])
    }
  }

  /// By a program that makes a file of a WAV.
  private static func by(_ program: String, _ path: String, _ words: String) -> File {
    File(path: path) { place in
      let wave = place + ".wav"
      defer { unlink(wave) }
      try Tool.succeed("sox", ["-V1", "-n", "-r", "44100", "-c", "2", "-b", "16", wave, "synth", "2.5", "sine", "440"])
      let words = words.split(separator: " ").map(String.init)
      let ends = words.last == "-o" ? [place, wave] : [wave, place]
      try Tool.succeed(program, words + ends)
    }
  }

  private static let films: [File] = [
    ffmpeg("clips/holiday.mp4", "-c:v libx264 -c:a aac -f mp4", from: picture + tone),
    ffmpeg("clips/999999999999_x.mp4", "-c:v libx264 -c:a aac -f mp4", from: picture + tone),
    ffmpeg("clips/000900_2026-11-20T21-54-00Z.mp4", "-c:v libx264 -c:a aac -f mp4", from: picture + tone),
    ffmpeg("clips/DSC0001.MOV", "-c:v libx264 -c:a pcm_s16le -f mov", from: picture + tone),
    ffmpeg("clips/phone.3gp", "-c:v libx264 -c:a aac -f 3gp", from: picture + tone),
    ffmpeg("clips/CAMERA.MKV", "-c:v libx264 -c:a flac -f matroska", from: picture + tone),
    ffmpeg("clips/screen.webm", "-c:v libvpx -c:a libopus -f webm", from: picture + tone),
    ffmpeg(
      "clips/00001.MTS", "-c:v libx264 -c:a ac3 -mpegts_m2ts_mode 1 -f mpegts", from: picture + tone),
    ffmpeg("clips/broadcast.ts", "-c:v libx264 -c:a mp2 -f mpegts", from: picture + tone),
    ffmpeg("clips/film without a suffix", "-c:v libx264 -c:a aac -f mp4", from: picture + tone),
    ffmpeg("clips/caf\\xE9.mp4", "-c:v libx264 -c:a aac -f mp4", from: picture + tone),
    bytes(
      "clips/sync.ts", .unreadable,
      (0..<60).flatMap { _ in [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184) }),
    bytes("clips/garbage.mp4", .unreadable, [UInt8](repeating: 0x47, count: 5000)),
    bytes("clips/empty.mp4", .unreadable, []), bytes("clips/notes.txt", .unlisted, [0x68]),
    File(path: "clips/pipe.mp4", fate: .unlisted) { mkfifo($0, 0o644) },
    File(path: "clips/link.mp4", fate: .unlisted) { symlink("holiday.mp4", $0) },
  ]

  private static let nothing: [File] = [
    bytes("recordings/empty.wav", .unreadable, []), bytes("recordings/empty.m4a", .unreadable, []),
    bytes("recordings/garbage.flac", .unreadable, [UInt8](repeating: 7, count: 5000)),
    ffmpeg("recordings/silent.mp4", "-c:v libx264 -f mp4", .unreadable, from: picture),
    // What nobody here decodes.
    ffmpeg("recordings/old.wma", "-c:a wmav2 -f asf", .unreadable),
    ffmpeg("recordings/old.asf", "-c:a wmav1 -f asf", .unreadable),
    ffmpeg("recordings/pack.wv", "-c:a wavpack -f wv", .unreadable), ffmpeg("recordings/sun.au", "-f au", .unreadable),
    ffmpeg("recordings/blaster.voc", "-f voc", .unreadable), ffmpeg("recordings/true.tta", "-f tta", .unreadable),
    bytes("recordings/letter.txt", .unlisted, [0x68, 0x69]), bytes("recordings/alone.json", .unlisted, [0x7B, 0x7D]),
    bytes("recordings/.hidden.wav", .unlisted, [1]), bytes("recordings/song.wav.part", .unlisted, [1]),
    File(path: "recordings/pipe.wav", fate: .unlisted) { mkfifo($0, 0o644) },
    File(path: "recordings/link.wav", fate: .unlisted) { symlink("odd.wav", $0) },
    File(path: "recordings/000012_2026-11-20T21-54-00Z.wav", fate: .unlisted) { symlink("odd.wav", $0) },
    File(path: "recordings/folder.wav", fate: .unlisted) { mkdir($0, 0o755) },
  ]
}
