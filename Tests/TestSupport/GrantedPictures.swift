/// Bytes that boards grant to decoded pictures of what is dubbed, at least: `DubMemoryTests` hold their files to it.
public enum GrantedPictures: Int, Sendable {
  case zero2W = 7_340_032
  case pi4 = 36_700_160
}
