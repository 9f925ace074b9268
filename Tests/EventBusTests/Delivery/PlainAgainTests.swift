import EventBus
import TestSupport
import Testing

@Suite("Return to the plain post path")
struct PlainAgainTests {
  enum Kind: CaseIterable {
    case everyEvent, otherPriority, oldPriority, sender
    case mainActor, asynchronous, actorOwner

    /// Whether posts take the shortest path all the time.
    var isPlain: Bool {
      switch self {
      case .everyEvent, .sender: false
      case .otherPriority, .oldPriority, .mainActor, .asynchronous, .actorOwner: true
      }
    }
  }

  private actor Listener {}

  @Test(
    "Posts take the shortest path again once the last special observer has ended",
    arguments: Kind.allCases
  )
  func plainAgain(kind: Kind) {
    let bus = EventBus()
    let signal = bus.signal(.number)
    #expect(signal.isPlain)
    let kept = kind == .oldPriority ? nil : bus.observe(.number) { _ in }
    var tokens = (0..<2).map { _ in observe(kind, bus) }
    #expect(signal.isPlain == kind.isPlain)
    tokens.removeLast().cancel()
    #expect(signal.isPlain == kind.isPlain)
    tokens.removeLast().cancel()
    let last = kept ?? bus.observe(.number) { _ in }
    #expect(signal.isPlain)
    #expect(bus.post(.number, 1) == 1)
    withExtendedLifetime(last) {}
  }

  @Test("Observers of two alternating priorities use the shortest path")
  func alternatingPriorities() {
    let bus = EventBus()
    let signal = bus.signal(.number)
    for priority in [Priority.high, .low, .normal, .high] {
      let heard = Counter()
      let token = bus.observe(.number, priority: priority) { _ in heard.add() }
      #expect(signal.isPlain)
      #expect(bus.post(.number, 1) == 1)
      #expect(heard.value == 1)
      token.cancel()
    }
  }

  @Test("Closing a bus with observers of every event leaves later posts plain")
  func closed() {
    var bus: EventBus? = EventBus()
    let signal = bus?.signal(.number)
    let token = bus?.observeAll { _ in }
    #expect(signal?.isPlain == false)
    bus = nil
    #expect(signal?.isPlain == true)
    withExtendedLifetime((bus, token)) {}
  }

  private func observe(_ kind: Kind, _ bus: EventBus) -> Token {
    switch kind {
    case .mainActor: bus.observe(.number) { @MainActor _ in }
    case .asynchronous: bus.observe(.number) { _ in await Task.yield() }
    case .everyEvent: bus.observeAll { _ in }
    case .otherPriority, .oldPriority: bus.observe(.number, priority: .high) { _ in }
    case .sender: bus.observe(.number, from: bus) { _ in }
    case .actorOwner:
      bus.observe(.number, owner: Listener()) { (_: isolated Listener, _) in }
    }
  }
}
