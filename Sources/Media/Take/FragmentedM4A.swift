public import Hardware

/// The MP4 writer as it was called for takes.
public struct FragmentedM4A: TakeContainer {
  private var writer: MovieWriter

  public init(file: any StoredFile, scratch: any StoredFile, description: TakeFileDescription) {
    writer = MovieWriter(file: file, scratch: scratch, description: description.file)
  }

  public var summary: TakeSummary {
    get { writer.summary }
    set { writer.summary = newValue }
  }
  public mutating func begin() throws(StorageError) { try writer.begin() }
  public mutating func append(_ packet: UnsafeRawBufferPointer, frames: Int) { writer.append(packet, to: 0) }
  public mutating func flush() throws(StorageError) { try writer.flush() }
  public mutating func finish(totalFrames: Int) throws(StorageError) { try writer.finish(at: [totalFrames]) }
  public mutating func dropBuffered() { writer.dropBuffered() }
  public var bufferedFrames: Int { writer.amount(of: 0).buffered }
  public var fileBytes: Int { writer.fileBytes }
  public var finishBytes: Int { writer.finishBytes }
}
