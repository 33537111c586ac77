// Converts raw 32-bit float samples from one rate to another as sessions do.
//
//   convert FROM TO CHANNELS <INPUT >OUTPUT
//
// Built by convert.py from the Rate*.swift of Sources/Hardware/Sound, with the options of the release build.

import Glibc

@main struct Convert {
  static func main() {
    let words = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    guard words.count == 3,
      let filter = RateFilter(from: words[0], to: words[1], channels: words[2], frames: 4096)
    else {
      fputs("usage: convert FROM TO CHANNELS\n", stderr)
      exit(64)
    }
    run(filter, from: words[0], to: words[1], channels: words[2])
  }

  static func run(_ given: consuming RateFilter, from: Int, to: Int, channels: Int) {
    var filter = given
    // A period of 20 ms.
    let frames = from / 50
    let most = to / 50 + 64
    let input = UnsafeMutablePointer<Float>.allocate(capacity: frames * channels)
    let output = UnsafeMutablePointer<Float>.allocate(capacity: most * channels)
    while true {
      let count = fread(input, 4 * channels, frames, stdin)
      guard count > 0 else { return }
      filter.write(input, frames: count)
      while true {
        let made = filter.read(into: output, frames: most)
        guard made > 0 else { break }
        fwrite(output, 4 * channels, made, stdout)
      }
    }
  }
}
