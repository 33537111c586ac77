/// The library's names for what it asks of clips.
public typealias ClipRepair = MediaRepair
public typealias ClipInspection = MediaInspection
