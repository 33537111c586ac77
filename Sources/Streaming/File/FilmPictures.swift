internal import Media

/// The pictures of a local film: read as there is room for them and as the film is played, and none is lost that is not
/// larger than all that may wait. One lane; reading blocks on the medium.
struct FilmPictures {
  private let file: PictureFile
  private var queue: PictureQueue
  /// Read, and to wait until there is room for it or it is its time.
  private var waiting: PictureFile.Picture?
  /// There is none left in the file, from where it was read.
  private(set) var isOver = false
  /// Where the latest picture ends that has been read.
  private(set) var end = 0

  private static let work = 64
  /// A picture is not shown for longer where nothing is heard: so much is a slide's, more is nonsense.
  private static let longest = 600 * 48_000

  init(path: String, mostBytes: Int) throws(MediaError) {
    file = try PictureFile(path: path)
    queue = PictureQueue(mostBytes: mostBytes)
  }

  /// Where they end as the file says it; 0 where it does not.
  var claimedEnd: Int { file.claimedEnd }
  var isEmpty: Bool { queue.isEmpty }

  /// - Parameter limit: the first frame whose picture is not wanted yet.
  mutating func read(until limit: Int, epoch: Int) {
    for _ in 0..<Self.work where !isOver {
      guard let picture = waiting ?? file.next() else {
        isOver = true
        return
      }
      waiting = picture
      end = max(end, picture.start + min(picture.length, Self.longest))
      let next = ProgrammePicture(
        epoch: epoch, start: picture.start, bytes: picture.bytes, isKeyframe: picture.isKeyframe)
      guard picture.start < limit, queue.isEmpty || queue.hasRoom(next) else { return }
      waiting = nil
      queue.append(next)
    }
  }

  mutating func next() -> ProgrammePicture? { queue.next() }

  mutating func seek(to frame: Int) {
    file.seek(toFrame: frame)
    queue.removeAll()
    (waiting, isOver, end) = (nil, false, frame)
  }
}
