/// The file in which all is gathered that helps to find out what is wrong with a device.
public enum SupportFile {
  /// As `files.read` and a receiver know it.
  public static let name = "mynah-support.tar"
  /// Beside what can be made anew at any time.
  public static let folder = "cache"
  public static let path = "\(folder)/\(name)"
}
