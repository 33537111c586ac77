import Appliance
import Console

/// The table of settings as a section of the manual page.
enum SettingsManual {
  static var section: String {
    let entries = Settings.table.flatMap { row in
      [
        ".TP", ".B " + Roff.text(row.key),
        Roff.text(
          "\(row.meaning()). Takes \(row.kind.allowed); default: \(row.defaultValue); counts from: "
            + "\(row.timing.rawValue)."),
      ]
    }
    let head = [
      ".SH SETTINGS",
      Roff.text("Set in the options of the panel, or on the console: settings KEY VALUE. They hold until changed."),
    ]
    return (head + entries).joined(separator: "\n") + "\n"
  }
}
