import Foundation

/// Another program, run to its end.
enum Tool {
  struct Failure: Error, CustomStringConvertible { let description: String }

  struct Result {
    let status: Int32
    let output: String
    let errors: String
  }

  /// Runs a program from `PATH` or by its path; output goes to files, so no pipe can fill up.
  static func run(_ program: String, _ arguments: [String]) throws -> Result {
    let folder = try ScratchFolder()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program.contains("/") ? program : "/usr/bin/env")
    process.arguments = program.contains("/") ? arguments : [program] + arguments
    let files = try ["out", "err"].map { name -> FileHandle in
      _ = FileManager.default.createFile(atPath: folder.path(name), contents: nil)
      return try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path(name)))
    }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = files[0]
    process.standardError = files[1]
    try process.run()
    process.waitUntilExit()
    let read = { (name: String) in
      String(decoding: (try? Data(contentsOf: URL(fileURLWithPath: folder.path(name)))) ?? Data(), as: UTF8.self)
    }
    return Result(status: process.terminationStatus, output: read("out"), errors: read("err"))
  }

  /// As `run`, but anything but success is an error that shows what the program said.
  @discardableResult
  static func succeed(_ program: String, _ arguments: [String]) throws -> String {
    let result = try run(program, arguments)
    guard result.status == 0 else {
      throw Failure(description: "\(program) \(arguments.joined(separator: " ")): \(result.status)\n\(result.errors)")
    }
    return result.output
  }
}
