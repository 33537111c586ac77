internal import Hardware

/// A format that a camera lists, with the sizes that it has.
struct CameraMode: Hashable, Sendable {
  /// One size, or a range with steps.
  struct Sizes: Hashable, Sendable {
    var width: ClosedRange<Int>
    var height: ClosedRange<Int>
    var widthStep: Int
    var heightStep: Int

    /// The size nearest to a wish, even in both directions.
    func nearest(_ width: Int, _ height: Int) -> (width: Int, height: Int) {
      (Self.nearest(width, self.width, widthStep), Self.nearest(height, self.height, heightStep))
    }

    private static func nearest(_ wish: Int, _ range: ClosedRange<Int>, _ step: Int) -> Int {
      let kept = min(range.upperBound, max(range.lowerBound, wish))
      let value = range.lowerBound + (kept - range.lowerBound + max(1, step) / 2) / max(1, step) * max(1, step)
      return min(value, range.upperBound) & ~1
    }
  }

  var codec: VideoCodec
  /// The device's own four characters.
  var code: UInt32
  var sizes: [Sizes]
}

/// A format and size to be tried.
struct CameraCandidate: Hashable, Sendable {
  var mode: CameraMode
  var width: Int
  var height: Int

  /// Orders what a camera has by what is wanted: pure.
  ///
  /// Those that have the size asked for at the rate asked for come first, then those that have the rate at another size,
  /// then the rest; among each the order of the request's codings counts. So a camera that has raw pictures of that size
  /// only at 10 a second is asked for JPEG ones.
  ///
  /// - Parameter rate: pictures a second that a mode has at a size at most; 0 if not known, which counts as enough.
  static func ordered(
    _ modes: [CameraMode], for request: CameraRequest, rate: (CameraMode, _ width: Int, _ height: Int) -> Double
  ) -> [CameraCandidate] {
    var ranked: [(rank: Int, candidate: CameraCandidate)] = []
    for codec in request.codecs {
      for mode in modes where mode.codec == codec {
        let sizes = mode.sizes.map { $0.nearest(request.width, request.height) }
          .filter { $0.width >= 16 && $0.height >= 16 }
        func distance(_ size: (width: Int, height: Int)) -> Int {
          abs(size.width - request.width) + abs(size.height - request.height)
        }
        // A camera that lists no sizes gets the wish itself: it answers with what it has.
        let size = sizes.min { distance($0) < distance($1) } ?? (request.width, request.height)
        let most = rate(mode, size.0, size.1)
        // 29.97 is 30.
        let isFast = most == 0 || most >= Double(request.framesPerSecond) * 0.99
        let isExact = size == (request.width, request.height)
        ranked.append((isFast ? (isExact ? 0 : 1) : 2, CameraCandidate(mode: mode, width: size.0, height: size.1)))
      }
    }
    return (0...2).flatMap { rank in ranked.filter { $0.rank == rank }.map(\.candidate) }
  }
}
