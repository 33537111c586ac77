import Appliance
import JSON
import Panel
import Testing

@testable import Runtime

/// What the panel tells of a clip's receipt.
@Suite struct ReceiptRowsTests {
  private let receipt: JSONValue = [
    "durationSeconds": 9.533, "fileBytes": 4_780_000, "mediaToDurableSeconds": 0.038, "largestSkewSeconds": 0.0004,
    "pictures": [
      "codec": "h264", "width": 1280, "height": 720, "captured": 286, "dropped": ["queue": 2, "storage": 1],
    ],
    "sound": ["sampleRate": 48_000], "gaps": [["seconds": 1.0], ["seconds": 0.4]],
  ]

  @Test func `It says length, size, camera, losses, gaps, sound and when it was safe`() {
    #expect(
      ReceiptRows.rows(receipt, in: .english) == [
        MenuRow("Length", "9.533 s, 4.78 MB"), MenuRow("Camera", "1280x720 H.264"), MenuRow("Pictures", "286, 3 lost"),
        MenuRow("Gaps", "2, 1.4 s"), MenuRow("Sound", "48 kHz, 0.4 ms"), MenuRow("Safe after", "38 ms"),
      ])
    let russian = ReceiptRows.rows(receipt, in: .russian)
    #expect(russian.map(\.title) == ["Длина", "Камера", "Кадры", "Пропуски", "Звук", "Сохранён за"])
    #expect(russian.last?.value == "38 мс")
  }

  @Test func `What a receipt does not say is not made up`() {
    for row in ReceiptRows.rows([:], in: .english) where row.title != "Sound" { #expect(row.value == "-", "\(row)") }
    #expect(ReceiptRows.rows(["pictures": ["captured": 12]], in: .english)[2] == MenuRow("Pictures", "12"))
  }

  @Test func `Numbers that no clip has end nothing`() {
    for number in [JSONValue.integer(.max), .integer(.min), .number(1e308), .number(-1e308), "x"] {
      let hostile: JSONValue = [
        "durationSeconds": number, "fileBytes": number, "mediaToDurableSeconds": number, "largestSkewSeconds": number,
        "pictures": ["width": number, "height": number, "captured": number, "dropped": ["a": number, "b": number]],
        "sound": ["sampleRate": number], "gaps": [["seconds": number], ["seconds": number]],
      ]
      #expect(ReceiptRows.rows(hostile, in: .russian).count == 6)
    }
  }
}
