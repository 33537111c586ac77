import Appliance
import Foundation
import Hardware
import JSON
import TestSupport
import Testing

/// A secret of its own is planted in every setting that takes an address or a secret, by the table of settings, and looked
/// for in all that comes out of a device at which somebody has logged in.
@Suite struct PlantedSecretsTests {
  /// Values with secrets in them, by setting.
  private static let planted: [String: (value: String, secrets: [String])] = {
    var planted: [String: (String, [String])] = [:]
    for (number, row) in Settings.table.enumerated() {
      let user = "us3r\(number)x"
      let password = "passw0rd\(number)x"
      let key = "k3y\(number)x"
      func address(_ schemes: [String]) -> String {
        "\(schemes.last ?? "")://\(user):\(password)@host.example/a/b.m3u8?token=\(key)"
      }
      switch row.kind {
      case .address(let schemes): planted[row.key] = (address(schemes), [user, password, key])
      case .addresses(let schemes):
        planted[row.key] = ("One=\(address(schemes)) \(address(schemes))", [user, password, key])
      case .secret: planted[row.key] = (key, [key])
      case .pin: planted[row.key] = ("90417365", ["90417365"])
      default: break
      }
    }
    return planted
  }()

  private static let direct = "https://dir3ct:dir3ctly@host.example/feed.json?token=dir3ctkey"

  @Test(
    "None of them is in an answer, an event, the log, the audit log, a receipt, a bundle or any file but secrets.json")
  func nothingTells() throws {
    let planted = Self.planted
    #expect(
      Set(planted.keys).isSuperset(of: [
        "dub.service", "dub.serviceToken", "dub.sources", "dub.proxy", "feed.sources", "feed.source",
        "lock.pin",
      ]))
    let bench = try OperatorBench(["tess", "people"], onDisk: true)
    let network = ScriptedNetwork(clock: bench.bench.clock, [.failing(.status(404))])
    bench.bench.hardware.openNetwork = { _, _ in network }
    _ = bench.logIn(1, "tess", "tess", "tess's password")
    _ = bench.at(1.1, "tess", "events.subscribe")
    _ = bench.at(1.2, "tess", "log.follow")
    for (number, (key, plant)) in planted.sorted(by: { $0.key < $1.key }).enumerated() {
      _ = bench.at(2 + Double(number) / 10, "tess", "settings.set", [key: .string(plant.value)])
      // Refused, and not repeated.
      _ = bench.at(2.05 + Double(number) / 10, "tess", "settings.set", [key: .string(plant.value + "\u{1}")])
    }
    _ = bench.at(4, "tess", "settings.get")
    _ = bench.at(5, "tess", "panel.mode", ["mode": "dub"])
    _ = bench.at(5.5, "tess", "dub.sources")
    _ = bench.at(6, "tess", "dub.start", ["source": "One"])
    for (number, method) in ["dub.status", "panel.state", "dub.receipts", "dub.receipt"].enumerated() {
      _ = bench.at(9 + Double(number) / 10, "tess", method)
    }
    _ = bench.at(11, "tess", "dub.start", ["source": .string(Self.direct)])
    _ = bench.at(13, "tess", "dub.status")
    _ = bench.at(13.5, "tess", "dub.stop")
    _ = bench.at(15, "tess", "feed.open", ["source": .string(Self.direct)])
    for time in [15.2, 17, 20] { _ = bench.at(time, "tess", "feed.status") }
    _ = bench.at(20.5, "tess", "update.install", ["file": .string(Self.direct)])
    _ = bench.at(20.6, "tess", "update.status")
    // One with a mistake in it.
    _ = bench.at(20.7, "tess", "update.install", ["file": .string("http" + Self.direct.dropFirst(5))])
    _ = bench.at(20.8, "tess", "update.status")
    _ = bench.at(21, "tess", "panel.mode", ["mode": "dictaphone"])
    _ = bench.at(22, "tess", "recorder.start")
    _ = bench.at(23, "tess", "recorder.stop")
    for (number, method) in [
      "library.list", "system.info", "system.doctor", "audit.tail", "log.tail", "system.bundle", "log.crash",
      "budget.report",
      "session.status", "schedule.list",
    ].enumerated() { _ = bench.at(30 + Double(number) / 10, "tess", method) }
    let reads = ["secrets.json", "../secrets.json", "../operators.json", "../log/audit.log"].map {
      bench.at(33, "tess", "files.read", ["id": .string($0)])
    }
    for (time, line) in [(34.0, "login tess"), (34.2, "tess's password"), (35, "settings"), (36, "dub"), (37, "audit")]
    {
      bench.bench.hardware.steppers.append(AtTime(.at(time), bench.bench) { _ in bench.port("people").type(line) })
    }
    #expect(try bench.bench.run(OperatorBench.setUp + "40 quit") == nil)

    #expect(reads.allSatisfy { bench.code($0) != nil })
    let secrets = planted.values.flatMap(\.secrets) + ["dir3ct:", "dir3ctly", "dir3ctkey"]
    var told = bench.bench.log + bench.bench.events.map { "\($0.topic) \($0.data.text)" }
    told += bench.port("tess").lines + bench.port("people").lines
    #expect(told.count > 100)
    for text in told {
      for secret in secrets { #expect(text.firstRange(of: secret) == nil, "\(secret) in \(text.prefix(2000))") }
    }
    let folder = try #require(bench.bench.folder)
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var seen: Set<String> = []
    for case let url as URL in files {
      guard let bytes = try? Data(contentsOf: url) else { continue }
      let name = url.lastPathComponent
      seen.insert(name)
      let found = secrets.filter { bytes.range(of: Data($0.utf8)) != nil }
      guard name.hasPrefix("secrets.json") else {
        #expect(found.isEmpty, "\(found) in \(name)")
        continue
      }
      // The search can find what is there.
      // The feed that was opened last has taken the place of the one that was set.
      let kept = planted.filter { $0.key != "feed.source" }.values.flatMap(\.secrets)
      #expect(Set(found).isSuperset(of: kept))
      let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(name)")
    }
    #expect(seen.isSuperset(of: ["secrets.json", "settings.json", "audit.log", "mynah.log"]), "\(seen)")
  }
}
