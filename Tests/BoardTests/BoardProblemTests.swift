import Board
import Hardware
import Testing

@Suite struct BoardProblemTests {
  @Test func anUnknownKeyIsNamedWithTheOneThatWasMeant() {
    #expect(
      problems(in: "[microphone]\nrat = 48000\n")
        == ["b/x.toml:2: unknown key \"rat\" in [microphone]; did you mean \"rate\"?"])
    #expect(
      problems(in: "\n[mircophone]\nrate = 48000\n")
        == ["b/x.toml:2: unknown table \"mircophone\"; did you mean \"microphone\"?"])
    #expect(
      problems(in: "[leds.RECC]\nline = 1\n")
        == ["b/x.toml:1: unknown table \"RECC\" in [leds]; did you mean \"REC\"?"])
    #expect(
      problems(in: "[session]\ncolour = \"red\"\n")
        == ["b/x.toml:2: unknown key \"colour\" in [session]; expected one of strategy, rate_hz"])
  }

  @Test func aWrongTypeSaysWhatWasExpectedAndWhatWasFound() {
    #expect(
      problems(in: "[microphone]\nrate = \"48k\"\n")
        == [
          "b/x.toml:2: microphone.rate: expected one of 8000, 11025, 16000, 22050, 32000, 44100, 48000, 88200, 96000, "
            + "176400, 192000 (Hz), found the text \"48k\""
        ])
    #expect(
      problems(in: "ram_mb = 1.5") == [
        "b/x.toml:1: ram_mb: expected a whole number from 64 to 1048576 (MiB), found 1.5"
      ])
    #expect(problems(in: "microphone = 3") == ["b/x.toml:1: microphone is a table, not 3"])
    #expect(
      problems(in: "[microphone.rate]\n")
        == [
          "b/x.toml:1: microphone.rate: expected one of 8000, 11025, 16000, 22050, 32000, 44100, 48000, 88200, 96000, "
            + "176400, 192000 (Hz), found a table"
        ])
    #expect(problems(in: "template = 1") == ["b/x.toml:1: template: expected true or false, found 1"])
    #expect(
      problems(in: "models = \"Pi\"")
        == ["b/x.toml:1: models: expected a list of at most 16 texts, found the text \"Pi\""])
    #expect(
      problems(in: "title = 2026-11-20") == [
        "b/x.toml:1: title: expected a text of at most 255 bytes on one line, found a date or time"
      ])
    #expect(
      problems(in: "[buttons.REC]\nbias = \"up\"\n") == [
        "b/x.toml:2: buttons.REC.bias: expected one of \"pull-up\", \"pull-down\", \"disabled\", \"as-is\", "
          + "found the text \"up\""
      ])
  }

  @Test func aValueOutOfRangeSaysTheRange() {
    #expect(
      problems(in: "[display]\naddress = 0x80\n")
        == ["b/x.toml:2: display.address: expected a whole number from 8 to 119, found 128"])
    #expect(
      problems(in: "[gpio]\ndebounce_ms = -1\n")
        == ["b/x.toml:2: gpio.debounce_ms: expected a whole number from 0 to 100 (ms), found -1"])
  }

  @Test func twoFunctionsOnOneLineAreBothNamed() {
    let text = """
      [gpio]
      driver = "chardev"
      [buttons.STOP]
      line = 27
      [leds.REC]
      line = 27
      """
    #expect(
      problems(in: text) == [
        "b/x.toml:6: line 27 of /dev/gpiochip0 is both leds.REC and buttons.STOP (set at b/x.toml:4)"
      ])
    // The same number on another chip is another line.
    #expect(problems(in: text + "\nchip = \"/dev/gpiochip1\"\n") == [])
  }

  @Test func twoFunctionsOnOneLineAcrossFilesAreFoundInBoth() {
    let files = MemoryFiles(files: [
      "b/base.toml": "\n\n\n[gpio]\ndriver = \"chardev\"\n[buttons]\nREC.line = 17\nSTOP.line = 27\n",
      "b/x.toml": "inherits = \"base.toml\"\n[leds]\nREC.line = 27\n",
    ])
    #expect(
      files.problems("b/x.toml") == [
        "b/x.toml:3: line 27 of /dev/gpiochip0 is both leds.REC and buttons.STOP (set at b/base.toml:8)"
      ])
  }

  @Test func aLineThatAPeripheralOfTheHeaderTakesIsRefused() {
    let text = """
      header = "raspberrypi-40"
      [gpio]
      driver = "chardev"
      [display]
      controller = "ssd1306"
      [buttons.REC]
      line = 2
      """
    #expect(
      problems(in: text) == [
        "b/x.toml:7: line 2 of /dev/gpiochip0 is both buttons.REC and display (I2C SDA) (by default)"
      ])
    let sound = """
      inherits = "raspberrypi-zero2w"
      [leds.LOCK]
      line = 16
      """
    #expect(
      problems(in: sound) == [
        "b/x.toml:3: line 16 of /dev/gpiochip0 is both leds.LOCK and speaker (GPIO16) "
          + "(set at <built-in>/raspberrypi-zero2w.toml:13)"
      ])
  }

  @Test func valuesThatDoNotGoTogetherAreRefused() {
    #expect(
      problems(in: "[microphone]\nperiod_frames = 1024\nbuffer_frames = 1500\n") == [
        "b/x.toml:3: microphone.buffer_frames: expected at least two periods (2048 frames), found 1500 "
          + "(microphone.period_frames is set at b/x.toml:2)"
      ])
    #expect(
      problems(in: "[storage]\nlow_mb = 60\n") == [
        "b/x.toml:2: storage.low_mb: expected more than the reserve (64 MiB), found 60"
      ])
    #expect(
      problems(in: "[speaker]\ndriver = \"alsa\"\n") == [
        "b/x.toml:2: speaker.pcm: expected an ALSA name, because the driver is alsa"
      ])
    #expect(
      problems(in: "[gpio]\ndriver = \"chardev\"\n[leds.REC]\nactive_low = true\n") == [
        "b/x.toml:4: leds.REC.line: expected the number of a line; [leds.REC] has none"
      ])
  }

  @Test func keysOfKeypadsAreCheckedByName() throws {
    let file = "[keypad]\ndevices = [\"USB Keypad\"]\n[buttons]\n"
    #expect(
      problems(in: file + "REC.keys = [\"KEY_KPENTR\"]\nSTOP.keys = [\"wheel\"]\n") == [
        "b/x.toml:4: buttons.REC.keys: expected names of keys as in linux/input-event-codes.h, found \"KEY_KPENTR\"; did "
          + "you mean \"KEY_KPENTER\"?",
        "b/x.toml:5: buttons.STOP.keys: expected names of keys as in linux/input-event-codes.h, found \"wheel\"; evtest "
          + "shows the name of a key when it is pressed",
      ])
    #expect(
      problems(in: file + "REC.keys = [\"KEY_KP0\"]\nUP.keys = [\"KP0\"]\n") == [
        "b/x.toml:5: buttons.UP.keys: KEY_KP0 is REC already"
      ])
    #expect(
      problems(in: file) == [
        "b/x.toml:2: keypad.devices: expected keys for it, such as buttons.REC.keys = [\"KEY_RECORD\"]"
      ])
    #expect(
      problems(in: "[buttons]\nREC.keys = [\"KEY_RECORD\"]\n") == [
        "b/x.toml:2: keypad.devices: expected the device that has these keys; mynah doctor lists those there are"
      ])
    let files = MemoryFiles(files: [
      "x.toml": "inherits = \"raspberrypi4\"\n" + file
        + "REC.keys = [\"KEY_RECORD\", \"164\"]\nSTOP.keys = [\"0\"]\nMARK = { enabled = false, keys = [\"A\"] }\n"
    ])
    let board = try files.load("x.toml")
    #expect(board.keypad.devices == ["USB Keypad"])
    #expect(board.keypad.keys == [InputKey(.rec, code: 167), InputKey(.rec, code: 164), InputKey(.stop, code: 11)])
    // Lines stay beside them; without GPIO a keypad is enough.
    #expect(board.buttons.contains { $0.button == .rec })
    #expect(problems(in: "[gpio]\ndriver = \"chardev\"\n" + file + "REC.keys = [\"KEY_RECORD\"]\n") == [])
  }

  @Test func allProblemsOfAllFilesAreCollectedInOrder() {
    let files = MemoryFiles(files: [
      "base.toml": "[display]\nwidth = 3\n[storag]\n",
      "x.toml": "inherits = \"base.toml\"\nfoo = 1\n[console]\nbaud = 1\n[storage]\nlow_mb = 3\n",
    ])
    #expect(
      files.problems("x.toml") == [
        "base.toml:2: display.width: expected one of 64, 72, 96, 128 (pixels), found 3",
        "base.toml:3: unknown table \"storag\"; did you mean \"storage\"?",
        "x.toml:2: unknown key \"foo\"; expected one of inherits, name, title, template, models, ram_mb, header, "
          + "microphone, speaker, camera, clips, trigger, power_key, brown_out, gpio, buttons, keypad, leds, display, screen, encoder, "
          + "console, storage, watchdog, clock, dub, session, budget, governor, operator, settings",
        "x.toml:4: console.baud: expected one of 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600 (bit/s), "
          + "found 1",
        "x.toml:6: storage.low_mb: expected more than the reserve (64 MiB), found 3",
      ])
  }

  @Test func whatIsNoTOMLIsReportedWithItsLine() {
    let redefined = problems(in: "[display]\nwidth = 64\nwidth = 128\n")
    #expect(redefined.count == 1)
    #expect(redefined[0].hasPrefix("b/x.toml:3: not TOML: "))
    #expect(problems(in: "name = \"a").first?.hasPrefix("b/x.toml:1: not TOML: ") == true)
    #expect(problems(in: "a = 1\n[[[\n").first?.hasPrefix("b/x.toml:2: not TOML: ") == true)
  }

  @Test func whatTheParserItselfTripsOverIsReportedWithItsLine() {
    #expect(problems(in: "ram_mb = 512\n\n[\n") == ["b/x.toml:3: not TOML: malformed key or value"])
    #expect(problems(in: "\n\u{e9} = 1\n").first?.hasPrefix("b/x.toml:2: not TOML: ") == true)
  }

  @Test func deepNestingAndHugeFilesAreRefused() {
    let dots = String(repeating: "a.", count: 30_000) + "a = 1"
    #expect(problems(in: "\n" + dots) == ["b/x.toml:2: not TOML: more than 64 dots on one line"])
    let brackets = "models = " + String(repeating: "[", count: 60_000)
    #expect(problems(in: brackets).first?.hasPrefix("b/x.toml:1: not TOML: ") == true)
    let large = String(repeating: "# comment\n", count: 200_000)
    #expect(
      problems(in: large) == ["b/x.toml:1: 2000000 bytes long; a board file has 65536 (64 KiB) at most"])
  }

  @Test func aQuotedKeyWithPointsIsNotAPath() {
    #expect(
      problems(in: "\"display.width\" = 64\n").first?.hasPrefix("b/x.toml:1: unknown key \"display.width\";") == true)
    #expect(problems(in: "[buttons]\n\"REC.line\" = 6\n").count == 1)
  }

  @Test func hostileNamesStayOnOneLineOfTheMessage() {
    let text = problems(in: "\"new\\nline\\u0007\" = 1\n")
    #expect(text.count == 1)
    #expect(text[0].hasPrefix("b/x.toml:1: unknown key \"new\\u{a}line\\u{7}\"; expected one of "))
  }

  @Test func aCameraAndWhatItNeedsGoTogether() {
    #expect(
      problems(in: "[camera]\ndriver = \"v4l2\"\n") == [
        "b/x.toml:2: camera.device: expected the path of a device such as /dev/video0, because the driver is v4l2"
      ])
    #expect(
      problems(in: "[camera]\ndriver = \"command\"\n") == [
        "b/x.toml:2: camera.command: expected a program and its arguments, because the driver is command"
      ])
    #expect(
      problems(in: "[camera]\ndriver = \"command\"\ncommand = [\"rpicam-vid\"]\nformats = [\"mjpeg\"]\n") == [
        "b/x.toml:4: camera.formats: expected h264 among them, because a command writes that"
      ])
    #expect(
      problems(in: "[camera]\nformats = [\"h265\"]\n") == [
        "b/x.toml:2: camera.formats: expected some of \"h264\", \"mjpeg\", \"yuyv\", \"nv12\", found \"h265\"",
        "b/x.toml:2: camera.formats: expected at least one coding, found none",
      ])
    #expect(
      problems(in: "[camera]\ncommand = [\"x\", \"--fps={fps}\"]\n") == [
        "b/x.toml:2: camera.command: expected no blanks but {width}, {height}, {rate}, {bitrate}, {keyframe}, "
          + "found \"--fps={fps}\""
      ])
    #expect(
      problems(in: "[camera]\nwidth = 641\n") == ["b/x.toml:2: camera.width: expected an even number, found 641"])
    #expect(
      problems(in: "[camera]\nfps = 0\n") == [
        "b/x.toml:2: camera.fps: expected a whole number from 1 to 120 (1/s), found 0"
      ])
  }

  @Test func powerInputsClaimTheirLines() {
    let text = "[gpio]\ndriver = \"chardev\"\n[power_key]\nline = 3\nhold_ms = 2000\n[brown_out]\nline = 3\n"
    #expect(
      problems(in: text) == [
        "b/x.toml:7: line 3 of /dev/gpiochip0 is both brown_out and power_key (set at b/x.toml:4)"
      ])
    #expect(
      problems(in: "[gpio]\ndriver = \"chardev\"\n[brown_out]\nhold_ms = 20000\n") == [
        "b/x.toml:4: brown_out.hold_ms: expected a whole number from 0 to 10000 (ms), found 20000"
      ])
  }

  @Test func theTriggerInputClaimsItsLine() {
    let text = """
      [gpio]
      driver = "chardev"
      [buttons.STOP]
      line = 27
      [trigger]
      line = 27
      """
    #expect(
      problems(in: text) == [
        "b/x.toml:6: line 27 of /dev/gpiochip0 is both trigger and buttons.STOP (set at b/x.toml:4)"
      ])
    #expect(problems(in: text + "\nenabled = false\n") == [])
    #expect(
      problems(in: "[gpio]\ndriver = \"chardev\"\n[trigger]\nbias = \"pull-down\"\n") == [
        "b/x.toml:4: trigger.line: expected the number of a line; [trigger] has none"
      ])
  }
}
