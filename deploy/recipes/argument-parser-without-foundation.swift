// Takes the place of Sources/ArgumentParser/Utilities/Foundation.swift of swift-argument-parser; see
// deploy/lib/packages.sh.

extension Error {
  func describe() -> String { String(describing: self) }
}

enum JSONEncoder {
  static func encode<Value: Encodable>(_ value: Value) -> String {
    (try? JSONValue(encoding: value))?.indentedText ?? ""
  }
}
