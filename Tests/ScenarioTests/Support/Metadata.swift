import Foundation
import JSON

/// The `.json` beside a take.
struct Metadata {
  let value: JSONValue

  init(of take: URL) throws {
    let file = take.deletingPathExtension().appendingPathExtension("json")
    value = try JSONValue(parsing: Array(Data(contentsOf: file)))
  }

  subscript(key: String) -> JSONValue? { value[key] }
}
