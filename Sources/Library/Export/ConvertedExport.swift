internal import Hardware
internal import Media

/// Sound on its way to a stick in another format, a piece at a time. Storage lane only.
///
/// It is encoded into a file of another name, made durable, read back and compared with what it was made of, and only then
/// gets its name: whenever the stick is pulled out, what bears its name is whole. If a file of the same content is there
/// already, it is left as it is: one of that name is compared first, for which the stick needs no room.
final class ConvertedExport: ExportStage {
  private enum Stage {
    case beginning
    /// Compares what would be written with what has the name.
    case likening(SoundConversion, LikenedFile, any StoredFile)
    case encoding(SoundConversion)
    case checking(SoundConversion, ConversionCheck)
    /// Looks for a name.
    case naming
    case comparing(any StoredFile, any StoredFile)
  }

  /// Frames by which decoders may differ about an end: a packet of the longest kind.
  private static let tolerance = 4096.0

  let size: Int
  private let conversion: ExportFile.Conversion
  private let disk: Disk
  private let folder: StickFolder
  private let pieces: ExportPieces
  /// The sources as they were at the beginning.
  private let before: [StorageEntry]
  private let paths: [String]
  private var stage = Stage.beginning
  private var target: (any StoredFile)?
  private var part: String?
  private var place: NameOnStick
  /// What has the name has been looked at.
  private var hasLooked = false
  /// Bytes that have been compared.
  private var compared = 0

  /// - Returns: nil if a source is not there.
  init?(
    _ name: String, _ conversion: ExportFile.Conversion, disk: Disk, folder: StickFolder, pieces: ExportPieces
  ) throws(LibraryError) {
    var before: [StorageEntry] = []
    for path in conversion.parts {
      guard let entry = try disk.entry(path) else { return nil }
      before.append(entry)
    }
    (self.conversion, self.disk, self.folder, self.pieces) = (conversion, disk, folder, pieces)
    place = NameOnStick(name, in: folder)
    self.before = before
    paths = conversion.parts.map(disk.absolutePath)
    size = before.reduce(0) { $0 &+ $1.size }
  }

  deinit { close() }

  private var name: String { place.name }
  var nameOnStick: String { place.tried }

  /// Reading back takes a quarter of the time.
  var done: Int {
    switch stage {
    case .beginning: 0
    case .likening(let sound, _, _), .encoding(let sound): share(sound.frames, of: sound) * 3 / 4
    case .checking(let sound, let check): size * 3 / 4 + share(check.position, of: sound) / 4
    case .naming, .comparing: size
    }
  }

  private func share(_ frames: Int, of sound: SoundConversion) -> Int {
    let seconds = Double(frames) / Double(max(1, sound.target.sampleRate))
    let whole = sound.seconds(of: conversion.frames)
    return whole > 0 ? Int(Double(size) * min(1, seconds / whole)) : 0
  }

  func step() throws(LibraryError) -> FileExport.Outcome? {
    switch stage {
    case .beginning: try begin()
    case .likening(let sound, let file, let other):
      if try liken(sound) { return nil }
      guard file.isSame else {
        other.close()
        stage = .beginning
        return nil
      }
      try checkSources()
      return .there
    case .encoding(let sound): try encode(sound)
    case .checking(_, let check):
      let isGood: Bool?
      do { isGood = try check.step() } catch { throw .stick(.unfaithful(file: name)) }
      guard let isGood else { return nil }
      guard isGood else { throw .stick(.unfaithful(file: name)) }
      try checkSources()
      stage = .naming
    case .naming: return try findName()
    case .comparing(let new, let other): return try compare(new, other)
    }
    return nil
  }

  func giveUp() {
    close()
    if let part { try? folder.remove(part) }
    part = nil
  }

  private func begin() throws(LibraryError) {
    if !hasLooked {
      hasLooked = true
      if let there = try folder.entry(place.tried), there.isRegular { return try likenToWhatIsThere() }
    }
    let (part, target) = try folder.create(name, bytes: try expectedBytes())
    (self.part, self.target) = (part, target)
    stage = .encoding(try conversion(into: target))
  }

  private func conversion(into file: any StoredFile) throws(LibraryError) -> SoundConversion {
    do throws(MediaError) {
      return try SoundConversion(
        paths, into: file, as: conversion.format, conversion.notes, frames: conversion.frames)
    } catch {
      throw unreadable(error)
    }
  }

  private func likenToWhatIsThere() throws(LibraryError) {
    let other = try folder.open(place.tried)
    let file = LikenedFile(other)
    do throws(LibraryError) { stage = .likening(try conversion(into: file), file, other) } catch {
      other.close()
      throw error
    }
  }

  /// - Returns: whether there is more to compare.
  private func liken(_ sound: SoundConversion) throws(LibraryError) -> Bool {
    do throws(ConversionError) { return try sound.step() } catch {
      switch error {
      case .media(let error): throw unreadable(error)
      // It is another file; or it cannot be read, and what is to be written will say why.
      case .storage(let error):
        guard StickError(error, file: name, bytes: 0) != nil else { throw .storage(error) }
        return false
      }
    }
  }

  private func expectedBytes() throws(LibraryError) -> Int {
    do throws(MediaError) {
      return try SoundConversion.expectedBytes(of: paths, frames: conversion.frames, as: conversion.format)
    } catch {
      throw unreadable(error)
    }
  }

  private func encode(_ sound: SoundConversion) throws(LibraryError) {
    do throws(ConversionError) {
      if try sound.step() { return }
    } catch {
      switch error {
      case .media(let error): throw unreadable(error)
      case .storage(let error):
        guard let meaning = StickError(error, file: name, bytes: target?.size ?? 0) else { throw .storage(error) }
        throw .stick(meaning)
      }
    }
    // What plays as less than is known of it is not the take.
    let (decoded, whole) = (Double(sound.frames), sound.seconds(of: conversion.frames))
    let rate = Double(max(1, sound.target.sampleRate))
    guard decoded + Self.tolerance >= whole * rate else {
      throw .unreadable(path: name, reason: "only \(decoded / rate) of its \(whole) s can be decoded")
    }
    guard let part, let target else { return }
    target.forgetCached()
    do throws(MediaError) {
      stage = .checking(
        sound,
        try ConversionCheck(
          paths, is: folder.absolutePath(part), target, name: name, as: conversion.format, of: sound))
    } catch {
      throw .stick(.unfaithful(file: name))
    }
  }

  /// Somebody may have changed what was being read.
  private func checkSources() throws(LibraryError) {
    for (path, before) in zip(conversion.parts, before) {
      guard let now = try disk.entry(path), now == before else {
        throw .cancelled("\(path) has been changed while it was converted to the stick; export it again")
      }
    }
  }

  private func findName() throws(LibraryError) -> FileExport.Outcome? {
    guard let part, let target else { return .copied }
    switch try place.look(for: target.size) {
    case nil: return nil
    case .alike(let other):
      stage = .comparing(target, other)
      compared = 0
      return nil
    case .free:
      target.close()
      self.target = nil
      return try finish(part)
    }
  }

  private func finish(_ part: String) throws(LibraryError) -> FileExport.Outcome? {
    guard try folder.finish(part, as: place.tried) else {
      // Somebody else was quicker.
      target = try folder.open(part)
      place.next()
      return nil
    }
    self.part = nil
    return .copied
  }

  private func compare(_ new: any StoredFile, _ other: any StoredFile) throws(LibraryError) -> FileExport.Outcome? {
    let room = (pieces.first, pieces.second)
    let counts = try folder.perform(name) { () throws(StorageError) in
      (try new.read(into: room.0, at: compared), try other.read(into: room.1, at: compared))
    }
    let isSame =
      counts.0 == counts.1
      && ExportPieces.areEqual(
        UnsafeMutableRawBufferPointer(rebasing: room.0[..<counts.0]),
        UnsafeMutableRawBufferPointer(rebasing: room.1[..<counts.1]))
    guard isSame, counts.0 > 0 else {
      other.close()
      stage = .naming
      guard isSame else {
        place.next()
        return nil
      }
      giveUp()
      return .there
    }
    compared += counts.0
    return nil
  }

  private func unreadable(_ error: MediaError) -> LibraryError { .unreadable(path: name, reason: "\(error)") }

  private func close() {
    target?.close()
    target = nil
    switch stage {
    case .comparing(_, let other), .likening(_, _, let other): other.close()
    case .beginning, .encoding, .checking, .naming: break
    }
  }
}
