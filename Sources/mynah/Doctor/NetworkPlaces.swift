import Appliance
import Board
import Doctor
import Hardware
import JSON

/// What the doctor asks for on the network: what board file and settings name.
enum NetworkPlaces {
  /// - Parameter data: the data directory, whose settings.json may name more than the board file.
  static func probe(of board: BoardDescription, data: String) -> any Probe {
    let settings = Self.settings(in: data)
    let named = board.dub.sources.map { word in
      word.firstIndex(of: "=").map { $0 < (word.firstIndex(of: "/") ?? word.endIndex) } == true
        ? String(word.drop { $0 != "=" }.dropFirst()) : word
    }
    let own = DubSource.streams(in: settings["dub.sources"] ?? "") ?? []
    let service = settings["dub.service"] ?? ""
    return NetworkProbe(
      network: HostNetwork.open(proxy: settings["dub.proxy"] ?? "", authorities: settings["dub.caFile"] ?? ""),
      streams: named + own.map(\.id), service: service.isEmpty ? board.dub.service : service)
  }

  /// The texts of settings.json; nothing if it cannot be read: then the board file's count.
  private static func settings(in data: String) -> [String: String] {
    guard let bytes = Host.contents("\(data)/settings.json"), let json = try? JSONValue(parsing: bytes) else {
      return [:]
    }
    return (json.objectValue ?? [:]).compactMapValues(\.stringValue)
  }
}
