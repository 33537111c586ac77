import TestSupport
import Testing

@testable import Streaming

@Suite struct PictureQueueTests {
  private func picture(_ number: Int, _ bytes: Int = 10, isKeyframe: Bool = false) -> ProgrammePicture {
    ProgrammePicture(
      epoch: 0, start: number, bytes: [UInt8](repeating: 1, count: bytes), isKeyframe: isKeyframe)
  }

  private func all(_ queue: inout PictureQueue) -> [ProgrammePicture] {
    var found: [ProgrammePicture] = []
    while let picture = queue.next() { found.append(picture) }
    return found
  }

  @Test func `one that is larger than all that may wait is left out, and counted by the next`() {
    var queue = PictureQueue(mostBytes: 100)
    queue.append(picture(0, isKeyframe: true))
    queue.append(picture(1, 101, isKeyframe: true))
    queue.append(picture(2))
    queue.append(picture(3, isKeyframe: true))
    let found = all(&queue)
    #expect(found.map(\.start) == [0, 3])
    #expect(found.map(\.lostBefore) == [0, 2])
  }

  @Test(arguments: [(50, [0, 3, 6], [0, 2, 2]), (25, [3, 6], [3, 2])])
  func `where there is no room for all, keyframes stay, then the newest of them`(
    most: Int, starts: [Int], lost: [Int]
  ) {
    var queue = PictureQueue(mostBytes: most)
    for number in 0..<7 { queue.append(picture(number, isKeyframe: number % 3 == 0)) }
    let found = all(&queue)
    #expect(found.map(\.start) == starts)
    #expect(found.map(\.lostBefore) == lost)
  }

  @Test func `what went in comes out, or is counted`() {
    for seed in 0..<200 {
      var random = SeededGenerator(seed: UInt64(seed))
      var queue = PictureQueue(mostBytes: Int.random(in: 1...200, using: &random))
      var (came, out, last) = (0, 0, -1)
      func look(_ picture: ProgrammePicture) {
        out += 1 + picture.lostBefore
        #expect(picture.start > last && (picture.isKeyframe || picture.start == last + 1))
        #expect(picture.start - last == 1 + picture.lostBefore)
        last = picture.start
      }
      for number in 0..<200 {
        queue.append(
          picture(number, Int.random(in: 0...60, using: &random), isKeyframe: number % 7 == 0))
        came += 1
        if Int.random(in: 0..<3, using: &random) == 0 { queue.next().map(look) }
      }
      queue.append(picture(200, 0, isKeyframe: true))
      came += 1
      while let next = queue.next() { look(next) }
      #expect(out == came)
    }
  }
}
