public import Foundation

/// Another program, run to its end.
public enum Tool {
  public struct Failure: Error, CustomStringConvertible {
    public let description: String

    public init(description: String) { self.description = description }
  }

  public struct Result: Sendable {
    public let status: Int32
    /// What it wrote to standard output.
    public let data: Data
    /// What it wrote to standard error.
    public let errors: String

    public var output: String { String(decoding: data, as: UTF8.self) }
  }

  /// Runs a program from `PATH` or by its path, in a folder if one is named. What it says goes through files: a pipe can
  /// fill up, and reading from one ends in a trap when a signal comes.
  @discardableResult
  public static func run(_ program: String, _ arguments: [String], in place: TemporaryFolder? = nil) throws -> Result {
    let folder = TemporaryFolder()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program.contains("/") ? program : "/usr/bin/env")
    process.arguments = program.contains("/") ? arguments : [program] + arguments
    if let place { process.currentDirectoryURL = place.url }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: folder.put("", "output"))
    process.standardError = FileHandle(forWritingAtPath: folder.put("", "errors"))
    try process.run()
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus, data: try Data(contentsOf: URL(fileURLWithPath: folder.file("output"))),
      errors: folder.text(of: "errors") ?? "")
  }

  /// As `run`, but anything but success is an error that shows what the program said.
  ///
  /// - Returns: what it wrote to standard output.
  @discardableResult
  public static func succeed(
    _ program: String, _ arguments: [String], in place: TemporaryFolder? = nil
  ) throws -> String {
    let result = try run(program, arguments, in: place)
    guard result.status == 0 else {
      throw Failure(description: "\(program) \(arguments.joined(separator: " ")): \(result.status)\n\(result.errors)")
    }
    return result.output
  }
}
