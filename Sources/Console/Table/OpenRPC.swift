public import JSON

extension CommandCatalogue {
  /// All methods for programs: an OpenRPC document (spec.open-rpc.org, version 1.3.2), whose schemas are JSON Schema
  /// (draft 7). What the standard has no word for stands under `x-` names.
  ///
  /// - Parameter version: the firmware's.
  public func openRPC(version: String) -> JSONValue {
    [
      "openrpc": "1.3.2",
      "info": [
        "title": "Mynah's console", "version": .string(version),
        "description": "JSON-RPC 2.0, one document a line each way, over a serial line or a socket.",
      ],
      "methods": .array(methods.map(Self.document)),
      "x-events": .array(EventTopic.allCases.map { .string($0.rawValue) }),
      "x-error-codes": .array(FailureCode.allCases.map { .string($0.rawValue) }),
    ]
  }

  private static func document(_ method: MethodDescription) -> JSONValue {
    var parameters = method.parameters.map { parameter -> JSONValue in
      [
        "name": .string(parameter.name), "summary": .string(parameter.summary),
        "required": .bool(!parameter.isOptional), "schema": parameter.document,
      ]
    }
    var document: JSONValue = [
      "name": .string(method.method), "summary": .string(method.row.summary),
      "result": ["name": "result", "schema": method.answer.document],
      "x-role": .string(method.row.role.rawValue), "x-while-recording": .string(method.row.whileRecording.rawValue),
    ]
    if method.row.isForAnybody { document["x-before-login"] = true }
    if !method.row.discussion.isEmpty { document["description"] = .string(method.row.discussion) }
    if let names = method.names {
      // OpenRPC knows no names that are data: any name stands for one or more of them.
      document["paramStructure"] = "by-name"
      parameters.append([
        "name": "*", "summary": .string(names.summary), "required": true, "schema": names.document,
      ])
    }
    document["params"] = .array(parameters)
    return document
  }
}
