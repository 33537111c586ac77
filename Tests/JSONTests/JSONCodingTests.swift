import JSON
import Testing

private struct Mark: Codable, Equatable {
  var time: Double
  var title: String?
}

private struct Meta: Codable, Equatable {
  enum Format: String, Codable { case aac, wav }

  var id: String
  var bytes: UInt64
  var small: Int8
  var gain: Float
  var format: Format
  var isFavourite: Bool
  var marks: [Mark]
  var custom: [String: JSONValue]
  var next: String?
}

private class Base: Codable { var a = 1 }

@Suite struct JSONCodingTests {
  private let meta = Meta(
    id: "000042.m4a", bytes: 1 << 40, small: -7, gain: 0.1, format: .wav, isFavourite: true,
    marks: [Mark(time: 1.5, title: "A"), Mark(time: 2, title: nil)], custom: ["x": [1, nil, "y"]], next: nil)

  @Test func aValueGoesThereAndBack() throws {
    let value = try JSONValue(encoding: meta)
    #expect(
      value.text
        == #"{"bytes":1099511627776,"custom":{"x":[1,null,"y"]},"format":"wav","gain":0.1,"id":"000042.m4a","isFavourite":true,"marks":[{"time":1.5,"title":"A"},{"time":2.0}],"small":-7}"#
    )
    #expect(try value.decode(Meta.self) == meta)
    #expect(try JSONValue(parsing: value.text).decode() == meta)
  }

  @Test func aWholeNumberServesAsANumber() throws {
    #expect(try JSONValue(parsing: #"{"time":2}"#).decode(Mark.self) == Mark(time: 2, title: nil))
  }

  @Test(arguments: [
    (#"{"time":"2"}"#, "time: expected a number, found a string"),
    (#"{}"#, "time is missing"),
    (#"[]"#, "the value: expected an object, found an array"),
    (#"{"time":1,"title":3}"#, "title: expected a string, found an integer"),
  ])
  func whatDoesNotFitIsNamed(text: String, message: String) throws {
    let value = try JSONValue(parsing: text)
    let error = #expect(throws: JSONError.self) { try value.decode(Mark.self) }
    #expect(error?.description == message)
  }

  @Test func placesInArraysAndRangesOfIntegersAreNamed() throws {
    let list = try JSONValue(parsing: #"[1,300]"#)
    let error = #expect(throws: JSONError.self) { try list.decode([UInt8].self) }
    #expect(error?.description == "[1]: expected an integer (UInt8), found an integer")
    #expect(throws: JSONError.self) { try JSONValue(encoding: [UInt64.max]) }
  }

  @Test func scalarsDictionariesAndClassesWork() throws {
    #expect(try JSONValue(encoding: 3) == 3)
    #expect(try JSONValue(encoding: ["b": 1, "a": 2]) == ["a": 2, "b": 1])
    #expect(try JSONValue(encoding: Base()).decode(Base.self).a == 1)
    #expect(try JSONValue.null.decode(Int?.self) == nil)
    #expect(try JSONValue(encoding: [Int]()) == [])
  }
}
