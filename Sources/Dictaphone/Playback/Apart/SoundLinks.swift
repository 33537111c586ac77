public import Media

/// Starts a process for a file; nil: there can be none, and the file is decoded here.
public typealias SoundLinks = (_ file: PlayerFile) throws(MediaError) -> (any SoundLink)?
