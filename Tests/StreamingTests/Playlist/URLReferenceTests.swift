import Testing

@testable import Streaming

@Suite struct URLReferenceTests {
  /// RFC 3986 sections 5.4.1 and 5.4.2, without fragments, which are not sent.
  @Test func theExamplesOfTheRFCAreResolvedAsItSays() {
    let base = "http://a/b/c/d;p?q"
    let examples = [
      ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
      ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
      ("#s", "http://a/b/c/d;p?q"), ("g#s", "http://a/b/c/g"), (";x", "http://a/b/c/;x"),
      ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
      ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../g", "http://a/g"),
      ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
      (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
      ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g?y/../x", "http://a/b/c/g?y/../x"),
    ]
    for (reference, expected) in examples {
      #expect(URLReference.resolve(reference, against: base) == expected, "\(reference)")
    }
  }

  @Test func aPlaylistAtTheRootOfAHostIsResolvedAgainst() {
    #expect(URLReference.resolve("seg.ts", against: "http://host") == "http://host/seg.ts")
    #expect(URLReference.resolve("//cdn:8080/x", against: "https://host/a") == "https://cdn:8080/x")
    #expect(URLReference.resolve("a:b", against: "http://h/") == "a:b")
    #expect(URLReference.resolve("./a:b", against: "http://h/") == "http://h/a:b")
  }

  @Test func parametersAreTakenWithoutTheirEscapes() {
    let address = "http://h/l.m3u8?token=a%2Fb%3D%26c&plain=x+y&broken=50%&bytes=%FF&none"
    for (name, value) in [
      ("token", "a/b=&c"), ("plain", "x+y"), ("broken", "50%"), ("bytes", "%FF"), ("none", ""), ("other", nil),
    ] as [(String, String?)] {
      #expect(URLReference.queryValue(name, of: address) == value, "\(name)")
    }
  }

  @Test func peopleDoNotSeePasswordsAndTokens() {
    #expect(HLSTrack.name("https://me:secret@h/a/b.ts?token=1") == "https://h/a/b.ts")
    #expect(HLSTrack.name("https://h/a@b.ts") == "https://h/a@b.ts")
  }
}
