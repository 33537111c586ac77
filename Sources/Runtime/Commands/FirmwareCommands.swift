public import Console

extension CommandTable {
  /// The commands that this firmware performs; asking for others of the table says when.
  public static let ofThisFirmware = CommandTable()
}
