import Foundation
import TestSupport
import Testing

/// The Python client, whose methods are made of the schema that the program publishes.
@Suite struct PythonClientTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

  /// A word changed in a field's meaning is enough: without this `make test` is green and `make client` is not.
  @Test func itsMethodsAreThoseOfTheProgram() throws {
    let tool = Self.root.appending(path: "clients/python/tools/generate_methods.py").path
    let check = try Tool.run("python3", [tool, "--program", Mynah.executable.path, "--check"])
    #expect(check.status == 0, "\(check.errors)")
  }
}
