import Hardware
import TestSupport
import Testing

@testable import LinuxHardware

@Suite struct RTCWakeAlarmTests {
  @Test func `The clock's file is told the second, or that there is none`() throws {
    let folder = TemporaryFolder()
    _ = folder.put("", "wakealarm")
    let alarm = RTCWakeAlarm(clock: folder.path)
    try alarm.set(WallTime(seconds: 1_795_211_640))
    // A file keeps what was not written over; the kernel takes each write by itself.
    #expect(folder.text(of: "wakealarm") == "1795211640")
    _ = folder.put("", "wakealarm")
    try alarm.set(nil)
    #expect(folder.text(of: "wakealarm") == "0")
  }

  @Test func `A clock without an alarm is said with what to do`() {
    let alarm = RTCWakeAlarm(clock: TemporaryFolder().path)
    let error = #expect(throws: DeviceError.self) { try alarm.set(WallTime(seconds: 1)) }
    #expect(error?.kind == .missing && error?.hint.contains("clock.rtc_wake") == true)
  }
}
