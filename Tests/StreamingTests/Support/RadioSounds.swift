import TestSupport

/// Six seconds of a tone as stations and servers have it.
enum RadioSounds {
  static let codecs: [(name: String, options: [String])] = [
    ("a.mp3", ["-c:a", "libmp3lame"]), ("a.aac", ["-c:a", "aac"]), ("a.flac", ["-c:a", "flac"]),
    ("vorbis.ogg", ["-c:a", "libvorbis", "-metadata", "title=Song", "-metadata", "artist=Band"]),
    ("a.opus", ["-c:a", "libopus", "-metadata", "title=Song", "-metadata", "artist=Band"]),
    ("flac.ogg", ["-c:a", "flac", "-metadata", "title=Song", "-metadata", "artist=Band"]),
    ("a.wav", ["-c:a", "pcm_s16le"]), ("float.wav", ["-c:a", "pcm_f32le", "-ar", "44100"]),
    ("law.wav", ["-c:a", "pcm_alaw"]), ("a.m4a", ["-c:a", "aac"]), ("alac.m4a", ["-c:a", "alac"]),
    ("fast.m4a", ["-c:a", "aac", "-movflags", "+faststart"]), ("a.mov", ["-c:a", "pcm_s16le"]),
    ("film.mp4", film + ["-c:a", "aac"]), ("fast.mp4", film + ["-c:a", "aac", "-movflags", "+faststart"]),
    ("pieces.mp4", film + ["-c:a", "aac", "-movflags", "frag_keyframe+empty_moov+default_base_moof"]),
    ("old.mp4", film + ["-c:a", "aac", "-movflags", "frag_keyframe+empty_moov"]),
    ("film.ts", film + ["-c:a", "aac"]), ("mp2.ts", ["-c:a", "mp2"]), ("ac3.ts", film + ["-c:a", "ac3"]),
    ("opus.ts", ["-c:a", "libopus"]), ("m2ts.ts", ["-c:a", "ac3", "-mpegts_m2ts_mode", "1"]),
  ]

  /// Pictures beside the sound, a few times as many bytes.
  static let film = ["-f", "lavfi", "-i", "testsrc=s=320x240:r=25:d=6", "-c:v", "libx264", "-g", "25"]

  static let folder: Result<TemporaryFolder, any Error> = Result {
    let folder = TemporaryFolder()
    for (name, options) in codecs {
      // Inputs stand before outputs' options.
      let inputs = Array(options.prefix { $0 != "-c:v" && $0 != "-c:a" })
      try ffmpeg(folder, tones(6) + inputs + options.dropFirst(inputs.count) + [name])
    }
    return folder
  }
}
