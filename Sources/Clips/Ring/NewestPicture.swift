internal import Hardware
public import Media

/// Decodes the newest whole picture in the ring. Where pictures refresh bit by bit it begins at the last recovery point
/// whose refresh is complete, and decodes up to there.
///
/// One thread at a time; a step decodes one picture, some milliseconds of it on a small board.
public final class NewestPicture {
  public enum Step {
    /// Nothing new is to be had.
    case nothing
    /// Call again.
    case more
    case picture(Picture)
  }

  private struct Run {
    var next: Int
    let last: Int
    let epoch: Int32
    let codec: VideoCodec
    let decoder: VideoDecoder
    /// The last one that came out.
    var picture: Picture?
  }

  private let buffer: PictureBuffer
  private let room: Int
  private var run: Run?
  /// With which the last attempt began.
  private var begun: Int?

  /// - Parameter room: bytes of decoded pictures at a time.
  public init(_ buffer: PictureBuffer, room: Int) { (self.buffer, self.room) = (buffer, room) }

  /// Begins anew, with whatever is there then.
  public func forget() { (run, begun) = (nil, nil) }

  public func step() -> Step {
    guard var run = run ?? begin() else { return .nothing }
    self.run = nil
    guard let bytes = buffer.picture(run.next, epoch: run.epoch) else { return .nothing }
    decode(bytes, in: &run)
    guard run.next == run.last else {
      run.next += 1
      self.run = run
      return .more
    }
    do throws(MediaError) { try run.decoder.finish { run.picture = $0 } } catch { return .nothing }
    return run.picture.map { .picture($0) } ?? .nothing
  }

  private func begin() -> Run? {
    guard let (pictures, codec, epoch) = buffer.newestWhole(except: begun),
      let decoder = try? VideoDecoder(codec, room: room)
    else {
      return nil
    }
    begun = pictures.lowerBound
    return Run(next: pictures.lowerBound, last: pictures.upperBound, epoch: epoch, codec: codec, decoder: decoder)
  }

  /// What is damaged is passed over: a later picture may be whole.
  private func decode(_ bytes: [UInt8], in run: inout Run) {
    var found: Picture?
    bytes.withUnsafeBytes { bytes in
      do throws(MediaError) { try run.decoder.decode(bytes) { found = $0 } } catch { found = nil }
    }
    run.picture = found ?? run.picture
  }
}
