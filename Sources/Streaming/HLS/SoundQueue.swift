/// Decoded sound that waits to be taken, as one stretch of the timeline after the other. One thread.
struct SoundQueue {
  private var blocks: [SoundBlock] = []
  private var head = 0
  /// Frames in it.
  private(set) var frames = 0
  /// Where the last block ended, whether it has been taken or not.
  private(set) var end = 0
  /// Where the last block that was taken ended.
  private(set) var taken = 0

  var isEmpty: Bool { head == blocks.count }

  mutating func append(_ block: SoundBlock) {
    guard block.frames > 0 else { return }
    blocks.append(block)
    frames += block.frames
    end = block.start + block.frames
  }

  mutating func next() -> SoundBlock? {
    guard head < blocks.count else { return nil }
    let block = blocks[head]
    // The samples are the caller's now.
    blocks[head].samples = []
    head += 1
    if head == blocks.count || head >= 64 {
      blocks.removeFirst(head)
      head = 0
    }
    frames -= block.frames
    taken = block.start + block.frames
    return block
  }

  /// Throws away what waits; sound goes on at `frame`.
  mutating func restart(at frame: Int) {
    blocks = []
    head = 0
    frames = 0
    end = frame
    taken = frame
  }
}
