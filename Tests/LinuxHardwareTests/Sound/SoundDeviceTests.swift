import Foundation
import Hardware
import Testing

@testable import LinuxHardware

/// The whole drivers, with libasound, over PCMs that need no hardware.
@Suite(.serialized) struct SoundDeviceTests {
  init() { SoundFixture.prepare() }

  /// The first `frames` frames that a microphone delivers.
  private func record(_ pcm: String, bits: Int, frames: Int) throws -> (samples: [Float], grant: SoundGrant) {
    let microphone = ALSAMicrophone(pcm: pcm)
    let grant = try microphone.open(SoundFixture.request(bits: bits))
    let ring = CaptureRing(frames: 96_000, channels: 2, blocks: 512)
    try microphone.start(into: ring)
    #expect(SoundFixture.wait { microphone.counters.frames >= frames })
    microphone.close()
    let after = microphone.counters
    var contents = RingContents()
    contents.drain(ring)
    // Nothing was delivered behind close's back.
    #expect(after.frames == microphone.counters.frames)
    #expect(contents.samples.count == after.frames * 2)
    #expect(after.xruns == 0)
    #expect(contents.kinds.allSatisfy { $0 == .sound })
    let ends = contents.blocks.map(\.end.nanoseconds)
    #expect(ends == ends.sorted())
    return (Array(contents.samples.prefix(frames * 2)), grant)
  }

  @Test func `16-bit samples arrive bit-exact`() throws {
    let (samples, grant) = try record("in16", bits: 16, frames: 9600)
    #expect(samples == SoundFixture.samples16.prefix(19_200).map { Float($0) / 32_768 })
    #expect(grant.sampleType == "S16_LE")
    #expect(grant.format == PCMFormat(sampleRate: 48_000, channels: 2, bits: 16))
    #expect(grant.timestamps == "monotonic")
  }

  @Test func `24-bit samples arrive bit-exact`() throws {
    let (samples, grant) = try record("in24", bits: 24, frames: 4800)
    #expect(samples == SoundFixture.samples24.prefix(9600).map { Float($0 >> 8) / 8_388_608 })
    #expect(grant.sampleType == "S32_LE")
    #expect(grant.format.bits == 24)
  }

  @Test func `What is played reaches the device bit-exact`() throws {
    let speaker = ALSASpeaker(pcm: "out")
    let grant = try speaker.open(SoundFixture.request())
    #expect(grant.periodFrames == 480)
    let ring = UnsafeMutablePointer<RenderRing>.allocate(capacity: 1)
    ring.initialize(to: RenderRing(frames: 24_000, channels: 2, rampFrames: 1))
    defer {
      ring.deinitialize(count: 1)
      ring.deallocate()
    }
    let sound = SoundFixture.samples16.prefix(19_200).map { Float($0) / 32_768 }
    let isWritten = ring.pointee.write(sound, frames: 9600)
    #expect(isWritten)
    ring.pointee.setRunning(true)
    try speaker.start(from: ring)
    #expect(SoundFixture.wait { speaker.counters.frames >= 9600 + 3 * 1920 })
    speaker.close()
    #expect(!speaker.isLost)
    let written = try Data(contentsOf: URL(fileURLWithPath: SoundFixture.outPath))
    let expected = SoundFixture.samples16.prefix(19_200).withUnsafeBytes { Data($0) }
    #expect(written.count > expected.count)
    #expect(written.prefix(expected.count) == expected)
    #expect(ring.pointee.renderedFrames == 9600)
    let closed = speaker.counters
    #expect(closed == speaker.counters)
  }

  @Test func `The grant is what the device has, not what was asked for`() throws {
    let microphone = ALSAMicrophone(pcm: "only44")
    let grant = try microphone.open(SoundFixture.request())
    #expect(grant.format.sampleRate == 44_100)
    #expect(grant.bufferFrames >= 2 * grant.periodFrames)
    microphone.close()
  }

  @Test func `A closed device opens again, and close may come at any time`() throws {
    let microphone = ALSAMicrophone(pcm: "null", name: "test")
    microphone.close()
    for _ in 0..<20 {
      let grant = try microphone.open(SoundFixture.request())
      let ring = CaptureRing(frames: 9600, channels: grant.format.channels, blocks: 64)
      try microphone.start(into: ring)
      #expect(microphone.scheduling != nil)
      microphone.close()
      microphone.close()
    }
    #expect(microphone.name == "test")
  }

  @Test func `Wrong order is an error, not a crash`() throws {
    let microphone = ALSAMicrophone(pcm: "null")
    let ring = CaptureRing(frames: 9600, channels: 2, blocks: 64)
    #expect(throws: DeviceError.self) { try microphone.start(into: ring) }
    _ = try microphone.open(SoundFixture.request())
    #expect(throws: DeviceError.self) { try microphone.open(SoundFixture.request()) }
    let mono = CaptureRing(frames: 9600, channels: 1, blocks: 64)
    #expect(throws: DeviceError.self) { try microphone.start(into: mono) }
    microphone.close()
  }

  @Test(arguments: ["nonesuch", "hw:CARD=Nonesuch", "hw:31,7"])
  func `An unknown device is missing, and the error says where to look`(pcm: String) {
    let error = #expect(throws: DeviceError.self) { try ALSASpeaker(pcm: pcm).open(SoundFixture.request()) }
    #expect(error?.kind == .missing)
    #expect(error?.device == pcm)
    #expect(error?.description.contains("aplay -L") == true)
    #expect(error?.description.contains("board file") == true)
  }

  @Test func `Every errno has a class and a hint`() {
    for code in Int32(1)...133 {
      let error = ALSAErrors.error(device: "hw:0", direction: .capture, operation: "open", code: code)
      #expect(!error.hint.isEmpty)
    }
    #expect(ALSAErrors.kind(of: EBUSY) == .busy)
    #expect(ALSAErrors.kind(of: EACCES) == .denied)
    #expect(ALSAErrors.kind(of: EINVAL) == .unsupported)
    let denied = ALSAErrors.error(device: "hw:0", direction: .capture, operation: "open", code: EACCES)
    #expect(denied.description.contains("group audio"))
  }

  @Test func `The owner of a busy device is read from the kernel's status`() {
    let status = "state: RUNNING\nowner_pid   : 1234\ntrigger_time: 5.0\n"
    #expect(SoundOwner.owner(in: status) == 1234)
    #expect(SoundOwner.owner(in: "closed\n") == nil)
    #expect(SoundOwner.owner(in: "owner_pid : \nowner_pid") == nil)
  }

  @Test func `Listing cards never fails`() {
    for device in ALSACards.list() { #expect(device.pcm.hasPrefix("hw:CARD=")) }
  }
}
