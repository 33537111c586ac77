import Appliance
import Hardware
import Testing

@Suite struct RecordingTests {
  @Test func `A take from REC to the player`() {
    var bench = Bench()
    bench.down(.rec)
    #expect(
      bench.effects == [
        .recorder(.start(at: .ms(10_000))),
        .announce(.modeChanged(from: "dictaphone.idle", to: "dictaphone.recording")),
      ])
    #expect(bench.state.openTake?.id == "")
    bench.up(.rec)
    bench.send(.recorder(.started(.take(1), preRecorded: 240_000)))
    #expect(bench.effects == [.announce(.takeStarted(.take(1), preRecordedFrames: 240_000))])
    bench.tap(.centre)
    bench.send(.recorder(.marked(frame: 4711)))
    #expect(bench.effects.announcements == [.mark(takeID: "take1.m4a", frame: 4711, number: 1)])
    bench.tap(.stop)
    #expect(bench.state.activity == .saving)
    bench.send(.recorder(.saved(.take(1), .user)))
    #expect(
      bench.effects == [
        .announce(.takeSaved(.take(1), .user)),
        .player(.load(id: "take1.m4a", playing: false, fromStart: true)),
        .announce(.modeChanged(from: "dictaphone.saving", to: "dictaphone.idle")),
      ])
    #expect(bench.state.loaded == .take(1))
    #expect(bench.state.openTake == nil)
  }

  @Test func `REC while saving begins the next take at that press, and it is the open one once the one before is safe`()
  {
    var bench = Bench.doing(.saving)
    bench.tap(.rec)
    #expect(bench.effects.ignored.isEmpty)
    #expect(bench.effects.orders == [.recorder(.start(at: .ms(10_000)))])
    // No lamp shows it.
    #expect(bench.state.notice?.code == "queued" && bench.state.notice?.severity == .information)
    bench.tap(.rec)
    #expect(bench.effects.ignored == [.busy("queued")])
    bench.now = .ms(60_000)
    bench.send(.recorder(.saved(.take(2), .user)))
    #expect(bench.effects.orders == [.player(.load(id: "take2.m4a", playing: false, fromStart: true))])
    #expect(bench.state.activity == .recording && bench.state.openTake?.id == "")
    #expect(bench.state.notice?.code != "queued")
    #expect(bench.state.dictaphone.recording.queued == nil)
    #expect(bench.state.dictaphone.recording.start == .ms(10_000))
    #expect(bench.effects.announcements.last == .modeChanged(from: "dictaphone.saving", to: "dictaphone.recording"))
  }

  @Test func `A whole take is made while the one before is saved`() {
    var bench = Bench.doing(.saving)
    bench.tap(.rec)
    bench.tap(.stop)
    #expect(bench.effects.ignored.isEmpty)
    #expect(bench.effects.orders == [.recorder(.stop(at: .ms(10_180), reason: .user))])
    var third = bench
    third.tap(.rec)
    #expect(third.effects.ignored == [.busy("saving")])
    bench.send(.recorder(.saved(.take(2), .user)))
    #expect(bench.effects.orders == [.player(.load(id: "take2.m4a", playing: false, fromStart: true))])
    #expect(bench.state.activity == .saving && bench.state.notice == nil)
    #expect(bench.effects.announcements.allSatisfy { if case .modeChanged = $0 { false } else { true } })
    bench.send(.recorder(.started(.take(3), preRecorded: 0)))
    bench.send(.recorder(.saved(.take(3), .user)))
    #expect(bench.state.activity == .idle && bench.state.loaded == .take(3))
  }

  @Test func `A queued take goes on also when the one before failed, whose end by the recorder is not its own`() {
    var bench = Bench.doing(.saving)
    bench.tap(.rec)
    bench.send(.recorder(.failed(code: "io", text: "The card does not answer.")))
    #expect(bench.effects.orders.isEmpty)
    #expect(bench.state.activity == .recording)
    bench.send(.recorder(.stopping(.storageFull)))
    #expect(bench.state.activity == .recording)
    bench.send(.recorder(.stopping(.deviceLost)))
    #expect(bench.state.activity == .saving)
  }

  @Test func `What the recorder tells behind the end of a take is of the queued one`() {
    var bench = Bench.doing(.saving)
    bench.tap(.rec)
    bench.send(.recorder(.stopping(.user)))
    #expect(bench.state.dictaphone.recording.queued?.isStopped == false)
    bench.send(.recorder(.marked(frame: 7, cause: "gap")))
    #expect(bench.effects.announcements.isEmpty && bench.state.dictaphone.recording.marks.isEmpty)
    bench.send(.deviceLost(.microphone, text: "hw:1 unplugged"))
    bench.send(.recorder(.stopping(.deviceLost)))
    #expect(bench.state.activity == .saving && bench.state.dictaphone.recording.queued?.isStopped == true)
    bench.send(.recorder(.saved(.take(2), .user)))
    #expect(bench.effects.orders == [.player(.load(id: "take2.m4a", playing: false, fromStart: true))])
    #expect(bench.state.activity == .saving && bench.state.dictaphone.recording.marks == [7])
    bench.send(.recorder(.started(.take(3), preRecorded: 0)))
    bench.send(.recorder(.saved(.take(3), .deviceLost)))
    #expect(bench.state.activity == .idle)
    #expect(bench.state.notice?.text == "Microphone lost: Take 3 is safe up to there.")
  }

  @Test func `A queued take that the recorder cannot begin is told, and the one before is saved all the same`() {
    var bench = Bench.doing(.saving)
    bench.tap(.rec)
    bench.send(.recorder(.stopping(.user)))
    bench.send(.recorder(.notBegun(code: "device-lost", text: "no microphone")))
    #expect(bench.state.notice?.code == "device-lost" && bench.state.notice?.severity == .error)
    #expect(bench.state.activity == .saving && bench.state.dictaphone.recording.queued == nil)
    bench.send(.recorder(.saved(.take(2), .user)))
    #expect(bench.state.activity == .idle && bench.state.loaded == .take(2))
  }

  @Test func `REC without a microphone says so, and the notice goes when it comes`() {
    var bench = Bench { $0.health.hasMicrophone = false }
    bench.tap(.rec)
    #expect(bench.effects.ignored == [.deviceMissing(.microphone)])
    #expect(bench.effects.orders.isEmpty)
    #expect(bench.state.notice?.severity == .error)
    #expect(bench.state.notice?.code == "device-lost")
    bench.send(.deviceReturned(.microphone, text: "hw:1"))
    #expect(bench.state.notice == nil)
    #expect(bench.state.isArmed)
    bench.tap(.rec)
    #expect(bench.state.activity == .recording)
  }

  @Test func `REC while the microphone is still being opened is taken at its word`() {
    var bench = Bench {
      $0.health.hasMicrophone = false
      $0.health.isMicrophoneOpening = true
    }
    bench.tap(.rec)
    #expect(bench.state.activity == .recording)
    #expect(bench.effects.ignored.isEmpty)
    bench.send(.deviceLost(.microphone, text: "hw:1: no such device"))
    bench.send(.recorder(.failed(code: "device-lost", text: "no microphone")))
    #expect(bench.state.activity == .idle)
    #expect(bench.state.notice?.code == "device-lost")
    bench.tap(.rec)
    #expect(bench.effects.ignored == [.deviceMissing(.microphone)])
  }

  @Test func `REC with a full storage says so, and works when there is room again`() {
    var bench = Bench()
    bench.send(.storage(.full))
    #expect(bench.effects.announcements == [.storage(.full)])
    bench.tap(.rec)
    #expect(bench.effects.ignored == [.storageFull])
    #expect(bench.state.notice?.code == "storage-full")
    #expect(!bench.state.isArmed)
    bench.send(.storage(.low))
    #expect(bench.state.notice == nil)
    #expect(bench.state.health.isStorageLow)
    bench.tap(.rec)
    #expect(bench.state.activity == .recording)
  }

  @Test func `A card that takes no files is told once as what it is; whose folder of clips is in order arms for clips`()
  {
    var bench = Bench()
    bench.send(.storageRefuses(StorageRefusal(takes: true, clips: true)))
    bench.send(.storage(.full))
    #expect(bench.state.notice == nil)
    #expect(!bench.state.isArmed)
    bench.tap(.rec)
    #expect(bench.effects.ignored == [.storageRefuses])
    #expect(bench.state.notice?.text == "The card takes no files: put in another one.")
    bench.send(.storageRefuses(StorageRefusal()))
    bench.send(.storage(.ample))
    #expect(bench.state.isArmed)
    #expect(bench.state.notice == nil)
    var clips = Bench.clips { $0.health.refused.takes = true }
    #expect(clips.state.isArmed)
    clips.send(.storageRefuses(StorageRefusal(clips: true)))
    #expect(!clips.state.isArmed)
  }

  @Test func `A microphone lost while recording ends the take, tells, and arms again on return`() {
    var bench = Bench.doing(.recording)
    bench.send(.deviceLost(.microphone, text: "hw:1 unplugged"))
    #expect(bench.effects.announcements == [.deviceLost(.microphone, text: "hw:1 unplugged")])
    #expect(bench.state.activity == .recording)
    #expect(bench.state.notice?.device == .microphone)
    bench.send(.recorder(.stopping(.deviceLost)))
    #expect(bench.state.activity == .saving)
    bench.send(.recorder(.saved(.take(2), .deviceLost)))
    #expect(bench.effects.announcements.first == .takeSaved(.take(2), .deviceLost))
    #expect(bench.state.notice?.text == "Microphone lost: Take 2 is safe up to there.")
    #expect(!bench.state.isArmed)
    bench.send(.deviceReturned(.microphone, text: "hw:1"))
    #expect(bench.state.notice == nil)
    #expect(bench.state.isArmed)
  }

  @Test func `A full storage ends the take with its reason, which is shown for a while`() {
    var bench = Bench.doing(.recording)
    bench.send(.storage(.full))
    bench.send(.recorder(.stopping(.storageFull)))
    #expect(bench.state.activity == .saving)
    bench.send(.recorder(.saved(.take(2), .storageFull)))
    #expect(bench.effects.announcements.first == .takeSaved(.take(2), .storageFull))
    #expect(bench.state.notice?.code == "storage-full")
    #expect(bench.state.notice?.expires == bench.now + .seconds(20))
  }

  @Test func `A failure leaves recording with a notice and an error`() {
    var bench = Bench.doing(.paused)
    bench.send(.recorder(.failed(code: "io", text: "The card broke.")))
    #expect(bench.state.activity == .idle)
    #expect(bench.state.openTake == nil)
    #expect(bench.effects.announcements.first == .error(code: "io", text: "The card broke."))
    #expect(bench.state.notice?.text == "The card broke.")
  }

  @Test func `A take says that it waits for a voice until one comes, or a key is pressed`() {
    var bench = Bench.doing(.recording)
    bench.send(.recorder(.waiting(true)))
    #expect(bench.state.dictaphone.recording.isWaiting)
    bench.send(.recorder(.waiting(false)))
    #expect(!bench.state.dictaphone.recording.isWaiting)
    bench.send(.recorder(.waiting(true)))
    bench.tap(.rec)
    #expect(!bench.state.dictaphone.recording.isWaiting)
    bench.send(.recorder(.waiting(true)))
    #expect(!bench.state.dictaphone.recording.isWaiting)
  }

  @Test func `A take recovered meanwhile does not end the open one`() {
    var bench = Bench.doing(.recording)
    bench.send(.recorder(.saved(.take(9), .recovered)))
    #expect(bench.effects == [.announce(.takeSaved(.take(9), .recovered))])
    #expect(bench.state.activity == .recording)
    #expect(bench.state.openTake == .take(2))
  }

  @Test func `A take that is split goes on under the next one's name, and is the first one's in the player`() {
    var bench = Bench.doing(.recording)
    bench.send(.recorder(.started(.take(3), preRecorded: 0)))
    #expect(bench.effects == [.announce(.takeStarted(.take(3), preRecordedFrames: 0))])
    bench.send(.recorder(.saved(.take(2), .split)))
    #expect(bench.effects == [.announce(.takeSaved(.take(2), .split))])
    #expect(bench.state.activity == .recording)
    bench.send(.recorder(.marked(frame: 5)))
    #expect(bench.effects.announcements == [.mark(takeID: "take3.m4a", frame: 5, number: 1)])
    bench.tap(.stop)
    bench.send(.recorder(.saved(.take(3), .user)))
    #expect(bench.state.activity == .idle)
    #expect(bench.state.loaded?.id == TakeReference.take(2).id)
  }

  @Test(arguments: [StopReason.recovered, .split])
  func `Nor does it, or a part that was split off, end the saving or a take without a name`(reason: StopReason) {
    var bench = Bench.doing(.saving)
    bench.send(.recorder(.saved(.take(9), reason)))
    #expect(bench.state.activity == .saving)
    bench = Bench()
    bench.tap(.rec)
    bench.send(.recorder(.saved(.take(9), reason)))
    #expect(bench.state.activity == .recording)
  }

  @Test func `A gap is announced and shown for a moment`() {
    var bench = Bench.doing(.recording)
    bench.send(.recorder(.gap(frame: 100, frames: 14_400, reason: "overrun")))
    #expect(bench.effects.announcements == [.gap(frame: 100, frames: 14_400, reason: "overrun")])
    #expect(bench.effects.contains(.setTimer(.noticeExpires, at: bench.now + .seconds(3))))
    bench.now = bench.now + .seconds(3)
    bench.send(.timer(.noticeExpires))
    #expect(bench.state.notice == nil)
  }

  @Test func `The input level stops at both ends`() {
    var bench = Bench.doing(.recording)
    bench.hold(.right, 6000)
    #expect(bench.state.settings.inputGain == 20)
    #expect(bench.effects.ignored.contains(.atLimit))
    bench.hold(.left, 12_000)
    #expect(bench.state.settings.inputGain == -20)
    #expect(bench.effects.contains(.applySettings(.recorder)) && bench.effects.contains(.saveSettings))
  }

  @Test func `In the options the recording goes on, and REC and STOP still are REC and STOP`() {
    var bench = Bench.doing(.recording)
    bench.hold(.centre, 700)
    #expect(bench.state.modeName == "dictaphone.recording")
    bench.tap(.rec)
    #expect(bench.state.activity == .paused)
    #expect(bench.state.screen == .options)
    bench.tap(.stop)
    #expect(bench.state.activity == .saving)
  }

  @Test func `An error on the screen eats no key while a take is open`() {
    var bench = Bench.doing(.recording)
    bench.send(.deviceLost(.storage, text: "mmc0"))
    bench.tap(.centre)
    #expect(bench.effects.orders == [.recorder(.mark(at: .ms(10_000), title: nil))])
    #expect(bench.state.notice == nil)
  }
}
