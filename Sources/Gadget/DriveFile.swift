/// A file as a PC is to see it on the made-up drive.
public struct DriveFile: Sendable {
  /// A date of a file, in the zone that the device shows. FAT keeps no zone and no odd seconds, exFAT does.
  public struct Date: Sendable {
    /// 1980 to 2107; others are shown as the nearest.
    public var year: Int
    public var month: Int
    public var day: Int
    public var hour: Int
    public var minute: Int
    public var second: Int
    /// Hundredths of a second.
    public var hundredths = 0
    /// The zone: minutes that it is ahead of UTC; nil: nobody knows.
    public var minutesAhead: Int?

    public init(
      year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, hundredths: Int = 0,
      minutesAhead: Int? = nil
    ) {
      (self.year, self.month, self.day) = (year, month, day)
      (self.hour, self.minute, self.second) = (hour, minute, second)
      (self.hundredths, self.minutesAhead) = (hundredths, minutesAhead)
    }

    /// The day on which the drive and empty folders, which have no date, were made.
    static let dawn = Date(year: 1980, month: 1, day: 1, hour: 0, minute: 0, second: 0)

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
    /// Of the two seconds that `time` knows.
    var hundredths8: UInt8 { UInt8((second & 1) * 100 + min(max(hundredths, 0), 99)) }
    /// The zone in quarters of an hour, with the highest bit set; 0: nobody knows.
    var zone8: UInt8 {
      guard let minutesAhead, minutesAhead % 15 == 0, (-64...63).contains(minutesAhead / 15) else { return 0 }
      return 0x80 | UInt8(minutesAhead / 15 & 0x7F)
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
public struct DriveFolder: Sendable {
  public var name: String
  public var files: [DriveFile]

  public init(name: String, files: [DriveFile]) {
    self.name = name
    self.files = files
  }

  /// Of its newest file.
  var date: DriveFile.Date {
    files.lazy.map(\.date).max { ($0.day16, $0.time) < ($1.day16, $1.time) } ?? .dawn
  }
}

/// Of what some bytes of the drive are.
public enum DrivePiece: Equatable, Sendable {
  case bytes([UInt8])
  case zeros(Int)
  /// `count` bytes of a file from `offset`: `file` counts through the files of all folders, in their order.
  case file(Int, offset: Int, count: Int)
}
