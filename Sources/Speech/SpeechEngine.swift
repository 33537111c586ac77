internal import CESpeak
internal import Sound
internal import Synchronization

/// Speech from text by espeak-ng, in synchronous retrieval mode.
///
/// The library has one state a process; calls from several engines take turns. `speak` takes some 1 % of the speech's
/// length on a PC, 10 % on a small board: call it on a lane of its own.
public final class SpeechEngine: Sendable {
  /// What the library's one state is.
  private struct Library: Sendable {
    var sampleRate = 0
    var voice = ""
    var folder: String?
  }

  private static let library = Mutex(Library())
  /// Longer texts are cut: no subtitle is.
  public static let longestText = 2000
  private static let longestSeconds = 60

  /// Primary language tags that can be spoken: `es`, `ru`.
  public let languages: [String]

  public init(data: SpeechData) throws(SpeechError) {
    let result = Self.library.withLock { library in Self.open(&library, data) }
    languages = try result.get()
  }

  private static func open(_ library: inout Library, _ data: SpeechData) -> Result<[String], SpeechError> {
    if library.sampleRate == 0 {
      let rate = espeak_Initialize(
        AUDIO_OUTPUT_SYNCHRONOUS, 0, data.folder, Int32(espeakINITIALIZE_DONT_EXIT))
      guard rate > 0 else {
        return .failure(
          SpeechError(
            .data,
            "no voices in \(data.folder ?? "the system's folder"): install espeak-ng-data, or use a build that has them"
          ))
      }
      library.sampleRate = Int(rate)
      library.folder = data.folder
      espeak_SetSynthCallback { samples, count, events in
        guard let context = events?.pointee.user_data else { return 1 }
        return context.assumingMemoryBound(to: SpokenSamples.self).pointee.take(samples, Int(count))
      }
    }
    return .success(listLanguages())
  }

  /// Primary tags of all voices, in alphabetical order.
  private static func listLanguages() -> [String] {
    guard var voices = espeak_ListVoices(nil) else { return [] }
    var found: Set<String> = []
    while let voice = voices.pointee {
      // A priority byte before each name.
      if let names = voice.pointee.languages, names.pointee != 0 {
        let name = String(cString: names + 1)
        found.insert(String(name.prefix { $0 != "-" }).lowercased())
      }
      voices += 1
    }
    return found.filter { (2...3).contains($0.utf8.count) }.sorted()
  }

  /// Speaks a text.
  ///
  /// - Parameters:
  ///   - language: `es`, `pt-BR`; a regional voice that there is not is replaced by the language's own.
  ///   - wordsPerMinute: 80…450.
  /// - Returns: one channel at 48 kHz, −1…1; empty if there is nothing to be said.
  public func speak(_ text: String, language: String, wordsPerMinute: Int = 175) throws(SpeechError) -> [Float] {
    let result: Result<([Float], Int), SpeechError> = Self.library.withLock { library in
      guard Self.choose(language, &library) else {
        return .failure(
          SpeechError(.language, "no voice speaks \(language.isEmpty ? "an unnamed language" : language)"))
      }
      espeak_SetParameter(espeakRATE, Int32(max(80, min(450, wordsPerMinute))), 0)
      var spoken = SpokenSamples(limit: library.sampleRate * Self.longestSeconds)
      if let error = Self.synthesise(text, into: &spoken) { return .failure(error) }
      return .success((spoken.samples, library.sampleRate))
    }
    let (samples, rate) = try result.get()
    return RateConverter.to48k(samples, rate: rate)
  }

  /// Speaks a text piece by piece, so that its beginning is heard while the rest is being made.
  ///
  /// - Parameter take: is given each piece, one channel at 48 kHz, on the calling thread; false: no more is wanted.
  public func speak(
    _ text: String, language: String, wordsPerMinute: Int, take: (UnsafeBufferPointer<Float>) -> Bool
  ) throws(SpeechError) {
    let failure: SpeechError? = withoutActuallyEscaping(take) { take in
      let pieces = SpokenPieces(take)
      return Self.library.withLock { library in
        guard Self.choose(language, &library) else {
          return SpeechError(.language, "no voice speaks \(language.isEmpty ? "an unnamed language" : language)")
        }
        espeak_SetParameter(espeakRATE, Int32(max(80, min(450, wordsPerMinute))), 0)
        pieces.step = Double(library.sampleRate) / 48_000
        var spoken = SpokenSamples(limit: library.sampleRate * Self.longestSeconds, pieces: pieces)
        if let error = Self.synthesise(text, into: &spoken) { return error }
        pieces.finish()
        return nil
      }
    }
    if let failure { throw failure }
  }

  private static func synthesise(_ text: String, into spoken: inout SpokenSamples) -> SpeechError? {
    let cut = String(text.prefix(longestText))
    let spelled = StressedWords.spelled(cut)
    let bytes = spelled.utf8.filter { $0 != 0 } + [0]
    // Brackets that somebody has written are no phonemes.
    let flags = UInt32(espeakCHARS_UTF8) | (spelled == cut ? 0 : UInt32(espeakPHONEMES))
    let status = withUnsafeMutablePointer(to: &spoken) { context in
      espeak_Synth(bytes, bytes.count, 0, POS_CHARACTER, 0, flags, nil, context)
    }
    return status == EE_OK
      ? nil : SpeechError(.synthesis, "a text of \(bytes.count) bytes cannot be spoken (\(status.rawValue))")
  }

  private static func choose(_ language: String, _ library: inout Library) -> Bool {
    let wanted = language.lowercased()
    guard wanted != library.voice || wanted.isEmpty else { return true }
    let primary = String(wanted.prefix { $0 != "-" })
    for name in [wanted, primary] where !name.isEmpty && name.utf8.allSatisfy({ $0 != 0 }) {
      if espeak_SetVoiceByName(name) == EE_OK {
        library.voice = wanted
        return true
      }
    }
    // A voice for languages that are named by their region only (en-gb, pt-pt).
    var wish = espeak_VOICE()
    let found = primary.withCString { pointer in
      wish.languages = pointer
      return espeak_SetVoiceByProperties(&wish) == EE_OK
    }
    library.voice = found ? wanted : ""
    return found && !primary.isEmpty
  }
}

/// What the synthesiser hands over, piece by piece.
private struct SpokenSamples {
  var samples: [Float] = []
  /// Who takes them as they come, instead.
  private let pieces: SpokenPieces?
  private let limit: Int
  private var count = 0

  init(limit: Int, pieces: SpokenPieces? = nil) {
    self.limit = limit
    self.pieces = pieces
  }

  /// - Returns: 0 to go on, 1 to stop.
  mutating func take(_ block: UnsafeMutablePointer<Int16>?, _ count: Int) -> Int32 {
    guard let block, count > 0 else { return 0 }
    guard self.count + count <= limit else { return 1 }
    self.count += count
    if let pieces { return pieces.add(UnsafeBufferPointer(start: block, count: count)) ? 0 : 1 }
    for index in 0..<count { samples.append(Float(block[index]) / 32_768) }
    return 0
  }
}
