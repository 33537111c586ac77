/// A file as a PC is to see it on the made-up drive.
public struct DriveFile: Hashable, Sendable {
  /// A date of a file, in the zone that the device shows. FAT keeps no zone.
  public struct Date: Hashable, Sendable {
    /// 1980 to 2107; others are shown as the nearest.
    public var year: Int
    public var month: Int
    public var day: Int
    public var hour: Int
    public var minute: Int
    public var second: Int

    public init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
      (self.year, self.month, self.day) = (year, month, day)
      (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// Seconds in steps of two.
    var time: UInt16 {
      let hours: Int = (hour & 31) << 11
      let minutes: Int = (minute & 63) << 5
      return UInt16(hours | minutes | (second & 63) / 2)
    }
    var day16: UInt16 {
      let years: Int = min(max(year, 1980), 2107) - 1980
      let months: Int = (month & 15) << 5
      return UInt16(years << 9 | months | day & 31)
    }
  }

  /// The name with its suffix: of at most 255 UTF-16 units, without what FAT forbids. No two of a folder differ by case alone.
  public var name: String
  /// Bytes; what does not grow any more.
  public var bytes: Int
  public var date: Date

  public init(name: String, bytes: Int, date: Date) {
    self.name = name
    self.bytes = bytes
    self.date = date
  }
}

/// A folder in the drive's top folder.
public struct DriveFolder: Hashable, Sendable {
  public var name: String
  public var files: [DriveFile]

  public init(name: String, files: [DriveFile]) {
    self.name = name
    self.files = files
  }
}

/// Of what some bytes of the drive are.
public enum DrivePiece: Hashable, Sendable {
  case bytes([UInt8])
  case zeros(Int)
  /// `count` bytes of a file from `offset`: `file` counts through the files of all folders, in their order.
  case file(Int, offset: Int, count: Int)
}
