import EventBus
import TestSupport
import Testing

/// The hooks are registered first, so that they run before anything else ends with the lifetime.
@Suite("Early end hooks of a lifetime")
struct EarlyHookTests {
  enum Kind: CaseIterable {
    case plain, once, predicate, sender, asynchronous, onActor, attached, attachedWithPredicate
  }

  private static func observe(_ bus: EventBus, _ owner: LivedOwner, _ kind: Kind) async -> Token {
    switch kind {
    case .plain: bus.observe(.number, owner: owner) { owner, value in owner.log.append(value) }
    case .once:
      bus.observe(.number, owner: owner, once: true) { owner, value in owner.log.append(value) }
    case .predicate:
      bus.observe(.number, owner: owner, where: { _ in true }) { owner, value in
        owner.log.append(value)
      }
    case .sender:
      bus.observe(.number, owner: owner, from: owner) { owner, value in owner.log.append(value) }
    case .asynchronous:
      bus.observe(.number, owner: owner) { owner, value in
        await Task.yield()
        owner.log.append(value)
      }
    case .onActor:
      await MainActor.run {
        bus.observe(.number, owner: owner) { owner, value in
          MainActor.assertIsolated()
          owner.log.append(value)
        }
      }
    case .attached:
      bus.observe(.number) { [log = owner.log] in log.append($0) }.attach(to: owner.lifetime)
    case .attachedWithPredicate:
      bus.observe(.number, where: { _ in true }) { [log = owner.log] in log.append($0) }
        .attach(to: owner.lifetime)
    }
  }

  @Test(
    "An event posted by an end hook reaches no registration that ends with the lifetime",
    arguments: Kind.allCases
  )
  func notReached(kind: Kind) async {
    let (bus, owner, reached) = (EventBus(), LivedOwner(), Log<Int>())
    owner.lifetime.onEnd { [unowned owner] in reached.append(bus.post(.number, 1, from: owner)) }
    let token = await Self.observe(bus, owner, kind)
    #expect(token.isActive)
    owner.lifetime.end()
    #expect(reached.entries == [0])
    #expect(owner.log.entries == [])
    #expect(!token.isActive)
    #expect(bus.signal(.number).observerCount == 0)
  }

  @MainActor
  @Test("A post from an end hook does not deliver events that waited for the actor")
  func waitedForAnActor() {
    let (bus, screen) = (EventBus(), Screen())
    screen.lifetime.onEnd { MainActor.assumeIsolated { _ = bus.post(.text, "drains") } }
    bus.observe(.number, owner: screen) { screen, value in screen.shown.append(value) }
    blockedOnThread { _ = bus.post(.number, 1) }
    screen.lifetime.end()
    #expect(screen.shown == [])
  }

  @Test("An event posted by an end hook is not in a stream that ends with the lifetime")
  func stream() async {
    let (bus, lifetime) = (EventBus(), Lifetime())
    lifetime.onEnd { bus.post(.number, 2) }
    let stream = bus.events(.number, until: lifetime)
    bus.post(.number, 1)
    lifetime.end()
    #expect(await stream.reduce(into: []) { $0.append($1) } == [1])
  }

  @MainActor
  private final class Model {
    @Observed var count = 0
    let shared = SharedObserved(0)
  }

  @MainActor
  @Test("A value set by an end hook is not reported to observers that end with the lifetime")
  func properties() {
    let (model, screen, active) = (Model(), Screen(), Log<Bool>())
    let tokens = Log<Token>()
    screen.lifetime.onEnd {
      for token in tokens.entries { active.append(token.isActive) }
      MainActor.assumeIsolated {
        model.count = 1
        model.shared.value = 2
      }
    }
    tokens.append(
      model.$count.observe(owner: screen) { screen, change in screen.shown.append(change.new) }
    )
    tokens.append(
      model.shared.observe(owner: screen) { @Sendable screen, change in
        Issue.record("\(change.new) was reported to \(ObjectIdentifier(screen)).")
      }
    )
    screen.lifetime.end()
    #expect(active.entries == [false, false])
    #expect(screen.shown == [])
  }
}
