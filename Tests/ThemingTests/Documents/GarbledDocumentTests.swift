import TestSupport
import Testing
import Theming

#if canImport(FoundationEssentials)
import FoundationEssentials  // Reason: its decoder stands for the one that users bring.
#else
import Foundation  // Reason: its decoder stands for the one that users bring.
#endif

private let sample = ##"""
  {
    "name": "Nébel", "appearance": "light", "extends": "Day", "note": [1, {"a": null}],
    "values": {
      "color": {"brand": "#ff0000", "accent": "{color.brand}", "text": {"primary": "{color.acent}"}},
      "corner.radius": 6, "font": {"bold": true, "weights": [400, 700]}, "scale": 1.25e0,
      "border": {"width": 1, "color": "#00f"}, "title": "{{ü}}", "opaque": {}, "subtitle": null
    }
  }
  """##

@Suite("Damaged documents")
struct GarbledDocumentTests {
  @Test("A document truncated at any byte is an error, never a trap", .timeLimit(.minutes(5)))
  func cut() throws {
    let bytes = Array(sample.utf8)
    for count in 0..<bytes.count {
      #expect(throws: (any Error).self) {
        try JSONDecoder().decode(AppThemeDocument.self, from: Data(bytes.prefix(count)))
      }
    }
  }

  @Test(
    "A document with altered bytes is a theme or an error, never a trap",
    .timeLimit(.minutes(5))
  )
  func damaged() throws {
    var random = SampleNumbers(seed: 21)
    let original = Array(sample.utf8)
    var outcomes = (themes: 0, errors: 0)
    let count = size(1_000, full: 5_000)
    for _ in 0..<count {
      var bytes = original
      let index = Int.random(in: bytes.indices, using: &random)
      switch random.next() % 3 {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: index)
      default: bytes.insert(bytes[index], at: index)
      }
      do {
        let document = try JSONDecoder().decode(AppThemeDocument.self, from: Data(bytes))
        _ = try document.theme(extending: Theme("Day", appearance: .dark))
        outcomes.themes += 1
      } catch is DecodingError {
        outcomes.errors += 1
      }
    }
    #expect(outcomes.themes > count / 10)
    #expect(outcomes.errors > count / 10)
  }

  @Test("A binary property list truncated anywhere is an error", .timeLimit(.minutes(5)))
  func cutPropertyList() throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    let document = try parse(sample.replacing(#", "subtitle": null"#, with: ""))
    let bytes = Array(try encoder.encode(document))
    #expect(throws: Never.self) {
      try PropertyListDecoder().decode(AppThemeDocument.self, from: Data(bytes))
    }
    for count in 0..<bytes.count {
      #expect(throws: (any Error).self) {
        try PropertyListDecoder().decode(AppThemeDocument.self, from: Data(bytes.prefix(count)))
      }
    }
  }
}
