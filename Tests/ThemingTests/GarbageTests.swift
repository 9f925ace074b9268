import EventBus
import TestSupport
import Testing
import Theming

@MainActor
@Suite("What dead objects leave behind")
struct GarbageTests {
  /// A subscriber whose object dies when it is told to, and tells nobody.
  @MainActor
  private final class Mortal: RegistrySubscriber {
    var isAlive = true
    nonisolated func subscriptionDidEnd() {}
  }

  private typealias Registry = SubscriptionRegistry<String, Mortal>

  @Test("Objects that die one after the other take at most eight places")
  func dieAtOnce() {
    let registry = Registry()
    for _ in 0..<10_000 {
      add(1, to: registry)[0].isAlive = false
      #expect(registry.placeCount <= 8)
    }
  }

  @Test(
    "After a subscription at most max(8, 2 × living) places are taken, whoever has died",
    arguments: [
      "all", "the older half and one", "the newer half and one", "two of three", "at random",
    ]
  )
  func dieTogether(_ who: String) {
    let registry = Registry()
    var mortals = add(1_000, to: registry)
    var random = SampleNumbers(seed: 1)
    for (number, mortal) in mortals.enumerated() {
      mortal.isAlive =
        switch who {
        case "all": false
        case "the older half and one": number > 500
        case "the newer half and one": number < 499
        case "two of three": number % 3 == 0
        default: random.next(below: 4) == 0
        }
    }
    mortals += add(1, to: registry)
    let living = mortals.filter(\.isAlive).count
    #expect(registry.placeCount <= max(8, 2 * living))
  }

  @Test("What lives stays subscribed, in order, through every sweep")
  func sparesTheLiving() {
    let registry = Registry()
    let mortals = add(1_000, to: registry)
    for (number, mortal) in mortals.enumerated() { mortal.isAlive = number % 10 == 0 }
    let last = add(1, to: registry)
    let expected = mortals.filter(\.isAlive) + last
    let found = registry.subscribers(to: ["key"])
    #expect(found.map(ObjectIdentifier.init) == expected.map(ObjectIdentifier.init))
  }

  @Test("10,000 objects followed and dropped leave nothing that counts")
  func followed() {
    final class Box {
      var width = 0
    }
    let manager = makeManager()
    for _ in 0..<10_000 { manager.follow(Box(), [.set(\.width, .radius)]) }
    #expect(manager.subscriberCount == 0)
  }

  @Test("1,000 views that die in any order leave nothing, at once")
  func views() {
    let manager = makeManager()
    var labels = (0..<1_000).map { _ in Label(manager) }
    for label in labels { label.themeMap = .full }
    var random = SampleNumbers(seed: 2)
    labels.shuffle(using: &random)
    while !labels.isEmpty {
      labels.removeLast()
      #expect(manager.subscriberCount == labels.count)
    }
  }

  private func add(_ count: Int, to registry: Registry) -> [Mortal] {
    (0..<count).map { _ in
      let mortal = Mortal()
      _ = registry.addKept(mortal, keys: ["key"], until: nil)
      return mortal
    }
  }
}
