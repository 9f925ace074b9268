#if os(Linux) || os(macOS)
import EventBus
import TestSupport
import Testing

@Suite("Positions out of range")
struct CollectionPositionTests {
  @Test("An index past the end traps with the property, the call and the valid range")
  func index() async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      Shelf([1, 2, 3]).itemsProperty.remove(at: 3)
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("EventBusTests/CollectionSamples.swift:5"))
    #expect(text.contains("EventBusTests/CollectionExitTests.swift:"))
    #expect(text.contains("remove an element at 3, which is outside 0..<3"))
  }

  @Test("Inserting at the end is allowed, and past the end traps")
  func insertion() async throws {
    Shelf([1]).itemsProperty.insert(2, at: 1)
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      Shelf([1]).itemsProperty.insert(2, at: 2)
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("insert an element at 2, which is outside 0...1"))
  }

  @Test("A range outside the value traps")
  func range() async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      Shelf([1, 2]).itemsProperty.replaceSubrange(1..<3, with: [])
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("replace a range at 1..<3, which is outside 0...2"))
  }

  @Test("A destination of a move that is no element's position traps")
  func destination() async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      Shelf([1, 2]).itemsProperty.move(from: 0, to: 2)
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("move an element to a place at 2, which is outside 0..<2"))
  }

  @Test("Observing a collection's elements with .prior traps and names the alternative")
  func prior() async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      _ = Shelf().$items.observeElements(options: .prior) { _ in }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("Leave out `.prior`"))
  }
}
#endif
