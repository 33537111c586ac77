import Foundation
import TestSupport
import Testing

@testable import Budget

@Suite struct MachineReadingsTests {
  private let root = TemporaryFolder()

  private func put(_ path: String, _ text: String) throws {
    let file = root.url.appendingPathComponent(path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  @Test func `A board tells who it is, how warm, what held it back, its battery and its card's wear`() throws {
    try put("proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.4\0")
    try put("proc/device-tree/serial-number", "10000000a1b2c3d4\0")
    try put("sys/class/thermal/thermal_zone0/temp", "54321\n")
    try put("sys/devices/platform/soc/soc:firmware/get_throttled", "50005\n")
    try put("sys/class/power_supply/ac/type", "Mains\n")
    try put("sys/class/power_supply/bat/type", "Battery\n")
    try put("sys/class/power_supply/bat/capacity", "73\n")
    try put("sys/class/power_supply/bat/status", "Discharging\n")
    try put("sys/block/mmcblk0/device/life_time", "0x02 0x03\n")
    let readings = MachineReadings.now(root: root.path)
    #expect(readings.model == "Raspberry Pi 4 Model B Rev 1.4")
    #expect(readings.serial == "10000000a1b2c3d4")
    #expect(readings.temperature == 54.321)
    #expect(readings.throttle == ["undervoltage", "throttled"])
    #expect(readings.battery == MachineReadings.Battery(percent: 73, isDischarging: true))
    #expect(readings.cardWearPercent == 30)
    try put("sys/devices/platform/soc/soc:firmware/get_throttled", "80000\n")
    #expect(MachineReadings.now(root: root.path).throttle == ["hot-before"])
  }

  @Test func `What a machine does not tell, or tells wrongly, is not there`() throws {
    #expect(MachineReadings.now(root: root.path) == MachineReadings())
    try put("sys/class/thermal/thermal_zone0/temp", "warm\n")
    try put("sys/devices/platform/soc/soc:firmware/get_throttled", "zz\n")
    try put("sys/class/power_supply/bat/type", "Battery\n")
    try put("sys/class/power_supply/bat/capacity", "973\n")
    try put("sys/block/mmcblk0/device/life_time", "0x00 0xff\n")
    try put("proc/device-tree/model", "\0")
    #expect(MachineReadings.now(root: root.path) == MachineReadings())
  }
}
