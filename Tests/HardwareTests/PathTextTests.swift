import Hardware
import Testing

/// Paths of strangers' files, whose names may begin with what Swift takes for a part of the slash before it.
@Suite struct PathTextTests {
  @Test(arguments: ["x.mp3", "\u{301}x.mp3", "\u{200D}.wav", "\u{FE0F}x", "\u{20E3}", ""])
  func `A path is parted at the kernel's slashes`(name: String) {
    for folder in ["recordings", "/a/b", ""] {
      let parts = "\(folder)/\(name)".pathParts
      #expect(parts.folder == folder && parts.name == name)
    }
    #expect(name.pathParts.folder == nil && name.pathParts.name == name)
    #expect("recordings/\(name)".behind("recordings/") == name)
    #expect("recordings/\(name)".behind("clips/") == nil)
  }
}
