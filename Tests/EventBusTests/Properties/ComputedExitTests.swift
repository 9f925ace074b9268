#if os(Linux) || os(macOS)
import EventBus
import TestSupport
import Testing

extension ComputedTests {
  @Test("A prior observer that keeps setting is warned about, and the others get the last value")
  func priorWithoutEnd() async throws {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      let cart = Cart()
      let notes = Notes<Int>()
      let total = Computed(cart.$price) { $0 }
      let tokens = [
        total.observe(prior: true) { [unowned cart] change in
          if change.kind == .prior, cart.price < 1_000_000 { cart.price += 1 }
        },
        total.observe { notes.append($0.new) },
      ]
      cart.price = 10
      precondition(notes.entries.last == total.value)
      withExtendedLifetime(tokens) {}
      withExtendedLifetime(total) {}
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.contains("ComputedTests.swift:"))
  }

  @Test("A value that reads itself while it is computed traps with its source site")
  func readsItself() async throws {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      final class Knot { var value: Computed<Int>? }
      let (cart, knot) = (Cart(), Knot())
      knot.value = Computed(cart.$price) { [unowned knot] in $0 + (knot.value?.value ?? 0) }
      _ = knot.value?.value
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.contains("ComputedExitTests.swift:"))
    #expect(message.contains("during its own computation"))
  }
}
#endif
