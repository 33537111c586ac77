import Foundation
import Hardware
import LinuxHardware
import TestSupport
import Testing

@Suite struct LinuxSensorsTests {
  private let folder = TemporaryFolder()

  private func write(_ path: String, _ text: String) throws {
    let url = folder.url.appendingPathComponent(path)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: url, atomically: true, encoding: .utf8)
  }

  private func read() -> BoardReadings { LinuxSensors(root: folder.url.path).read() }

  @Test func whatIsNotThereIsAbsent() { #expect(read() == BoardReadings()) }

  @Test func whatTheKernelSaysIsRead() throws {
    try write("proc/pressure/cpu", "some avg10=61.25 avg60=3.00 avg300=0.10 total=12345\n")
    try write("proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00\n")
    try write("proc/pressure/io", "some avg10=7.50 avg60=1.00 avg300=0.00 total=99\n")
    try write("sys/class/thermal/thermal_zone0/temp", "84250\n")
    try write("sys/devices/platform/soc/soc:firmware/get_throttled", "50004\n")
    try write("sys/class/power_supply/AC/online", "0\n")
    let batteries = [
      ("BAT0", "Discharging", "12"), ("BAT1", "Discharging", "40"), ("BAT2", "Full", "1"),
      ("hid-mouse", "Discharging", "3"),
    ]
    try write("sys/class/power_supply/hid-mouse/scope", "Device\n")
    for (name, status, charge) in batteries {
      try write("sys/class/power_supply/\(name)/type", "Battery\n")
      try write("sys/class/power_supply/\(name)/status", status + "\n")
      try write("sys/class/power_supply/\(name)/capacity", charge + "\n")
    }
    var wanted = BoardReadings()
    (wanted.cpuPressure, wanted.memoryPressure, wanted.ioPressure) = (61.25, 0, 7.5)
    wanted.temperature = 84.25
    wanted.throttle = Throttle(flags: 0x50004)
    wanted.battery = BoardReadings.Battery(percent: 12, isDischarging: true)
    #expect(read() == wanted)
  }

  @Test(
    "What was and is over counts no more", arguments: [("0", false), ("0x50000", false), ("50005", true), ("8", true)])
  func throttled(flags: String, isThrottled: Bool) throws {
    try write("sys/devices/platform/soc/soc:firmware/get_throttled", flags + "\n")
    #expect(read().throttle?.isNow == isThrottled)
  }

  @Test func `A board tells who it is, what held it back, its battery and its card's wear`() throws {
    try write("proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.4\0")
    try write("proc/device-tree/serial-number", "10000000a1b2c3d4\0")
    try write("sys/devices/platform/soc/soc:firmware/get_throttled", "50005\n")
    try write("sys/class/power_supply/ac/type", "Mains\n")
    try write("sys/class/power_supply/bat/type", "Battery\n")
    try write("sys/class/power_supply/bat/capacity", "73\n")
    try write("sys/class/power_supply/bat/status", "Charging\n")
    try write("sys/block/mmcblk0/device/life_time", "0x02 0x03\n")
    let identity = LinuxSensors(root: folder.url.path).identity()
    #expect(identity.model == "Raspberry Pi 4 Model B Rev 1.4")
    #expect(identity.serial == "10000000a1b2c3d4")
    #expect(identity.cardWearPercent == 30)
    #expect(read().throttle?.words == ["undervoltage", "throttled"])
    #expect(read().battery == BoardReadings.Battery(percent: 73, isDischarging: false))
    try write("sys/devices/platform/soc/soc:firmware/get_throttled", "80000\n")
    #expect(read().throttle?.words == ["hot-before"])
  }

  @Test func `What a machine tells wrongly is not there`() throws {
    try write("sys/devices/platform/soc/soc:firmware/get_throttled", "zz\n")
    try write("sys/class/power_supply/bat/type", "Battery\n")
    try write("sys/class/power_supply/bat/capacity", "973\n")
    try write("sys/block/mmcblk0/device/life_time", "0x00 0xff\n")
    try write("proc/device-tree/model", "\0")
    #expect(read() == BoardReadings())
    #expect(LinuxSensors(root: folder.url.path).identity() == BoardIdentity())
  }

  @Test func nonsenseIsAbsent() throws {
    for text in [
      "", "some\n", "full avg10=3\n", "some avg10=\n", "some avg10=nan x\n", "some avg10=1e999\n", "\0\u{7f}\n",
    ] {
      try write("proc/pressure/cpu", text)
      try write("sys/class/thermal/thermal_zone0/temp", text)
      try write("sys/devices/platform/soc/soc:firmware/get_throttled", text)
      #expect(read() == BoardReadings(), "\(text)")
    }
  }

  @Test func thisMachineAnswers() {
    let readings = LinuxSensors().read()
    for percent in [readings.cpuPressure, readings.memoryPressure, readings.ioPressure].compactMap({ $0 }) {
      #expect((0...100).contains(percent))
    }
  }
}
