import Hardware
import TestSupport
import Testing

@testable import Streaming

/// Sound in other languages beside a programme's own.
@Suite struct RenditionTests: TwoLanguages {
  @Test func anotherLanguageLiesOnTheSameTimeline() throws {
    let (network, source, other) = try network()
    let programme = StreamProgramme(url: FakeNetwork.host + "master.m3u8", network: network) {}
    let listener = Listener(programme, network)
    listener.isPaced = true
    listener.run(3)
    #expect(programme.status.soundLanguages == ["en", "es"])
    #expect(programme.rendition(language: "fr", from: 0) == nil)
    let rendition = try #require(programme.rendition(language: "es-MX", from: 4 * 48_000))
    #expect(rendition === programme.rendition(language: "es", from: 0))
    listener.others = [rendition]
    var blocks: [SoundBlock] = []
    listener.run(30) { _ in
      while let block = rendition.nextSound() { blocks.append(block) }
      return false
    }
    while let block = rendition.nextSound() { blocks.append(block) }
    #expect(difference(listener.samples, source.samples) < 1e-6)
    let first = try #require(blocks.first)
    #expect(first.start <= 48_000 * 4)
    #expect(zip(blocks, blocks.dropFirst()).allSatisfy { $0.start + $0.frames == $1.start })
    let samples = blocks.flatMap(\.samples)
    let begin = 2 * first.start + 4096
    #expect(difference(samples.dropFirst(4096), other.samples[begin..<(begin + samples.count - 4096)]) < 1e-6)
    #expect(2 * first.start + samples.count == other.samples.count)
  }

  /// Sound that describes the pictures is for those who want that, and comes behind the plain one: also where that is
  /// the original.
  @Test(arguments: [true, false])
  func whatDescribesThePicturesIsNotChosen(_ isOriginal: Bool) throws {
    let described =
      "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"AD\",LANGUAGE=\"es\",URI=\"es/ad.m3u8\","
      + "CHARACTERISTICS=\"public.accessibility.describes-video\"\n"
    let plain = isOriginal ? ",DEFAULT=YES" : ",URI=\"es.m3u8\""
    let text =
      "#EXTM3U\n\(described)#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"es\",LANGUAGE=\"es\"\(plain)\n"
      + (isOriginal ? "" : "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"en\",LANGUAGE=\"en\",DEFAULT=YES\n")
      + "#EXT-X-STREAM-INF:BANDWIDTH=128000,AUDIO=\"a\"\nlo/ts.m3u8\n"
    let (network, _, _) = try network { path, _ in path == "master.m3u8" ? .text(text) : nil }
    let (programme, listener) = begun(network)
    let rendition = programme.rendition(language: "es", from: 0)
    #expect((rendition == nil) == isOriginal)
    listener.others = [rendition].compactMap { $0 }
    listener.run(3)
    #expect(network.requests.contains { $0.path == "es.m3u8" } != isOriginal)
    #expect(!network.requests.contains { $0.path == "es/ad.m3u8" })
  }

  /// Who asks for one region is given that, then the one that says none, then another.
  @Test(arguments: [("pt-PT", "pt-PT"), ("pt", "pt"), ("pt-BR", "pt-BR"), ("pt-AO", "pt")])
  func theRegionThatIsAskedForIsServed(_ wanted: String, _ served: String) throws {
    let group = "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME="
    let text =
      "#EXTM3U\n\(group)\"en\",LANGUAGE=\"en\",DEFAULT=YES\n"
      + ["pt-BR", "pt-PT", "pt"].map { "\(group)\"\($0)\",LANGUAGE=\"\($0)\",URI=\"es/\($0).m3u8\"\n" }.joined()
      + ["pt-BR", "pt-PT", "pt"].map {
        "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"\($0)\",LANGUAGE=\"\($0)\",URI=\"s/\($0).m3u8\"\n"
      }.joined()
      + "#EXT-X-STREAM-INF:BANDWIDTH=128000,AUDIO=\"a\",SUBTITLES=\"s\"\nlo/ts.m3u8\n"
    let (network, _, _) = try network { path, _ in path == "master.m3u8" ? .text(text) : nil }
    let (programme, listener) = begun(network)
    let rendition = try #require(programme.rendition(language: wanted, from: 0))
    #expect(programme.selectSubtitles(language: wanted, from: 0))
    listener.others = [rendition]
    listener.run(1)
    #expect(rendition.status.soundLanguages == [served])
    #expect(network.requests.filter { $0.path.hasPrefix("es/") }.allSatisfy { $0.path == "es/\(served).m3u8" })
    #expect(network.requests.contains { $0.path == "s/\(served).m3u8" })
  }

  /// Other sounds of a language: the next of them where one cannot be had, its playlist, its segments or their sound; and
  /// the first once more where none can.
  @Test(arguments: ["list", "gone", "junk", "protected"], [true, false])
  func whereARenditionCannotBeHadTheNextIs(_ how: String, _ isThere: Bool) throws {
    let text =
      "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"en\",LANGUAGE=\"en\",DEFAULT=YES\n"
      + "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"1\",LANGUAGE=\"es\",URI=\"bad.m3u8\"\n"
      + "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"2\",LANGUAGE=\"es\",URI=\"es.m3u8\"\n"
      + "#EXT-X-STREAM-INF:BANDWIDTH=128000,AUDIO=\"a\"\nlo/ts.m3u8\n"
    let key = how == "protected" ? "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://x\"\n" : ""
    let bad = sixSegments("bad", key)
    let (network, _, _) = try network { path, _ in
      if path == "master.m3u8" { return .text(text) }
      if path == "bad.m3u8" { return how == "list" ? .status(404) : .text(bad) }
      if path == "es.m3u8", !isThere { return .status(404) }
      return path.hasPrefix("bad") ? how == "junk" ? .text("<html>") : .status(404) : nil
    }
    let (programme, listener) = begun(network)
    let first = try #require(programme.rendition(language: "es", from: 0))
    listener.others = [first]
    listener.run(3)
    guard case .failed(let fault) = first.status.phase else { return #expect(Bool(false), "\(first.status.phase)") }
    #expect(fault.code == ["junk": "damaged", "protected": "encrypted"][how, default: "http-404"], "\(fault)")
    #expect(first.status.hasOther)
    let second = try #require(programme.rendition(language: "es", from: 0))
    #expect(second !== first && second === programme.rendition(language: "es", from: 0))
    listener.others = [second]
    var frames = 0
    listener.run(3) { _ in
      while let block = second.nextSound() { frames += block.frames }
      return false
    }
    #expect((frames > 48_000) == isThere && !second.status.hasOther)
    guard !isThere else { return }
    let asked = network.requests.count { $0.path == "bad.m3u8" }
    let third = try #require(programme.rendition(language: "es", from: 0))
    listener.others = [third]
    listener.run(1)
    #expect(network.requests.count { $0.path == "bad.m3u8" } == asked + 1)
  }

  private func sixSegments(_ name: String, _ key: String) -> String {
    "#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(key)" + (0..<6).map { "#EXTINF:2,\n\(name)\($0).ts\n" }.joined()
      + "#EXT-X-ENDLIST\n"
  }

  /// Where there is no other one, it is waited for, and why nothing comes of it is told.
  @Test(arguments: ["404", "SAMPLE-AES", "unsupported|damaged"])
  func aRenditionThatGivesNothingSaysWhy(_ words: String) throws {
    let key = words == "SAMPLE-AES" ? "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://x\"\n" : ""
    let bad = sixSegments("es", key)
    let (network, _, _) = try network { path, _ in
      if path == "es.m3u8" { return .text(bad) }
      return path.hasPrefix("es") ? words == "404" ? .status(404) : .text("<html>") : nil
    }
    let (programme, listener) = begun(network)
    let rendition = try #require(programme.rendition(language: "es", from: 0))
    listener.others = [rendition]
    listener.run(3)
    let phase = rendition.status.phase
    let text =
      switch phase {
      case .stalled(let text): text
      // What its list says of all of it.
      case .failed(let fault): words == "SAMPLE-AES" ? fault.text : ""
      default: ""
      }
    #expect(words.split(separator: "|").contains { text.contains($0) }, "\(phase)")
  }

  /// Silence would be heard in place of the original.
  @Test func whatIsMissingOfARenditionIsLeftOut() throws {
    for fault in [FakeNetwork.Answer.status(404), .bytes([1, 2, 3])] {
      let (network, _, other) = try network { path, _ in path == "es2.ts" ? fault : nil }
      let (programme, listener) = begun(network)
      let rendition = try #require(programme.rendition(language: "es", from: 0))
      listener.others = [rendition]
      var blocks: [SoundBlock] = []
      listener.run(30) { _ in
        while let block = rendition.nextSound() { blocks.append(block) }
        return false
      }
      let jumps = zip(blocks, blocks.dropFirst()).filter { $0.start + $0.frames != $1.start }
      #expect(jumps.count == 1)
      let (before, after) = try #require(jumps.first)
      #expect(abs(after.start - before.start - before.frames - 96_000) < 2048)
      // Why, and until where, stays known: it is read before it is heard.
      #expect(rendition.status.missed != nil && rendition.status.missedUntil == after.start)
      let last = try #require(blocks.last)
      #expect(2 * (last.start + last.frames) == other.samples.count)
      #expect(difference(last.samples, other.samples.suffix(last.samples.count)) < 1e-6)
    }
  }

  /// What is decoded is far ahead of what is heard, and it is there that another language must begin.
  @Test func anotherLanguageBeginsWhereItIsHeard() throws {
    let (network, _, other) = try network()
    network.bandwidth = 2_000_000
    let programme = StreamProgramme(url: FakeNetwork.host + "master.m3u8", network: network) {}
    let listener = Listener(programme, network)
    listener.run(5) { $0.frames > 9 * 48_000 }
    #expect(listener.frames > 9 * 48_000)
    let heard = 3 * 48_000
    let rendition = try #require(programme.rendition(language: "es", from: heard))
    let asked = network.now
    var blocks: [SoundBlock] = []
    while network.now < asked + .milliseconds(500), !blocks.contains(where: { $0.start + $0.frames > heard + 24_000 }) {
      _ = programme.step(now: network.now)
      _ = rendition.step(now: network.now)
      while let block = rendition.nextSound() { blocks.append(block) }
      network.now = network.now + .milliseconds(10)
    }
    #expect(blocks.last.map { $0.start + $0.frames > heard + 24_000 } == true)
    let first = try #require(blocks.first)
    #expect((heard - 3 * 48_000...heard).contains(first.start))
    let samples = blocks.flatMap(\.samples)
    let begin = 2 * first.start + 4096
    #expect(difference(samples.dropFirst(4096), other.samples[begin..<(begin + samples.count - 4096)]) < 1e-6)
  }

  /// What has been heard before is another epoch: what is dubbed there is dubbed again.
  @Test func whoGoesBackHearsTheOtherLanguageThere() throws {
    // The original is slower than what dubs it.
    let (network, _, _) = try network { path, now in
      guard path.hasSuffix("ts0.ts"), now > Instant.zero + .seconds(5),
        let bytes = try? Streams.source.get().folder.bytes("ts0.ts")
      else { return nil }
      return FakeNetwork.Answer(bytes: bytes, delay: .milliseconds(500))
    }
    let programme = StreamProgramme(url: FakeNetwork.host + "master.m3u8", network: network) {}
    let listener = Listener(programme, network)
    listener.isPaced = true
    listener.run(2)
    let known = try #require(programme.rendition(language: "es", from: 0))
    listener.others = [known]
    var blocks: [SoundBlock] = []
    listener.run(5) { _ in
      while known.nextSound() != nil {}
      return false
    }
    programme.seek(to: 48_000)
    listener.run(5) { _ in
      while let block = known.nextSound() { blocks.append(block) }
      return false
    }
    #expect(blocks.first.map { $0.start <= 48_000 && $0.epoch == 1 } == true)
    #expect(zip(blocks, blocks.dropFirst()).allSatisfy { $0.start + $0.frames == $1.start })
    #expect(listener.cues.contains { $0.epoch == 1 && abs($0.start - 2 * 48_000) < 480 && $0.text == "hola" })
    // The same for a language that is chosen only then.
    known.close()
    blocks = []
    let chosen = try #require(programme.rendition(language: "es", from: 2 * 48_000))
    #expect(chosen !== known)
    listener.others = [chosen]
    listener.run(3) { _ in
      while let block = chosen.nextSound() { blocks.append(block) }
      return false
    }
    #expect(blocks.first?.epoch == 1)
  }

  @Test func renditionsThatFailHarmNobody() throws {
    let (network, source, _) = try network { path, _ in
      path.hasPrefix("es") || path.hasPrefix("subs") ? .status(404) : nil
    }
    let programme = StreamProgramme(url: FakeNetwork.host + "master.m3u8", network: network) {}
    let listener = Listener(programme, network)
    listener.run(1) { $0.frames > 4800 }
    let rendition = try #require(programme.rendition(language: "es", from: 0))
    listener.others = [rendition]
    listener.run(60)
    #expect(difference(listener.samples, source.samples) < 1e-6)
    guard case .failed(let reason) = rendition.status.phase else { return #expect(Bool(false)) }
    #expect(reason.text.contains("es.m3u8"))
  }
}
