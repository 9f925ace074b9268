#if os(Linux) || os(macOS)
import EventBus
import TestSupport
import Testing

@Suite("Positions out of range")
struct CollectionPositionTests {
  // In the closure of an exit test, `#line` is the line above.
  @Test("Every operation names the caller's line, the position and the property")
  func messages() async throws {
    func expect(_ position: String, _ line: UInt, _ result: ExitTest.Result?) throws {
      let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(text.contains("CollectionExitTests.swift:\(line)"))
      #expect(
        text.contains(
          "\(position) is out of range for the property at EventBusTests/CollectionSamples"
        )
      )
      #expect(text.contains("0..<2"))
    }
    try expect(
      "The index 3",
      #line + 1,
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        Shelf([1, 2]).itemsProperty.insert(9, at: 3)
      }
    )
    try expect(
      "The index 3",
      #line + 1,
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        Shelf([1, 2]).itemsProperty.insert(contentsOf: [9], at: 3)
      }
    )
    try expect(
      "The index -1",
      #line + 1,
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        Shelf([1, 2]).itemsProperty.remove(at: -1)
      }
    )
    try expect(
      "The range 1..<3",
      #line + 1,
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        Shelf([1, 2]).itemsProperty.removeSubrange(1..<3)
      }
    )
    try expect(
      "The range 1..<3",
      #line + 1,
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        Shelf([1, 2]).itemsProperty.replaceSubrange(1..<3, with: [])
      }
    )
    try expect(
      "The index 2",
      #line + 1,
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        Shelf([1, 2]).itemsProperty.replace(at: 2, with: 9)
      }
    )
    try expect(
      "The index 2",
      #line + 1,
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        Shelf([1, 2]).itemsProperty.move(from: 0, to: 2)
      }
    )
    try expect(
      "The index 2",
      #line + 1,
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        Shelf([1, 2]).itemsProperty.swapAt(0, 2)
      }
    )
  }

  @Test("An index past the end traps, whether the property is observed or not")
  func index() async {
    await #expect(processExitsWith: .failure) {
      _ = Shelf([1, 2, 3]).itemsProperty.remove(at: 3)
    }
    await #expect(processExitsWith: .failure) {
      let shelf = Shelf([1, 2, 3])
      let token = shelf.$items.observeElements { _ in }
      _ = shelf.itemsProperty.replace(at: 3, with: 4)
      token.cancel()
    }
    await #expect(processExitsWith: .failure) {
      Shelf([1, 2]).itemsProperty.swapAt(2, 2)
    }
  }

  @Test("Inserting at the end is allowed, and past the end traps, even without an element")
  func insertion() async {
    Shelf([1]).itemsProperty.insert(2, at: 1)
    await #expect(processExitsWith: .failure) {
      let shelf = Shelf([1])
      let token = shelf.$items.observeElements { _ in }
      shelf.itemsProperty.insert(2, at: 2)
      token.cancel()
    }
    await #expect(processExitsWith: .failure) {
      Shelf([1]).itemsProperty.insert(contentsOf: [], at: 2)
    }
  }

  @Test("A range outside the value traps, even an empty one")
  func range() async {
    await #expect(processExitsWith: .failure) {
      Shelf([1, 2]).itemsProperty.replaceSubrange(1..<3, with: [])
    }
    await #expect(processExitsWith: .failure) {
      Shelf([1, 2]).itemsProperty.removeSubrange(3..<3)
    }
  }

  @Test("A move from or to a position without an element traps")
  func destination() async {
    await #expect(processExitsWith: .failure) {
      Shelf([1, 2]).itemsProperty.move(from: 0, to: 2)
    }
    await #expect(processExitsWith: .failure) {
      Shelf([1, 2]).itemsProperty.move(from: 2, to: 2)
    }
  }
}
#endif
