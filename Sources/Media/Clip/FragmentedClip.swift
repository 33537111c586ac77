public import Hardware

/// The MP4 writer as it was called for clips.
public struct FragmentedClip {
  public var description: ClipFileDescription {
    didSet { writer.summary.comment = description.comment }
  }
  private var writer: MovieWriter

  public init(file: any StoredFile, description: ClipFileDescription) {
    self.description = description
    writer = MovieWriter(
      file: file, scratch: nil,
      description: FileDescription(
        pictures: description.pictures, sound: description.sound, skippedTicks: description.skippedTicks,
        createdAt: description.createdAt, title: description.title, originator: description.originator))
    writer.summary.comment = description.comment
  }

  public var fileBytes: Int { writer.fileBytes }
  public var bufferedTicks: Int { writer.amount(of: 0).buffered }
  public var bufferedFrames: Int { description.sound == nil ? 0 : writer.amount(of: 1).buffered }
  public var bufferedBytes: Int { writer.bufferedBytes }
  public var storedPictures: Int { writer.amount(of: 0).samples }
  public var storedKeyframes: Int { writer.amount(of: 0).keyframes }
  public var storedTicks: Int { writer.amount(of: 0).end }
  public var storedFrames: Int { description.sound == nil ? 0 : writer.amount(of: 1).end }
  public mutating func begin() throws(StorageError) { try writer.begin() }
  public mutating func appendPicture(_ bytes: UnsafeRawBufferPointer, time: Int, isKeyframe: Bool) {
    writer.append(bytes, to: 0, at: time, isKeyframe: isKeyframe)
  }
  public mutating func appendSound(_ bytes: UnsafeRawBufferPointer) { writer.append(bytes, to: 1) }
  public mutating func flush() throws(StorageError) { try writer.flush() }
  public mutating func finish(endTime: Int, frames: Int) throws(StorageError) {
    try writer.finish(at: [endTime, frames])
  }
  public mutating func dropBuffered() { writer.dropBuffered() }
}
