/// Compressed pictures that wait to be taken, in decoding order and within bounds. Where there is no room for all of them,
/// keyframes stay the longest: they need no other. One thread.
public struct PictureQueue: Sendable {
  private var pictures: [ProgrammePicture] = []
  public private(set) var bytes = 0
  /// After a loss, nothing can be decoded before a keyframe.
  private var needsKeyframe = true
  /// Lost since the last one that found room.
  private var lost = 0
  private let mostBytes: Int
  private static let mostPictures = 1024

  public init(mostBytes: Int) { self.mostBytes = mostBytes }

  public var isEmpty: Bool { pictures.isEmpty }
  public var first: ProgrammePicture? { pictures.first }

  public func contains(where isWanted: (ProgrammePicture) -> Bool) -> Bool { pictures.contains(where: isWanted) }

  /// What finds no room is counted by the next picture that does (`ProgrammePicture.lostBefore`).
  public mutating func append(_ picture: ProgrammePicture) {
    guard picture.isKeyframe || !needsKeyframe else {
      if lost > 0 { lost += 1 }
      return
    }
    if !hasRoom(picture) { makeRoom(picture) }
    guard picture.isKeyframe || !needsKeyframe, hasRoom(picture) else {
      needsKeyframe = true
      lost += 1 + picture.lostBefore
      return
    }
    var picture = picture
    picture.lostBefore += lost
    (lost, needsKeyframe) = (0, false)
    bytes += picture.bytes.count
    pictures.append(picture)
  }

  public mutating func next() -> ProgrammePicture? {
    guard !pictures.isEmpty else { return nil }
    let picture = pictures.removeFirst()
    bytes -= picture.bytes.count
    return picture
  }

  /// Passes by what lies before the last picture of a kind; nothing, if there is none.
  public mutating func pass(toLast isWanted: (ProgrammePicture) -> Bool) -> [ProgrammePicture] {
    guard let index = pictures.lastIndex(where: isWanted) else { return [] }
    return (0..<index).compactMap { _ in next() }
  }

  public mutating func removeAll() {
    pictures = []
    (bytes, lost, needsKeyframe) = (0, 0, true)
  }

  func hasRoom(_ picture: ProgrammePicture) -> Bool {
    bytes + picture.bytes.count <= mostBytes && pictures.count < Self.mostPictures
  }

  /// Nobody takes them, or not as fast as they come: only keyframes stay, and if that is not enough, the newest.
  private mutating func makeRoom(_ picture: ProgrammePicture) {
    guard picture.bytes.count <= mostBytes else { return }
    let (all, newest) = (pictures, lost)
    (pictures, bytes, lost, needsKeyframe) = ([], 0, 0, true)
    for var other in all {
      if other.isKeyframe {
        (other.lostBefore, lost) = (other.lostBefore + lost, 0)
        pictures.append(other)
        bytes += other.bytes.count
      } else {
        lost += 1
      }
    }
    lost += newest
    while picture.isKeyframe, !hasRoom(picture), let oldest = next() {
      let gone = 1 + oldest.lostBefore
      if pictures.isEmpty { lost += gone } else { pictures[0].lostBefore += gone }
    }
  }
}
