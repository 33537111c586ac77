import Foundation
import JSON
import TestSupport
import Testing

/// Programs that record and play over the sound's socket, judged by sox and by a client of another make.
@Suite(.serialized) struct PCMTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
  private let folder = TemporaryFolder()

  private func device(_ extra: [String]) throws -> LiveMynah {
    var mynah = Mynah(folder: folder)
    mynah.clock = "real"
    let live = try LiveMynah(mynah.arguments(script: nil) + ["--console", folder.file("tty")] + extra)
    let end = Monotonic.now + 60
    while !FileManager.default.fileExists(atPath: folder.file("tty.pcm")) {
      guard live.isRunning, Monotonic.now < end else { throw Tool.Failure(description: live.errors) }
      usleep(5000)
    }
    return live
  }

  private func shell(_ command: String) throws -> Tool.Result {
    let result = try Tool.run("sh", ["-c", command], in: folder)
    guard result.status == 0 else { throw Tool.Failure(description: "\(command)\n\(result.errors)") }
    return result
  }

  private var pcm: String { "\(Mynah.executable.path) pcm" }

  /// Frequency of a tone in a file, by sox.
  private func hertz(_ file: String) throws -> Double {
    let text = try shell("sox \(file) -n stat 2>&1").output
    let line = text.split(separator: "\n").first { $0.hasPrefix("Rough") }
    return try #require(line.flatMap { Double($0.split(separator: " ").last ?? "") })
  }

  /// The highest sample of a file, by sox.
  private func loudest(_ file: String) throws -> Double {
    let text = try shell("sox \(file) -n stat 2>&1").output
    let line = text.split(separator: "\n").first { $0.hasPrefix("Maximum amplitude") }
    return try #require(line.flatMap { Double($0.split(separator: " ").last ?? "") })
  }

  @Test func `S4: a client that insists on 48 kHz records from a microphone that does 8 kHz only, beside a take`()
    throws
  {
    let live = try device(["--microphone", "tone:440", "--microphone-rate", "8000"])
    let console = try ConsoleClient(folder.file("tty"))
    _ = try console.call("events.subscribe", ["topics": ["onTakeSaved"]])
    #expect(try console.call("recorder.start")["error"] == nil)
    _ = try shell("\(pcm) record --rate 48000 --wav --seconds 2 --socket tty.pcm > out.wav")
    #expect(try console.call("recorder.stop")["error"] == nil)
    #expect(try shell("soxi -r out.wav && soxi -s out.wav && soxi -c out.wav").output == "48000\n96000\n1\n")
    #expect(abs(try hertz("out.wav") - 440) <= 2)
    let saved = try console.event("onTakeSaved")["params"]?["data"]
    #expect(saved?["sampleRate"]?.integerValue == 8000)
    #expect(live.errors.contains("sound client"))
  }

  @Test func `S4: and the reverse, 8 kHz of a microphone that does 48 kHz only, as G.711`() throws {
    let live = try device(["--microphone", "tone:440", "--microphone-rate", "48000"])
    _ = try shell("\(pcm) record --rate 8000 --format mulaw --seconds 2 --socket tty.pcm > out.ul")
    _ = try shell("sox -t ul -r 8000 -c 1 out.ul out.wav")
    #expect(try shell("soxi -s out.wav").output == "16000\n")
    #expect(abs(try hertz("out.wav") - 440) <= 2)
    #expect(live.terminate() == 0)
  }

  @Test(arguments: [(8000, 48_000), (48_000, 8000)])
  func `S4: a client's sound of one rate is heard on a speaker of the other, whole`(device rate: Int, client: Int)
    throws
  {
    let live = try device(["--speaker", folder.file("heard.wav"), "--speaker-rate", "\(rate)"])
    _ = try shell("sox -n -r \(client) -c 1 -b 16 in.wav synth 3 sine 440 gain -6")
    let begun = Monotonic.now
    _ = try shell("\(pcm) play --wav --socket tty.pcm < in.wav")
    // It is held back to the pace of the speaker.
    #expect(Monotonic.now - begun > 2.7)
    #expect(live.terminate() == 0)
    _ = try shell("sox heard.wav cut.wav silence 1 0.01 0.1% reverse silence 1 0.01 0.1% reverse")
    #expect(try shell("soxi -r heard.wav").output == "\(rate)\n")
    let seconds = try #require(Double(try shell("soxi -D cut.wav").output.dropLast()))
    // A busy machine may be late, which is silence; nothing is left out.
    #expect(seconds > 2.95)
    #expect(abs(try hertz("cut.wav") - 440) <= 3)
  }

  @Test func `A card of this machine is fed with what the device hears after its gain, until the device ends`() throws {
    let live = try device(["--microphone", "tone:440", "--microphone-rate", "48000"])
    let console = try ConsoleClient(folder.file("tty"))
    #expect(try console.call("settings.set", ["recording.gainDb": -6])["error"] == nil)
    _ = try shell("\(pcm) record --wav --seconds 1 --socket tty.pcm > plain.wav")
    // ALSA's own file plugin stands for a card.
    let heard = folder.file("heard.raw")
    try """
    pcm.null { type null }
    pcm.heard { type file slave.pcm null file "\(heard)" format raw }
    """.write(toFile: folder.file("asound.conf"), atomically: true, encoding: .utf8)
    let feed = "ALSA_CONFIG_PATH=asound.conf timeout 4 \(pcm) record --to heard --socket tty.pcm"
    #expect(try Tool.run("sh", ["-c", feed], in: folder).status == 124)
    _ = try shell("sox -t raw -e signed -b 16 -c 1 -r 48000 heard.raw all.wav && sox all.wav out.wav trim 1")
    #expect(abs(try hertz("out.wav") - 440) <= 2)
    let seconds = try #require(Double(try shell("soxi -D out.wav").output.dropLast()))
    #expect(seconds > 1.5 && seconds < 3.5)
    let ratio = try loudest("out.wav") / loudest("plain.wav")
    #expect(abs(ratio - 0.501) < 0.01, "\(ratio)")
    #expect(live.terminate() == 0)
    #expect(try Tool.run("sh", ["-c", feed], in: folder).status == 69)
  }

  @Test func `The client of the manual records, and what it does wrong is said to it`() throws {
    let page = try String(contentsOf: Self.root.appending(path: "docs/manual/sessions.md"), encoding: .utf8)
    let program = try #require(page.components(separatedBy: "```python\n").last?.components(separatedBy: "```").first)
    try program.write(toFile: folder.file("client.py"), atomically: true, encoding: .utf8)
    let live = try device(["--microphone", "tone:1000", "--microphone-rate", "8000"])
    #expect(try shell("python3 client.py tty.pcm out.raw").output.hasPrefix("first frame at "))
    _ = try shell("sox -t raw -e signed -b 16 -c 1 -r 48000 out.raw out.wav")
    #expect(abs(try hertz("out.wav") - 1000) <= 4)
    let wrong = try Tool.run(
      Mynah.executable.path, ["pcm", "record", "--rate", "7", "--socket", folder.file("tty.pcm")])
    #expect(wrong.status == 65)
    #expect(wrong.errors.contains("sampleRate is 8000 to 192000"))
    // Whatever number it is, it is not multiplied before it is looked at.
    for words in [["--channels", "9000000000000000000"], ["--channels", "0"], ["--rate", "9000000000000000000"]] {
      let wrong = try Tool.run(
        Mynah.executable.path, ["pcm", "record", "--wav", "--socket", folder.file("tty.pcm")] + words)
      #expect(wrong.status == 64, "\(words): \(wrong.status) \(wrong.errors)")
    }
    let absent = try Tool.run(Mynah.executable.path, ["pcm", "play", "--socket", folder.file("none")])
    #expect(absent.status == 69)
    #expect(live.terminate() == 0)
  }
}
