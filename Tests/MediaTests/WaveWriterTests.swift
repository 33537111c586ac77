import Foundation
import Hardware
import Media
import TestSupport
import Testing

struct WaveWriterTests {
  @Test(arguments: [(16, 2, 12_345), (24, 1, 12_345), (24, 2, 4_801), (16, 1, 0)])
  func `a finished take is bit-exact, of exact length, and says what it is`(bits: Int, channels: Int, frames: Int)
    throws
  {
    let folder = TemporaryFolder()
    let pcm = PCMFormat(sampleRate: 48_000, channels: channels, bits: bits)
    var dice = SeededGenerator(seed: 3)
    let full = bits == 16 ? 32_768 : 8_388_608
    let samples = (0..<frames * channels).map { _ in Float(Int.random(in: -full..<full, using: &dice)) / Float(full) }
    let file = MemoryFile()
    var summary = FileSummary()
    summary.loudness = TakeLoudness(integrated: -23.5, range: 4, truePeak: -1.25)
    summary.marks = [TakeMark(frame: 100, label: "here"), TakeMark(frame: 4_000, label: "Ж")]
    summary.comment = "stopped by the user"
    try writeWave(samples, pcm: pcm, to: file, flushEvery: 1_001, summary: summary)
    let path = folder.put(file.bytes, "take.wav")
    #expect(try probe(path, "stream=codec_name,channels") == "pcm_s\(bits)le\n\(channels)")
    if frames > 0 {
      #expect(try probe(path, "format_tags=title") == "A title")
      #expect(try probe(path, "format_tags=date").hasPrefix("2031"))
      #expect(try probe(path, "stream=duration_ts") == "\(frames)")
      #expect(try decodeWithFFmpeg(path) == samples)
      let soxi = try Tool.run("soxi", ["-s", path])
      #expect(soxi.output == "\(frames)\n")
    }
    #expect(try MediaRepair.inspect(file).condition == .finished)
    let script = """
      import struct,sys
      b=open(sys.argv[1],'rb').read(); o=12; d={}
      assert struct.unpack('<I',b[4:8])[0]==len(b)-8
      while o<len(b):
        i,n=b[o:o+4],struct.unpack('<I',b[o+4:o+8])[0]; d.setdefault(i,b[o+8:o+8+n]); o+=8+n+(n&1)
      assert o==len(b)
      x=d[b'bext']; print(struct.unpack('<5h',x[412:422]), x[256:265].decode(), len(d[b'data']), struct.unpack('<I',d[b'cue '][:4])[0], d[b'cue '][48:52]==struct.pack('<I',4000))
      """
    let python = try Tool.run("python3", ["-c", script, path])
    #expect(
      python.output
        == "(-2350, 400, -125, 32767, 32767) Mynah 1.0 \(frames * channels * bits / 8) 2 True\n", "\(python.errors)")
  }

  @Test func `where it stands on a timeline is told to the frame`() throws {
    let pcm = PCMFormat(sampleRate: 48_000, channels: 1, bits: 16)
    let file = MemoryFile()
    // Half a second after 00:00:10.
    let time = WallTime(nanosecondsSince1970: 10_500_000_000)
    var writer = WaveWriter(
      file: file, scratch: nil, description: FileDescription(sound: SoundTrack(pcm: pcm), createdAt: time))
    try writer.finish(at: [0])
    let place = 12 + 36 + 8 + 256 + 32 + 32 + 10 + 8
    #expect(file.bytes[place..<place + 8].reversed().reduce(0) { $0 << 8 | Int($1) } == 504_000)
  }

  @Test func `after every flush the header claims exactly what is there`() throws {
    let pcm = PCMFormat(sampleRate: 48_000, channels: 1, bits: 24)
    let folder = TemporaryFolder()
    let file = MemoryFile()
    let samples = glide(frames: 4_000, channels: 1, sampleRate: 48_000)
    let flushed = try writeWave(samples, pcm: pcm, to: file, flushEvery: 999, finish: false)
    // The header comes after the sound: at no write does it claim what is not there yet.
    #expect(file.writes.count == 1 + 2 * (flushed.count - 1))
    let path = folder.put(file.bytes, "take.wav")
    #expect(try probe(path, "stream=duration_ts") == "4000")
    #expect(try Tool.run("sox", [path, "-n", "stat"]).status == 0)
  }

  @Test func `past 4 GiB the file turns into RF64 while it grows`() throws {
    let folder = TemporaryFolder()
    let path = folder.file("long.wav")
    let file = DiskFile(path)
    file.hollowFrom = 1 << 20
    let pcm = PCMFormat(sampleRate: 192_000, channels: 2, bits: 24)
    var take = WaveWriter(
      file: file, scratch: nil,
      description: FileDescription(sound: SoundTrack(pcm: pcm), createdAt: WallTime(nanosecondsSince1970: 0)))
    let block = [UInt8](repeating: 0, count: 48 << 20)
    var frames = 0
    for _ in 0..<90 {
      block.withUnsafeBytes { take.append($0, to: 0) }
      frames += block.count / 6
      try take.flush()
      let head = try header(of: path)
      #expect(head.form == (file.size < 0xFFFF_FFFF ? "RIFF" : "RF64"))
      #expect(head.data == frames * 6)
    }
    try take.finish(at: [frames])
    #expect(try probe(path, "stream=duration_ts") == "\(frames)")
    #expect(try MediaRepair.inspect(file).condition == .finished)
    let sound = try SoundFile(path: path)
    #expect(sound.totalFrames == frames)
  }

  /// The form and the size of the sound as a reader of RF64 sees them.
  private func header(of path: String) throws -> (form: String, data: Int) {
    let handle = try #require(FileHandle(forReadingAtPath: path))
    let bytes = [UInt8](try #require(try handle.read(upToCount: 2048)))
    let form = String(decoding: bytes[0..<4], as: UTF8.self)
    func number(_ offset: Int, _ width: Int) -> Int {
      bytes[offset..<offset + width].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    let data = try #require((0..<2000).first { Array(bytes[$0..<$0 + 4]) == Array("data".utf8) })
    return (form, form == "RF64" ? number(28, 8) : number(data + 4, 4))
  }
}
