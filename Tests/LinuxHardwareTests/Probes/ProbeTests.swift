import Foundation
import Glibc
import Hardware
import TestSupport
import Testing

@testable import LinuxHardware

/// A sound device that is as a test says.
private final class SimulatedTrial: SoundTrial {
  let grant: Result<SoundGrant, DeviceError>
  let outcome: Result<SoundOutcome, DeviceError>

  init(_ grant: Result<SoundGrant, DeviceError>, _ outcome: SoundOutcome = SoundOutcome(frames: 4800, text: "heard")) {
    self.grant = grant
    self.outcome = .success(outcome)
  }

  func open(_ request: SoundRequest) throws(DeviceError) -> SoundGrant { try grant.get() }
  func run(_: SoundGrant) throws(DeviceError) -> SoundOutcome { try outcome.get() }
}

@Suite struct SoundProbeTests {
  private let request = SoundFixture.request()
  private let grant = SoundGrant(
    format: PCMFormat(sampleRate: 48_000, channels: 2), periodFrames: 480, bufferFrames: 1920, sampleType: "S16_LE",
    timestamps: "hardware")

  private func examine(_ trial: @escaping @Sendable () -> any SoundTrial) throws -> DeviceFinding {
    let probe = SoundProbe("microphone", pcm: "hw:CARD=nobody", request: request, direction: .capture) { _ in trial() }
    return try #require(probe.examine().first)
  }

  @Test func whatWasNegotiatedIsTold() throws {
    let grant = grant
    let finding = try examine { SimulatedTrial(.success(grant)) }
    #expect(finding.verdict == .works)
    #expect(finding.facts["sampleRate"] == .integer(48_000))
    #expect(finding.facts["periodMicroseconds"] == .integer(10_000))
    #expect(finding.facts["bufferMicroseconds"] == .integer(40_000))
    #expect(finding.facts["timestamps"] == .text("hardware"))
    #expect(
      finding.detail
        == "48000 Hz, 2 channels, S16_LE, period 480 (10 ms), buffer 1920 (40 ms), hardware timestamps; heard")
  }

  @Test func anotherRateThanAskedForIsSaid() throws {
    var other = grant
    other.format.sampleRate = 44_100
    let finding = try examine { [other] in SimulatedTrial(.success(other)) }
    #expect(finding.verdict == .limited)
    #expect(finding.detail.contains("48000 Hz, 2 channels were asked for"))
    #expect(finding.facts["askedSampleRate"] == .integer(48_000))
    #expect(finding.facts["sampleRate"] == .integer(44_100))
    #expect(finding.remedy.contains("microphone.rate"))
  }

  @Test func aDeviceThatOpensAndGivesNothingHasFailed() throws {
    let grant = grant
    let finding = try examine { SimulatedTrial(.success(grant), SoundOutcome(frames: 0, text: "")) }
    #expect(finding.verdict == .failed)
    #expect(!finding.remedy.isEmpty)
  }

  @Test func digitalSilenceIsNoticed() throws {
    let grant = grant
    let finding = try examine {
      SimulatedTrial(.success(grant), SoundOutcome(frames: 4800, text: "", isSilent: true))
    }
    #expect(finding.verdict == .limited)
    #expect(finding.detail.hasPrefix("only digital silence is heard"))
  }

  @Test func aMissingCardIsMissingWithAHint() throws {
    let probe = SoundProbe.microphone(pcm: "hw:CARD=nobodyhasthis", request: request)
    let finding = try #require(probe.examine().first)
    #expect(finding.verdict == .missing)
    #expect(finding.remedy.hasPrefix("plug it in"))
  }

  @Test func realPCMsRunForAMoment() throws {
    SoundFixture.prepare()
    let microphone = try #require(SoundProbe.microphone(pcm: "in16", request: request).examine().first)
    #expect(microphone.verdict == .works, "\(microphone)")
    guard case .integer(let heard) = microphone.facts["framesHeard"] else { throw CancellationError() }
    #expect(heard > 0)
    let speaker = try #require(SoundProbe.speaker(pcm: "null", request: request).examine().first)
    #expect(speaker.verdict == .works, "\(speaker)")
  }

  @Test func somebodyElsesStreamIsToldFromItsParameters() {
    let text = "access: RW_INTERLEAVED\nformat: S16_LE\nsubformat: STD\nchannels: 2\nrate: 48000 (48000/1)\n"
    let running = SoundFacts.running(text + "period_size: 1536\nbuffer_size: 24000\n")
    #expect(running.facts["sampleRate"] == .integer(48_000))
    #expect(running.facts["bufferFrames"] == .integer(24_000))
    #expect(running.text == "format S16_LE, channels 2, rate 48000, period_size 1536, buffer_size 24000")
    #expect(SoundFacts.running("closed\n").facts.isEmpty)
  }
}

@Suite struct StorageProbeTests {
  private let directory = TemporaryFolder()

  private func examine(_ root: String, reserve: Int = 0, low: Int = 0) throws -> DeviceFinding {
    try #require(StorageProbe(root: root, reserveBytes: reserve, lowBytes: low, appliance: nil).examine().first)
  }

  @Test func aDirectoryIsMeasuredAndLeftAsItWas() throws {
    let finding = try examine(directory.path)
    #expect(finding.verdict == .works || finding.verdict == .limited, "\(finding)")
    #expect(directory.names.isEmpty)
    for key in ["writeP50Microseconds", "syncP50Microseconds", "syncP99Microseconds", "syncMaxMicroseconds"] {
      guard case .integer(let value) = finding.facts[key] else { throw CancellationError() }
      #expect(value >= 0)
    }
  }

  @Test func whatIsNotThereIsNotMade() throws {
    let finding = try examine("\(directory.path)/none")
    #expect(finding.verdict == .missing)
    #expect(finding.remedy.contains("mkdir"))
    #expect(directory.names.isEmpty)
  }

  @Test(.enabled(if: geteuid() == 0, "only root may mount")) func aCardWithNothingButTheReserveLeftHasFailed() throws {
    guard let small = try SmallFileSystem("size=64m", at: directory.file("small")) else { return }
    try Data(count: 61_000_000).write(to: URL(fileURLWithPath: "\(small.path)/filler"))
    let finding = try examine(small.path, reserve: 64 << 20)
    #expect(finding.verdict == .failed)
    #expect(finding.detail.hasPrefix("full but for the reserve"))
  }

  @Test func littleSpaceIsSaid() throws {
    #expect(try examine(directory.path, low: Int.max / 4).detail.hasPrefix("space is low"))
  }

  @Test func theInnermostMountIsFound() {
    let mounts = """
      /dev/sda1 / ext4 rw 0 0
      proc /proc proc rw 0 0
      /dev/sda2 /var/lib ext4 rw 0 0
      /dev/sdb1 /var/lib/mynah vfat rw 0 0
      tmpfs /var/lib/mynahs tmpfs rw 0 0
      """
    #expect(Mount.find("/var/lib/mynah/recordings", in: mounts)?.kind == "vfat")
    #expect(Mount.find("/var/lib/mynah", in: mounts)?.kind == "vfat")
    #expect(Mount.find("/var/lib/mynahs/x", in: mounts)?.isVolatile == true)
    #expect(Mount.find("/home", in: mounts)?.point == "/")
    #expect(Mount.find("/home", in: "") == nil)
  }
}

@Suite struct PanelProbeTests {
  private final class OneLine: GPIOInput, GPIOOutput {
    let isActive: Bool?
    init(_ isActive: Bool?) { self.isActive = isActive }
    var descriptor: Int32 { -1 }
    func level() -> Bool? { isActive }
    func edges() -> [GPIOEdge]? { [] }
    func set(_ isActive: Bool) -> Int32? { self.isActive == nil ? ENODEV : nil }
  }

  private struct Lines: GPIOPort {
    let level: Bool?
    func input(_ address: GPIOAddress, bias: LineBias) throws(DeviceError) -> any GPIOInput { OneLine(level) }
    func output(_ address: GPIOAddress) throws(DeviceError) -> any GPIOOutput { OneLine(level) }
  }

  private func examine(_ look: LineLook, level: Bool?, appliance: Int? = nil) -> [DeviceFinding] {
    GPIOProbe(
      buttons: [ButtonLine(button: .rec, chip: "/dev/gpiochip0", line: 17, isActiveLow: true, bias: .pullUp)],
      lamps: [LampLine(lamp: .rec, chip: "/dev/gpiochip0", line: 12, isActiveLow: false)], appliance: appliance,
      port: Lines(level: level), look: { _ in look }
    ).examine()
  }

  private let free = LineLook(label: "pinctrl-bcm2711", name: "GPIO17")

  @Test func keysTellTheirLevelAndLampsStayDark() {
    let findings = examine(free, level: false)
    #expect(findings.map(\.device) == ["buttons.REC", "leds.REC"])
    #expect(findings.map(\.detail) == ["GPIO17 of pinctrl-bcm2711, released", "GPIO17 of pinctrl-bcm2711, dark"])
    #expect(findings.allSatisfy { $0.verdict == .works })
  }

  @Test func aKeyThatIsDownWhenNobodyPressesItIsSuspect() {
    #expect(examine(free, level: true)[0].verdict == .limited)
    #expect(examine(free, level: nil).allSatisfy { $0.verdict == .failed })
  }

  @Test func whoHasALineIsSaid() {
    var look = free
    look.isUsed = true
    look.consumer = "mynah"
    let ours = examine(look, level: false, appliance: 812)
    #expect(ours.allSatisfy { $0.verdict == .inUse })
    #expect(ours[0].detail.hasSuffix("mynah (process 812) has it"))
    look.consumer = "spi0 CS1"
    let theirs = examine(look, level: false)
    #expect(theirs.allSatisfy { $0.verdict == .busy })
    #expect(theirs[0].detail.hasSuffix("spi0 CS1 has it"))
  }

  @Test func aMachineWithoutTheChipIsSaid() {
    let probe = GPIOProbe(
      buttons: [ButtonLine(button: .rec, chip: "/dev/gpiochip77", line: 1, isActiveLow: true, bias: .pullUp)],
      lamps: [], appliance: nil)
    #expect(probe.examine().first?.verdict == .missing)
    #expect(probe.examine().first?.remedy.isEmpty == false)
  }

  @Test func aMachineWithoutTheBusOfTheDisplayIsSaid() throws {
    let probe = DisplayProbe(bus: "/dev/i2c-77", address: 0x3c, controller: .ssd1306)
    let finding = try #require(probe.examine().first)
    #expect(finding.verdict == .missing)
    #expect(finding.remedy.contains("I2C"))
  }
}
