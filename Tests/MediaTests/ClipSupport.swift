import Foundation
import Hardware
import Media
import TestSupport

/// H.264 made by the ffmpeg tool, cut into its access units.
struct TestVideo: @unchecked Sendable {
  let pictures: [(bytes: [UInt8], isKeyframe: Bool)]
  let width: Int
  let height: Int

  /// Made once for all tests: 320×180, a keyframe every 15 pictures.
  static let shared = Result { try TestVideo(pictures: 120, interval: 15) }
  static let jpegs = Result { try TestVideo(jpegs: 30) }

  init(pictures count: Int, interval: Int) throws {
    let folder = TemporaryFolder()
    let path = folder.file("v.h264")
    let made = try Tool.run(
      "/usr/bin/ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30", "-frames:v", "\(count)", "-c:v", "libx264",
        "-preset", "ultrafast", "-tune", "zerolatency", "-g", "\(interval)", "-keyint_min", "\(interval)",
        "-sc_threshold", "0", "-x264-params", "aud=1:repeat-headers=1", "-pix_fmt", "yuv420p", "-f", "h264", "-y", path,
      ])
    guard made.status == 0 else { throw CocoaError(.fileReadUnknown) }
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    // Every access unit begins with a delimiter.
    var starts: [Int] = []
    for index in 0..<(bytes.count - 5) where bytes[index..<index + 5].elementsEqual([0, 0, 0, 1, 9]) {
      starts.append(index)
    }
    pictures = zip(starts, starts.dropFirst() + [bytes.count]).map { start, end in
      let unit = Array(bytes[start..<end])
      return (unit, unit.withUnsafeBytes { NALScan.isKeyframe($0) })
    }
    (width, height) = (320, 180)
  }

  init(jpegs count: Int) throws {
    let folder = TemporaryFolder()
    let made = try Tool.run(
      "/usr/bin/ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30", "-frames:v", "\(count)", "-c:v", "mjpeg", "-y",
        folder.file("p%03d.jpg"),
      ])
    guard made.status == 0 else { throw CocoaError(.fileReadUnknown) }
    pictures = try (1...count).map { number in
      let name = folder.file(String(format: "p%03d.jpg", number))
      return ([UInt8](try Data(contentsOf: URL(fileURLWithPath: name))), true)
    }
    (width, height) = (320, 180)
  }

  var track: PictureTrack {
    let first = pictures[0].bytes
    guard let parameters = first.withUnsafeBytes({ H264Parameters(in: $0) }) else {
      return PictureTrack(codec: .mjpeg, width: width, height: height)
    }
    return PictureTrack(
      codec: .h264, width: parameters.width, height: parameters.height, configuration: parameters.configuration)
  }

  /// As a sample of MP4.
  func sample(_ index: Int) -> [UInt8] {
    let unit = pictures[index % pictures.count].bytes
    if track.codec == .mjpeg { return unit }
    var sample: [UInt8] = []
    unit.withUnsafeBytes { _ = SampleFilter.withoutSets.append($0, to: &sample) }
    return sample
  }
}

/// A clip with every picture of the test video and a glide of the same length.
struct ClipMaker {
  var video: TestVideo
  var sound: SoundTrack?
  var units: [[UInt8]] = []
  var encoder: AACEncoder?
  static let tick = 3000

  init(_ video: TestVideo, withSound: Bool = true) throws {
    self.video = video
    guard withSound else { return }
    let pcm = PCMFormat(sampleRate: 48_000, channels: 2)
    let encoder = try AACEncoder(format: pcm, bitrateKbps: 128)
    sound = SoundTrack(
      pcm: pcm, configuration: encoder.configuration, primingFrames: encoder.primingFrames, bitrateKbps: 128)
    let frames = video.pictures.count * 1600
    let samples = glide(frames: frames, channels: 2, sampleRate: 48_000)
    var made: [[UInt8]] = []
    try encoder.encode(samples, frames: frames) { made.append(Array($0)) }
    try encoder.finish { made.append(Array($0)) }
    units = made
  }

  func description(skipped: Int = 0) -> FileDescription {
    FileDescription(
      pictures: video.track, sound: sound, skippedTicks: skipped,
      createdAt: WallTime(nanosecondsSince1970: 1_790_000_000_000_000_000), title: "clip")
  }

  /// Appends everything, flushing every half second; without the end.
  func write(_ clip: inout MovieWriter, flushes: Bool = true) throws {
    try clip.begin()
    var unit = 0
    for index in video.pictures.indices {
      video.sample(index).withUnsafeBytes {
        clip.append($0, to: 0, at: index * Self.tick, isKeyframe: video.pictures[index].isKeyframe)
      }
      while unit < units.count, unit * 1024 <= (index + 1) * 1600 {
        units[unit].withUnsafeBytes { clip.append($0, to: 1) }
        unit += 1
      }
      if flushes, index % 15 == 14 { try clip.flush() }
    }
    while unit < units.count {
      units[unit].withUnsafeBytes { clip.append($0, to: 1) }
      unit += 1
    }
  }
}

extension MovieWriter {
  /// A writer that keeps its tables in memory, as a clip's does.
  init(_ file: any StoredFile, _ description: FileDescription) {
    self.init(file: file, scratch: nil, description: description)
  }
}

/// Times of the packets that are to be shown, from ffprobe.
func shownTimes(_ path: String, _ stream: String) throws -> [Double] {
  let result = try Tool.run(
    "/usr/bin/ffprobe",
    ["-v", "error", "-select_streams", stream, "-show_entries", "packet=pts_time,flags", "-of", "csv=p=0", path])
  return result.output.split(separator: "\n").compactMap { line in
    let fields = line.split(separator: ",")
    guard fields.count >= 2, !fields[1].contains("D") else { return nil }
    return Double(fields[0])
  }
}

/// What ffmpeg complains about when it decodes all of a file; empty if nothing.
func complaints(_ path: String) throws -> String {
  let result = try Tool.run(
    "/usr/bin/ffmpeg", ["-v", "warning", "-xerror", "-i", path, "-f", "null", "-"])
  return (result.status == 0 ? "" : "status \(result.status) ") + result.errors
}

/// Pictures that ffmpeg decodes and shows.
func shownPictures(_ path: String) throws -> Int {
  let result = try Tool.run(
    "/usr/bin/ffprobe",
    [
      "-v", "error", "-select_streams", "v", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of",
      "csv=p=0", path,
    ])
  let text = result.output.split(separator: "\n").first.map(String.init) ?? ""
  return Int(text.trimmingCharacters(in: CharacterSet(charactersIn: ", \r"))) ?? -1
}
