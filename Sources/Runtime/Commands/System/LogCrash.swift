internal import Console
internal import Hardware
internal import Library

enum LogCrash: DeviceTask {
  static let row = MethodRow(
    "log.crash", "shows the report of a crash", .viewer,
    discussion: "The newest five are kept as log/crash-N.txt. Scripts/symbolize gives their addresses names.")

  struct Parameters: ParameterSet {
    let number: Int?

    init(_ given: inout Given) throws(CommandFailure) {
      number = try given.optional("number", .integer(1...1_000_000_000), "which; the newest without it")
    }
  }

  struct Answer: WireObject {
    let reports: [Int]
    let path: String?
    let lines: [String]
    static let fields: [Field<Self>] = [
      Field("reports", \.reports, "the numbers of those there are"),
      Field("path", ifAny: \.path, "where this one is, in the data directory"), Field("lines", \.lines, "what it says"),
    ]
  }

  private static let longest = 128 * 1024

  static func perform(_ wanted: Parameters, in device: CommandContext, reply: @escaping Reply) {
    let storage = device.storage.storage
    device.onLibrary(reply) { _ throws(LibraryError) in
      do throws(StorageError) {
        let files = (try? storage.list(CrashReportName.folder)) ?? []
        let numbers = files.compactMap { CrashReportName.number(of: $0.name) }.sorted()
        guard let number = wanted.number ?? numbers.last else { return Answer(reports: [], path: nil, lines: []) }
        let path = CrashReportName.path(number)
        let text = String(decoding: try storage.read(path, limit: longest), as: UTF8.self)
        return Answer(reports: numbers, path: path, lines: text.split(separator: "\n").map(\.shown))
      } catch {
        throw error.kind == .notFound ? .notFound("report \(wanted.number ?? 0)") : .storage(error)
      }
    }
  }
}
