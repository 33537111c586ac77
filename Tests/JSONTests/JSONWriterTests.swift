import JSON
import Testing

@Suite struct JSONWriterTests {
  @Test func oneLineWithSortedKeysAndNoWhiteSpace() {
    let value: JSONValue = ["b": [1, 2.5, nil], "a": "x y", "é": true, "B": .object([:]), "Z": []]
    #expect(value.text == #"{"B":{},"Z":[],"a":"x y","b":[1,2.5,null],"é":true}"#)
  }

  @Test func controlsQuotationMarksAndBackslashesAreEscaped() {
    #expect(
      JSONValue.string("\"\\\u{8}\u{C}\n\r\t\u{1}\u{1F}\u{7F}/é").text == #""\"\\\b\f\n\r\t\u0001\u001f\u007f/é""#)
  }

  @Test func whatSteersATerminalIsEscapedAndReadsBack() throws {
    let name = "a\u{9B}b\u{202E}c\u{2066}d\u{61C}e\u{2028}f – é"
    #expect(JSONValue.string(name).text == #""a\u009bb\u202ec\u2066d\u061ce\u2028f – é""#)
    #expect(try JSONValue(parsing: JSONValue.string(name).text) == .string(name))
    let unseen = "\u{FEFF}録\u{E0041}音\u{200B}\u{3164}é\u{200D}"
    #expect(JSONValue.string(unseen).text == #""\ufeff録\udb40\udc41音\u200b\u3164é"# + "\u{200D}\"")
    #expect(try JSONValue(parsing: JSONValue.string(unseen).text) == .string(unseen))
  }

  @Test func numbersReadBackAsThemselvesAndWhatIsNotFiniteIsNull() throws {
    for number in [0.1, -0.0, 1e-7, 1e21, 123_456.789, .leastNonzeroMagnitude, .greatestFiniteMagnitude] {
      #expect(try JSONValue(parsing: JSONValue.number(number).text).numberValue == number)
    }
    #expect(JSONValue.array([.number(.nan), .number(.infinity), .number(-.infinity)]).text == "[null,null,null]")
    #expect(JSONValue.number(5).text == "5.0")
    #expect(JSONValue.integer(5).text == "5")
  }

  @Test func indentedTextIsTheSameDocument() throws {
    let value: JSONValue = ["a": [1, ["b": nil]], "c": .object([:]), "d": []]
    #expect(
      value.indentedText == """
        {
          "a": [
            1,
            {
              "b": null
            }
          ],
          "c": {},
          "d": []
        }
        """)
    #expect(try JSONValue(parsing: value.indentedText) == value)
  }

  @Test func membersAndElementsAreReached() {
    var value: JSONValue = ["a": [10, 20]]
    #expect(value["a"]?[1] == 20)
    #expect(value["a"]?[2] == nil)
    #expect(value["b"] == nil)
    #expect(value[0] == nil)
    value["b"] = "new"
    value["a"] = nil
    #expect(value == ["b": "new"])
    #expect(JSONValue.number(2).integerValue == 2)
    #expect(JSONValue.number(2.5).integerValue == nil)
    #expect(JSONValue.number(1e300).integerValue == nil)
    #expect(JSONValue.integer(2).numberValue == 2)
  }
}
