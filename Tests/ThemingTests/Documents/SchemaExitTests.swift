#if os(Linux) || os(macOS)
import Testing
import Theming

extension SchemaTests {
  @Test("Two keys of one name trap with the schema, the key and both types")
  func twoKeysOfOneName() async throws {
    let result = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      _ = ThemeDocument<Torn>(Theme("t", appearance: .dark))
    }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(message.contains("The schema Torn has two keys named \"torn.width\""))
    #expect(message.contains("one with values of type Int, one of type String"))
    #expect(message.contains("Rename one of them"))
  }

  @Test("Two keys of one name trap when any document is read")
  func twoKeysOfOneNameRead() async {
    await #expect(processExitsWith: .failure) {
      _ = try NodeDecoder.decode(ThemeDocument<Torn>.self, from: ["name": "t"])
    }
  }
}

private enum Torn: ThemeSchema {
  static let keys: [AnyThemeKey] = [
    ThemeKey<Int>("torn.fine", default: 1), ThemeKey<Int>("torn.width", default: 1),
    ThemeKey<String>("torn.width", default: "1"),
  ]
}
#endif
