/// Pictures that wait to be taken, in decoding order and within bounds. One thread.
struct PictureQueue {
  private var pictures: [ProgrammePicture] = []
  private(set) var bytes = 0
  /// After a loss, nothing can be decoded before a keyframe.
  private var needsKeyframe = true
  private let mostBytes: Int
  private static let mostPictures = 1024

  init(mostBytes: Int = 4 << 20) { self.mostBytes = mostBytes }

  mutating func append(_ picture: ProgrammePicture) {
    if needsKeyframe, !picture.isKeyframe { return }
    needsKeyframe = false
    guard bytes + picture.bytes.count <= mostBytes, pictures.count < Self.mostPictures else {
      // Nobody takes them: what is newest is worth most.
      removeAll()
      // One that is larger than all that may wait is none that is shown.
      if picture.isKeyframe, picture.bytes.count <= mostBytes { append(picture) }
      return
    }
    bytes += picture.bytes.count
    pictures.append(picture)
  }

  mutating func next() -> ProgrammePicture? {
    guard !pictures.isEmpty else { return nil }
    let picture = pictures.removeFirst()
    bytes -= picture.bytes.count
    return picture
  }

  mutating func removeAll() {
    pictures = []
    bytes = 0
    needsKeyframe = true
  }
}
