/// Text for manual pages, in roff with the macros of man(7).
public enum Roff {
  /// Text that roff prints as it is (groff_char(7): a plain `-` would be a hyphen, a dot at the beginning a request).
  public static func text(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "\"": result += "\\(dq"
      default: result.append(character)
      }
    }
    return result.first == "." || result.first == "'" ? "\\&" + result : result
  }
}
