public typealias TakeRepair = MediaRepair
public typealias TakeInspection = MediaInspection
public typealias ClipRepair = MediaRepair
public typealias ClipInspection = MediaInspection
