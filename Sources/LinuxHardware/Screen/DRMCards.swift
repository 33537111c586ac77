internal import Glibc
internal import Hardware

/// Which cards have a screen plugged in, by their connectors in sysfs: no card is opened for it, and no
/// screen asked.
enum DRMCards {
  /// A connector, as the kernel shows it: `/sys/class/drm/card1-HDMI-A-1`.
  struct Connector: Hashable {
    var card: String
    var name: String
    /// `connected`, `disconnected` or `unknown`.
    var status: String
  }

  /// Paths of the cards with a screen, `/dev/dri/card1`, in the order of their numbers.
  ///
  /// - Parameter card: the one that counts; empty: all of them.
  static func attached(_ card: String, in folder: String = "/sys/class/drm") -> [String] {
    var cards: [String] = []
    for connector in connectors(in: folder) where connector.status == "connected" {
      let path = "/dev/dri/\(connector.card)"
      if card.isEmpty || card == path, !cards.contains(path) { cards.append(path) }
    }
    return cards
  }

  static func connectors(in folder: String = "/sys/class/drm") -> [Connector] {
    let found = ProcText.entries(folder).compactMap { name -> Connector? in
      guard name.hasPrefix("card"), let dash = name.firstIndex(of: "-"),
        name[..<dash].dropFirst(4).allSatisfy(\.isNumber),
        let status = ProcText.line("\(folder)/\(name)/status")
      else { return nil }
      return Connector(card: String(name[..<dash]), name: String(name[name.index(after: dash)...]), status: status)
    }
    return found.sorted { ($0.card.count, $0.card, $0.name) < ($1.card.count, $1.card, $1.name) }
  }
}

/// From error codes of mode setting to errors that say what to do.
enum DRMErrors {
  static func error(_ device: String, _ operation: String, code: Int32, wasShowing: Bool = false) -> DeviceError {
    let (kind, hint): (DeviceError.Kind, String) =
      switch code {
      case ENOENT: (.missing, "switch mode setting on (dtoverlay=vc4-kms-v3d in config.txt)")
      case ENODEV, ENXIO: (wasShowing ? .lost : .missing, "plug a screen in")
      case EACCES, EPERM, EBUSY:
        // To open it is one matter, to be its master another.
        operation == "open" && code != EBUSY
          ? (.denied, "become a member of the group video, or install the udev rules")
          : (wasShowing ? .lost : .busy, "end what else shows pictures there: a desktop, plymouth, a player")
      case EOPNOTSUPP, EINVAL, ENOSYS, ENOTTY: (.unsupported, "it drives no screens; name another one as screen.card")
      case ENOMEM, ENOSPC: (.failed, "give the screen more memory (cma= in config.txt), or plug in a smaller one")
      default: (.failed, "look into dmesg")
      }
    return DeviceError(kind, device: device, operation: operation, code: code, hint: hint)
  }
}
