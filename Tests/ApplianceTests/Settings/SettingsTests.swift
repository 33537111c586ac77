import Appliance
import TestSupport
import Testing

@Suite struct SettingsTests {
  @Test func `The table has the contract's names`() {
    let contract = [
      "recording.format", "recording.bitrateKbps", "recording.sampleRate", "recording.channels",
      "recording.preRecordSeconds", "recording.splitSeconds", "clips.durationSeconds", "clips.postRollSeconds",
      "clips.overlap", "playback.rate", "playback.pitchCents", "dub.language", "ui.language", "ui.largeText",
      "ui.voice", "session.strategy",
    ]
    // Our own stand among them.
    #expect(Settings.table.map(\.key).filter(contract.contains) == contract)
    #expect(Set(Settings.table.map(\.key)).count == Settings.table.count)
  }

  @Test func `Every key reads its default and takes it back`() throws {
    for row in Settings.table {
      var settings = Settings()
      #expect(settings.value(of: row.key) == row.defaultValue)
      try settings.set(row.key, to: row.defaultValue)
      #expect(settings == Settings())
      #expect(!row.summary.isEmpty)
      #expect(Settings.row(of: row.key)?.key == row.key)
    }
  }

  @Test func `Defaults are those of the contract and of the preset Medium`() {
    let settings = Settings()
    #expect(settings.preRecordSeconds == 5)
    #expect(settings.recordingFormat == .aac)
    #expect(settings.recordingSampleRate == 48_000)
    #expect(settings.recordingChannels == 2)
    #expect(settings.recordingBitrateKbps == 192)
    #expect(settings.preset == .medium)
    #expect(!settings.lockedStopWorks)
  }

  @Test(
    arguments: [
      ("recording.format", .text("wav"), .text("wav")),
      ("recording.format", .text("flac"), .text("flac")),
      ("recording.bitDepth", .text("24"), .integer(24)),
      ("recording.splitMB", .integer(2000), .integer(2000)),
      ("recording.bitrateKbps", .integer(128), .integer(128)),
      ("recording.bitrateKbps", .number(320), .integer(320)),
      ("recording.sampleRate", .text("44100"), .integer(44_100)),
      ("recording.channels", .integer(1), .integer(1)),
      ("recording.preRecordSeconds", .integer(0), .integer(0)),
      ("recording.preRecordSeconds", .text("60"), .integer(60)),
      ("lock.stopWorks", .flag(true), .flag(true)),
      ("lock.stopWorks", .text("on"), .flag(true)),
      ("lock.stopWorks", .text("false"), .flag(false)),
      ("log.level", .text("debug"), .text("debug")),
      ("playback.rate", .integer(1), .number(1)),
      ("dub.language", .text("en"), .text("en")),
    ] as [(String, SettingValue, SettingValue)])
  func `A good value is taken in the key's own type`(key: String, value: SettingValue, taken: SettingValue) throws {
    var settings = Settings()
    try settings.set(key, to: value)
    #expect(settings.value(of: key) == taken)
  }

  @Test(
    arguments: [
      ("recording.bitrateKbps", .integer(127), "recording.bitrateKbps cannot be 127: allowed is 128…320"),
      ("recording.bitrateKbps", .integer(321), "recording.bitrateKbps cannot be 321: allowed is 128…320"),
      ("recording.bitrateKbps", .number(128.5), "recording.bitrateKbps cannot be '128.5': expected 128…320"),
      (
        "recording.sampleRate", .integer(22_050),
        "recording.sampleRate cannot be 22050: allowed is 8000|16000|44100|48000"
      ),
      ("recording.channels", .integer(0), "recording.channels cannot be 0: allowed is 1|2"),
      ("recording.preRecordSeconds", .integer(61), "recording.preRecordSeconds cannot be 61: allowed is 0…60"),
      ("recording.preRecordSeconds", .integer(-1), "recording.preRecordSeconds cannot be -1: allowed is 0…60"),
      ("recording.preRecordSeconds", .text("x"), "recording.preRecordSeconds cannot be 'x': expected 0…60"),
      ("recording.preRecordSeconds", .flag(true), "recording.preRecordSeconds cannot be 'on': expected 0…60"),
      (
        "recording.format", .text("mp3"),
        "recording.format cannot be mp3: allowed is aac|wav|flac|alac|opus|alaw|mulaw"
      ),
      ("recording.format", .integer(1), "recording.format cannot be '1': expected aac|wav|flac|alac|opus|alaw|mulaw"),
      ("ui.language", .text("fr"), "ui.language cannot be fr: allowed is en|ru"),
      ("playback.rate", .number(.nan), "playback.rate cannot be nan: allowed is 0.5…2.0"),
      ("playback.rate", .number(2.1), "playback.rate cannot be 2.1: allowed is 0.5…2.0"),
      ("dub.language", .text("-"), "dub.language cannot be -: allowed is a language tag such as en or pt-BR"),
      (
        "dub.service", .text("http://x.example"),
        "dub.service cannot be http://x.example: allowed is an address with ws://, wss://, or nothing"
      ),
      (
        "dub.sources", .text("Event=nonsense"),
        "dub.sources cannot be Event=nonsense: allowed is Name=address or addresses with http://, https://, or nothing"
      ),
      (
        "dub.caFile", .text("ca.pem"), "dub.caFile cannot be ca.pem: allowed is the absolute path of a file, or nothing"
      ),
      ("dub.dubVolumeDb", .integer(1), "dub.dubVolumeDb cannot be 1: allowed is -40…0"),
      ("lock.stopWorks", .integer(1), "lock.stopWorks cannot be '1': expected on|off"),
      ("nonsense.key", .integer(1), "there is no setting 'nonsense.key'; list them with 'settings'"),
    ] as [(String, SettingValue, String)])
  func `A bad value is refused by name and range, and changes nothing`(
    key: String, value: SettingValue, message: String
  ) {
    var settings = Settings()
    let error = #expect(throws: SettingError.self) { try settings.set(key, to: value) }
    #expect(error?.description == message)
    #expect(settings == Settings())
  }

  @Test func `Codes are the console's`() {
    #expect(SettingError.unknownKey("x").code == "bad-argument")
    #expect(SettingError.unsupported(key: "x", value: .integer(1), allowed: "").code == "unsupported")
  }

  @Test func `Presets name themselves, and anything else is custom`() throws {
    var settings = Settings()
    for preset in RecordingPreset.allCases {
      settings.apply(preset)
      #expect(settings.preset == preset)
    }
    try settings.set("recording.bitrateKbps", to: .integer(200))
    #expect(settings.preset == nil)
  }

  @Test func `The encoder is never promised more bits than AAC-LC has room for`() throws {
    var settings = Settings()
    try settings.set("recording.bitrateKbps", to: .integer(320))
    #expect(settings.encoderBitrateKbps == 320)
    try settings.set("recording.channels", to: .integer(1))
    #expect(settings.encoderBitrateKbps == 288)
    try settings.set("recording.sampleRate", to: .integer(44_100))
    #expect(settings.encoderBitrateKbps == 264)
  }

  @Test func `Random keys and values never trap and never leave the ranges`() {
    var random = SeededGenerator(seed: 5)
    var settings = Settings()
    let words = [
      "", "aac", "wav", "48000", "on", "-", "nan", "1e999", "ru", "\u{0}", String(repeating: "a", count: 99),
    ]
    for _ in 0..<20_000 {
      let row = Settings.table[random.below(Settings.table.count)]
      let value: SettingValue
      switch random.below(4) {
      case 0: value = .integer(Int(truncatingIfNeeded: random.next() >> UInt64(random.below(64))))
      case 1: value = .number(Double(bitPattern: random.next()))
      case 2: value = .text(words[random.below(words.count)])
      default: value = .flag(random.below(2) == 0)
      }
      try? settings.set(row.key, to: value)
      #expect((128...320).contains(settings.recordingBitrateKbps))
      #expect((0...60).contains(settings.preRecordSeconds))
      #expect((0.5...2).contains(settings.playbackRate))
    }
  }

  @Test func `A secret is kept and obeyed, and never shown, told or repeated in a refusal`() throws {
    var bench = Bench()
    bench.send(.command(.set(["dub.serviceToken": .text("s3cret-token")])))
    #expect(bench.effects.announcements == [.settingChanged(key: "dub.serviceToken", value: .text("********"))])
    let settings = bench.state.settings
    #expect(settings.dubServiceToken == "s3cret-token")
    #expect(settings.value(of: "dub.serviceToken") == .text("********"))
    #expect(Settings.row(of: "dub.serviceToken")?.value(in: settings) == .text("s3cret-token"))
    for value in ["with blank", "********", String(repeating: "x", count: 1001)] {
      var changed = settings
      do {
        try changed.set("dub.serviceToken", to: .text(value))
        Issue.record("\(value) was taken")
      } catch {
        #expect(value == "********" || !"\(error)".contains(value))
      }
      #expect(changed.dubServiceToken == "s3cret-token")
    }
    var changed = settings
    try changed.set("dub.serviceToken", to: .text(""))
    #expect(changed.value(of: "dub.serviceToken") == .text(""))
  }
}
