import Foundation
import Hardware
import Testing

@testable import Speech

@Suite("Speech", .serialized)
struct SpeechTests {
  @Test func `Texts are spoken in their language, at 48 kHz`() throws {
    let engine = try SpeechEngine(data: .system)
    for language in ["en", "es", "de", "fr", "it", "pt", "ru"] { #expect(engine.languages.contains(language)) }
    let spanish = try engine.speak("Hola, buenos días a todos.", language: "es")
    let english = try engine.speak("Hola, buenos días a todos.", language: "en-GB")
    let russian = try engine.speak("Здравствуйте, дорогие друзья.", language: "ru")
    for voice in [spanish, english, russian] {
      #expect((48_000 / 2...48_000 * 5).contains(voice.count))
      #expect(voice.allSatisfy { abs($0) <= 1 })
      #expect((voice.map(abs).max() ?? 0) > 0.1)
    }
    #expect(spanish != english)
    let again = try engine.speak("Hola, buenos días a todos.", language: "es")
    // The synthesiser remembers what it said before, and tests beside this one have it speak in between: by 40 ms once.
    #expect(abs(again.count - spanish.count) < 4800)
  }

  @Test func `It agrees with the program espeak-ng in length`() throws {
    let engine = try SpeechEngine(data: .system)
    let text = "Uno, dos, tres, cuatro y cinco."
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/espeak-ng")
    process.arguments = ["-v", "es", "--stdout", text]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let seconds = Double(data.count - 44) / 2 / 22_050
    let ours = Double(try engine.speak(text, language: "es").count) / 48_000
    #expect(abs(seconds - ours) < 0.3)
  }

  @Test func `Piece by piece it says the same, without the silence before the first word`() throws {
    let engine = try SpeechEngine(data: .system)
    let text = "Take 3, 12 seconds, 1 of 5."
    let whole = try engine.speak(text, language: "en", wordsPerMinute: 200)
    var pieces: [[Float]] = []
    try engine.speak(text, language: "en", wordsPerMinute: 200) { piece in
      pieces.append(Array(piece))
      return true
    }
    let joined = pieces.flatMap { $0 }
    #expect(pieces.count > 3)
    #expect((joined.prefix(1000).map(abs).max() ?? 0) > 0.002)
    #expect(joined.count <= whole.count + 4800 && joined.count > whole.count / 2)
    var count = 0
    try engine.speak(text, language: "en", wordsPerMinute: 200) { _ in
      count += 1
      return count < 2
    }
    #expect(count == 2)
  }

  @Test func `A stress that is written is moved to, and the vowel that had it is reduced`() throws {
    // As the library tells of дубляж, of which it stresses the wrong vowel.
    #expect(StressedWords.moved(["d", "'u", "b", "l;", "V", "S"], to: 1, of: "уя") == "dubl;'AS")
    #expect(StressedWords.moved(["z", "a", "m", "'o", "k"], to: 0, of: "ао") == "z'AmVk")
    #expect(StressedWords.moved(["m"], to: 0, of: "а") == nil)
    let engine = try SpeechEngine(data: .system)
    // What needs no mark sounds the same with it; what does, does not.
    let plain = try engine.speak("дубляж", language: "ru")
    let stressed = try engine.speak("дубля\u{301}ж", language: "ru")
    #expect(plain != stressed && !stressed.isEmpty)
    #expect(StressedWords.spelled("запись без знака [[x]]") == "запись без знака [[x]]")
  }

  @Test func `A language without a voice is refused by name`() throws {
    let engine = try SpeechEngine(data: .system)
    for language in ["zz", ""] {
      let error = #expect(throws: SpeechError.self) { try engine.speak("x", language: language) }
      #expect(error?.kind == .language)
    }
    let nothing = try engine.speak("", language: "es")
    let isSilent = nothing.allSatisfy { $0 == 0 }
    #expect(isSilent)
  }

  @Test func `Any text is answered`() throws {
    let engine = try SpeechEngine(data: .system)
    var seed: UInt64 = 7
    for _ in 0..<40 {
      var text = ""
      for _ in 0..<6 {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text.unicodeScalars.append(Unicode.Scalar(UInt32(seed >> 40) % 0xD7FF) ?? "?")
      }
      _ = try engine.speak(text, language: "en")
    }
    _ = try engine.speak(String(repeating: "[[<break>]] \u{0} &amp; ", count: 20), language: "es")
  }

  @Test func `The queue speaks in order, within bounds, and forgets what is cancelled`() {
    let queue = SpeechQueue(data: { () throws(SpeechError) in .system })
    #expect(queue.languages.isEmpty)
    for id in 0..<SpeechQueue.limit { #expect(queue.ask(SpeechRequest(id: id, text: "uno", language: "es"))) }
    #expect(!queue.ask(SpeechRequest(id: 99, text: "uno", language: "es")))
    var steps = 0
    while queue.step(now: .zero) != nil { steps += 1 }
    #expect(steps == SpeechQueue.limit - 1)
    let spoken = queue.take()
    #expect(spoken.map(\.id) == Array(0..<SpeechQueue.limit))
    #expect(spoken.allSatisfy { ($0.samples?.count ?? 0) > 1000 })
    #expect(queue.languages.contains("es"))
    _ = queue.ask(SpeechRequest(id: 100, text: "x", language: "zz"))
    _ = queue.step(now: .zero)
    #expect(queue.take().first?.samples == nil)
    _ = queue.ask(SpeechRequest(id: 101, text: "dos", language: "es"))
    queue.cancel()
    #expect(queue.step(now: .zero) == nil)
    #expect(queue.take().isEmpty)
  }

  @Test func `A queue without voices says so and takes nothing more`() {
    let queue = SpeechQueue(data: { () throws(SpeechError) in throw SpeechError(.data, "no voices here") })
    #expect(queue.ask(SpeechRequest(id: 1, text: "uno", language: "es")))
    #expect(queue.step(now: .zero) == nil)
    #expect(queue.problem == "no voices here")
    #expect(!queue.ask(SpeechRequest(id: 2, text: "dos", language: "es")))
  }
}

@Suite("Voices' archive")
struct SpeechArchiveTests {
  /// A folder of two files as tar and gzip make it.
  private func archive() throws -> (bytes: [UInt8], packed: [UInt8], folder: String) {
    let folder = NSTemporaryDirectory() + "mynah-speech-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: folder + "/espeak-ng-data/lang/roa", withIntermediateDirectories: true)
    try Data(repeating: 7, count: 1300).write(to: URL(fileURLWithPath: folder + "/espeak-ng-data/phontab"))
    try Data("name Spanish".utf8).write(to: URL(fileURLWithPath: folder + "/espeak-ng-data/lang/roa/es"))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "cd '\(folder)' && tar --format=ustar -cf a.tar espeak-ng-data && gzip -9nk a.tar"]
    try process.run()
    process.waitUntilExit()
    let files = try ["/a.tar", "/a.tar.gz"].map { [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + $0))) }
    return (files[0], files[1], folder)
  }

  @Test func `It is unpacked once, whole`() throws {
    let (_, packed, folder) = try archive()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for _ in 0..<2 {
      let data = try packed.withUnsafeBytes { try SpeechData(packed: $0, cache: folder + "/cache") }
      let place = try #require(data.folder)
      #expect(FileManager.default.contents(atPath: place + "/espeak-ng-data/phontab")?.count == 1300)
      #expect(FileManager.default.contents(atPath: place + "/espeak-ng-data/lang/roa/es") == Data("name Spanish".utf8))
      #expect(!FileManager.default.fileExists(atPath: place + ".new"))
    }
  }

  @Test func `A build without voices uses the system's`() throws {
    let data = try SpeechData(cache: "/nowhere")
    #expect(data.folder == nil)
  }

  @Test func `Damaged archives are answered, and nothing leaves the folder`() throws {
    let (bytes, packed, folder) = try archive()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var seed: UInt64 = 1
    for _ in 0..<3000 {
      var damaged = bytes
      for _ in 0..<4 {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        damaged[Int(seed >> 33) % damaged.count] = UInt8(truncatingIfNeeded: seed >> 20)
      }
      let files = damaged.prefix(Int(seed >> 33) % damaged.count).withUnsafeBytes { SpeechArchive.files(in: $0) }
      for file in files { #expect(!file.path.hasPrefix("/") && !file.path.split(separator: "/").contains("..")) }
    }
    let none = [UInt8](repeating: 0, count: 4096)
    for damaged in [none, Array(packed.dropLast()), packed + [0], bytes] {
      #expect(throws: SpeechError.self) { try damaged.withUnsafeBytes { try SpeechData(packed: $0, cache: folder) } }
    }
  }
}
