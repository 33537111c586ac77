import Testing

@testable import LinuxHardware

@Suite struct ALSASourcesTests {
  @Test(arguments: [
    ("hw:CARD=Device,DEV=0", "Device"), ("hw:CARD=mynah", "mynah"), ("plughw:CARD=Device_1,DEV=2", "Device_1/2"),
    ("hw:DEV=1,CARD=x", "x/1"),
  ])
  func `A microphone is called by the id of its card, and its device where that is not the first`(
    pcm: String, name: String
  ) {
    #expect(ALSASources.name(of: pcm) == name)
  }

  @Test(arguments: ["default", "hw:1,0", ""])
  func `A number is no name: it is another card's after the next start`(pcm: String) {
    #expect(ALSASources.name(of: pcm) == nil)
  }

  @Test(arguments: ["", "..", "../sys", ".", "board/x", "no such card", "mynah"])
  func `What is no card, or the board's own, is not there`(name: String) {
    #expect(ALSASources(besides: "hw:CARD=mynah").microphone(named: name) == nil)
  }
}
