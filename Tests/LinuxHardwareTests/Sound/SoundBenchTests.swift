import Foundation
import Hardware
import Testing

@testable import LinuxHardware

/// The drivers on a real device or sound server, by hand; prints what it measured. (The plug-ins of sound servers
/// allocate; only a kernel's device is expected not to.)
///
/// `MYNAH_SOUND_CAPTURE` and `MYNAH_SOUND_PLAYBACK` name the PCMs, `MYNAH_SOUND_SECONDS` how long (10).
@Suite struct SoundBenchTests {
  private static let capture = ProcessInfo.processInfo.environment["MYNAH_SOUND_CAPTURE"]
  private static let playback = ProcessInfo.processInfo.environment["MYNAH_SOUND_PLAYBACK"]
  private static let seconds = ProcessInfo.processInfo.environment["MYNAH_SOUND_SECONDS"].flatMap(Int.init) ?? 10

  @Test(.enabled(if: capture != nil && playback != nil))
  func `A sine is played and recorded in real time without xruns`() throws {
    let request = SoundFixture.request()
    let microphone = ALSAMicrophone(pcm: Self.capture ?? "")
    let speaker = ALSASpeaker(pcm: Self.playback ?? "")
    let heard = try microphone.open(request)
    let played = try speaker.open(request)
    print("microphone \(heard)\nspeaker \(played)")
    let channels = played.format.channels
    let render = UnsafeMutablePointer<RenderRing>.allocate(capacity: 1)
    render.initialize(to: RenderRing(frames: played.format.sampleRate, channels: channels, rampFrames: 240))
    let ring = CaptureRing(frames: heard.format.sampleRate * 2, channels: heard.format.channels, blocks: 1024)
    render.pointee.setRunning(true)
    try speaker.start(from: render)
    try microphone.start(into: ring)
    print("scheduling \(microphone.scheduling as Any) \(speaker.scheduling as Any)")

    var phase = 0
    var contents = RingContents()
    var delays: [Int] = []
    let end = Date(timeIntervalSinceNow: Double(Self.seconds))
    while Date() < end {
      let count = 480
      while render.pointee.writableFrames >= count, render.pointee.queuedFrames < 9600 {
        let sine = (0..<(count * channels)).map {
          sinf(Float(phase + $0 / channels) * 2 * .pi * 1000 / Float(played.format.sampleRate)) * 0.5
        }
        phase += count
        _ = render.pointee.write(sine, frames: count)
      }
      delays.append(render.pointee.deviceDelayFrames)
      contents.drain(ring)
      usleep(5000)
    }
    let closing = Date()
    microphone.close()
    let between = Date()
    speaker.close()
    print("close: microphone \(between.timeIntervalSince(closing)) s, speaker \(Date().timeIntervalSince(between)) s")
    contents.drain(ring)
    report(contents, heard)
    print("microphone \(microphone.counters)\nspeaker \(speaker.counters) lost \(speaker.isLost)")
    print("starved \(render.pointee.starvedFrames), delay \(delays.min() ?? 0)…\(delays.max() ?? 0) frames")
    render.deinitialize(count: 1)
    render.deallocate()
    #expect(microphone.counters.frames > 0)
    #expect(microphone.counters.xruns == 0 && speaker.counters.xruns == 0)
  }

  /// Rate and jitter of the blocks' ends against a straight line, and the level of the second half.
  private func report(_ contents: RingContents, _ grant: SoundGrant) {
    var frames = 0.0
    var points: [(x: Double, y: Double)] = []
    for block in contents.blocks where block.kind == .sound {
      frames += Double(block.frames)
      points.append((frames, block.end.seconds))
    }
    guard points.count > 10 else { return print("too few blocks: \(contents.kinds)") }
    let count = Double(points.count)
    let meanX = points.reduce(0) { $0 + $1.x } / count
    let meanY = points.reduce(0) { $0 + $1.y } / count
    let slope =
      points.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) }
      / points.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
    let residuals = points.map { $0.y - meanY - slope * ($0.x - meanX) }
    let deviation = (residuals.reduce(0) { $0 + $1 * $1 } / count).squareRoot()
    let half = contents.samples.suffix(contents.samples.count / 2)
    let rms = (half.reduce(0.0) { $0 + Double($1 * $1) } / Double(max(1, half.count))).squareRoot()
    print(
      "blocks \(points.count), rate \(1 / slope) Hz, jitter \(deviation * 1e3) ms rms,",
      "\((residuals.map(abs).max() ?? 0) * 1e3) ms at most, level \(20 * log10(max(rms, 1e-9))) dB,",
      "other blocks \(contents.kinds.filter { $0 != .sound })")
  }
}
