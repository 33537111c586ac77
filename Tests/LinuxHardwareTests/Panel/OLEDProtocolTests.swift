import Glibc
import Hardware
import TestSupport
import Testing

@testable import LinuxHardware

@Suite struct OLEDProtocolTests {
  private func woken(_ panel: OLEDPanel) -> OLEDModel {
    var model = OLEDModel(panel.controller == .ssd1306 ? .ssd1306 : .sh1106)
    let talk = OLEDProtocol(panel)
    let dark = Frame(width: panel.width, height: panel.height)
    for message in talk.wakeUp + talk.update(to: dark, from: nil) + [talk.switchOn] { model.receive(message) }
    return model
  }

  private func picture(_ model: OLEDModel, _ panel: OLEDPanel) -> Frame {
    model.picture(width: panel.width, height: panel.height, offset: panel.columnOffset)
  }

  private func turned(_ frame: Frame) -> Frame {
    var turned = Frame(width: frame.width, height: frame.height)
    for y in 0..<frame.height {
      for x in 0..<frame.width { turned[frame.width - 1 - x, frame.height - 1 - y] = frame[x, y] }
    }
    return turned
  }

  static let panels: [OLEDPanel] = OLEDController.allCases.flatMap { controller in
    [
      OLEDPanel(controller: controller), OLEDPanel(controller: controller, height: 32),
      OLEDPanel(controller: controller, isRotated: true),
      OLEDPanel(controller: controller, width: 72, height: 40, columnOffset: 28),
    ]
  }

  @Test(arguments: panels)
  func aWokenDisplayIsOnAndDark(panel: OLEDPanel) {
    let model = woken(panel)
    #expect(model.unknown.isEmpty)
    #expect(model.isOn && model.hasPump && !model.isInverted)
    #expect(model.rows == panel.height)
    #expect(model.contrast == 0x7f)
    #expect(picture(model, panel) == Frame(width: panel.width, height: panel.height))
  }

  @Test(arguments: panels)
  func anySequenceOfFramesIsShownExactly(panel: OLEDPanel) {
    var random = SeededGenerator(seed: 7)
    var model = woken(panel)
    let talk = OLEDProtocol(panel)
    var shown = Frame(width: panel.width, height: panel.height)
    for round in 0..<300 {
      var next = shown
      if round % 20 == 0 {
        for index in next.pages.indices { next.pages[index] = UInt8.random(in: 0...255, using: &random) }
      } else {
        for _ in 0..<Int.random(in: 0...12, using: &random) {
          let x = Int.random(in: 0..<panel.width, using: &random)
          let y = Int.random(in: 0..<panel.height, using: &random)
          next[x, y].toggle()
        }
      }
      for message in talk.update(to: next, from: shown) {
        #expect(message.count <= OLEDProtocol.dataBytes + 1)
        model.receive(message)
      }
      shown = next
      let seen = picture(model, panel)
      #expect((panel.isRotated ? turned(seen) : seen) == shown, "round \(round)")
    }
    #expect(model.unknown.isEmpty)
  }

  @Test(arguments: OLEDController.allCases)
  func onlyWhatChangedIsSent(controller: OLEDController) {
    let panel = OLEDPanel(controller: controller)
    let talk = OLEDProtocol(panel)
    let dark = Frame()
    #expect(talk.update(to: dark, from: dark).isEmpty)
    var model = woken(panel)
    let before = model.dataBytes
    var frame = dark
    frame[0, 0] = true
    frame[127, 63] = true
    for message in talk.update(to: frame, from: dark) { model.receive(message) }
    #expect(model.dataBytes - before == 2)
  }

  @Test func changesBelowEachOtherAreOneWindow() {
    var frame = Frame()
    for y in 8..<32 { for x in 10..<20 { frame[x, y] = true } }
    let talk = OLEDProtocol(OLEDPanel(controller: .ssd1306))
    #expect(talk.areas(of: frame, since: Frame()) == [OLEDProtocol.Area(columns: 10..<20, pages: 1..<4)])
    #expect(talk.update(to: frame, from: Frame()).count == 2)
  }

  @Test func aSmallGapIsSentRatherThanANewRange() {
    var frame = Frame()
    frame[10, 0] = true
    frame[15, 0] = true
    frame[60, 0] = true
    let areas = OLEDProtocol(OLEDPanel(controller: .sh1106)).areas(of: frame, since: Frame())
    #expect(areas.map(\.columns) == [10..<16, 60..<61])
  }

  @Test func brightnessInversionAndSleep() {
    var panel = OLEDPanel(controller: .ssd1306, contrast: 3, isInverted: true)
    var model = woken(panel)
    #expect(model.contrast == 3)
    #expect(model.isInverted)
    let talk = OLEDProtocol(panel)
    model.receive(talk.contrast(200))
    model.receive(talk.inversion(false))
    #expect(model.contrast == 200)
    #expect(!model.isInverted)
    model.receive(talk.switchOff)
    #expect(!model.isOn)
    #expect(talk.isSupported)
    panel.width = 129
    #expect(!OLEDProtocol(panel).isSupported)
  }

  @Test func aDisplayWithoutABusIsMissing() {
    let display = I2CDisplay(bus: "/dev/i2c-none", panel: OLEDPanel(controller: .ssd1306))
    let error = #expect(throws: DeviceError.self) { try display.open() }
    #expect(error?.kind == .missing)
    #expect(error?.hint.contains("raspi-config") == true)
    let shown = #expect(throws: DeviceError.self) { try display.show(Frame()) }
    #expect(shown?.kind == .lost)
    display.close()
  }

  @Test func everyFailureOfTheBusHasAKindAndAHint() {
    let expected: [(Int32, DeviceError.Kind)] = [
      (ENXIO, .missing), (EREMOTEIO, .missing), (EBUSY, .busy), (EACCES, .denied), (ETIMEDOUT, .failed),
      (EINVAL, .unsupported),
    ]
    for (code, kind) in expected {
      let error = I2CDisplay.failure(code, "wake", name: "/dev/i2c-12@0x3c", bus: "/dev/i2c-12", wasShowing: false)
      #expect(error.kind == kind)
      #expect(!error.hint.isEmpty)
    }
    let lost = I2CDisplay.failure(EREMOTEIO, "show", name: "", bus: "/dev/i2c-12", wasShowing: true)
    #expect(lost.kind == .lost)
    #expect(lost.hint.contains("i2cdetect -y 12"))
  }
}
