import EventBus
import TestSupport
import Testing

/// The tests occupy the main actor, so the changes that another thread makes wait for the handlers there.
@Suite("Values that wait for an ended observer of a shared property", .timeLimit(.minutes(5)))
@MainActor
struct SharedReleaseTests {
  /// A form of observation on the main actor.
  enum Form: CaseIterable, Sendable {
    case changes, initial, readOnly, owner, identified, binding

    fileprivate var hasOwner: Bool { [.owner, .identified, .binding].contains(self) }
  }

  /// An event that ends a registration.
  enum Ending: CaseIterable, Sendable {
    case cancelled, pausedThenCancelled, attached, dropped, ownerLifetime, unobserved, replaced

    fileprivate func ends(_ form: Form) -> Bool {
      switch self {
      case .cancelled, .pausedThenCancelled, .attached: true
      case .dropped: !form.hasOwner
      case .ownerLifetime, .unobserved: form.hasOwner
      case .replaced: form == .identified
      }
    }
  }

  nonisolated static let cases = Form.allCases.flatMap { form in
    Ending.allCases.filter { $0.ends(form) }.map { (form, $0) }
  }

  @MainActor
  private final class Holding: LifetimeOwner {
    let lifetime = Lifetime()
    var object = AtDeinit {}
  }

  private let freed = Counter()
  private let property: SharedObserved<AtDeinit>

  private init() {
    property = SharedObserved(AtDeinit { [freed] in freed.add() })
  }

  /// Sets new objects on another thread, all at one place.
  private func set(_ count: Int) {
    blockedOnThread { [property, freed] in
      for _ in 0..<count { property.value = AtDeinit { freed.add() } }
    }
  }

  private func observe(_ form: Form, _ owner: Holding) -> Token {
    switch form {
    case .changes: property.observe { @MainActor _ in Self.neverCalled() }
    case .initial: property.observe(initial: true) { @MainActor _ in Self.neverCalled() }
    case .readOnly: property.readOnly.observe { @MainActor _ in Self.neverCalled() }
    case .owner:
      property.observe(owner: owner, initial: true) { @MainActor _, _ in Self.neverCalled() }
    case .identified:
      property.observe(owner: owner, id: 1) { @MainActor _, _ in Self.neverCalled() }
    case .binding: property.bind(to: owner, \.object)
    }
  }

  private static func neverCalled() { Issue.record("called after the end") }

  @Test(
    "All values that wait are released with the registration, while its actor is busy",
    arguments: cases
  )
  func released(form: Form, ending: Ending) async {
    let (owner, lifetime) = (Holding(), Lifetime())
    var token: Token? = observe(form, owner)
    owner.object = AtDeinit {}
    if ending == .attached { token?.attach(to: lifetime) }
    // More than merge, and so that runs of every length wait.
    set(3)
    for _ in 0..<3 { set(1) }
    #expect(freed.value == 0)
    switch ending {
    case .cancelled: token?.cancel()
    case .pausedThenCancelled:
      let pause = token?.pause()
      token?.cancel()
      withExtendedLifetime(pause) {}
    case .attached: lifetime.end()
    case .dropped: token = nil
    case .ownerLifetime: owner.lifetime.end()
    case .unobserved: property.unobserve(owner: owner)
    case .replaced: property.observe(owner: owner, id: 1) { @MainActor _, _ in }
    }
    // The property has the seventh.
    #expect(freed.value == 6)
    set(1)
    #expect(freed.value == 7 || ending == .replaced)
    // The turn that was requested finds no observer.
    await rest()
    withExtendedLifetime((token, owner)) {}
  }

  @Test("The values that the current turn of an actor has still to deliver are released as well")
  func currentTurn() async {
    let tokens = Log<Token>()
    let (seen, called) = (ManualLatch(), Counter())
    tokens.append(
      property.observe { @MainActor [freed] _ in
        called.add()
        for token in tokens.entries { token.cancel() }
        // The change of this call has the first and the second value, and the property the last.
        #expect(freed.value == 4)
        seen.open()
      }
    )
    tokens.append(property.observe { @MainActor _ in called.add() })
    set(6)
    #expect(freed.value == 0)
    await seen.wait()
    #expect(called.value == 1)
    tokens.take()
  }

  @Test("The values that wait for a busy actor are released with the registration of its handler")
  func ofAnActor() async {
    let executor = HeldExecutor()
    let actor = HeldActor(executor)
    let token = property.observe(owner: actor, initial: true) { (_: isolated HeldActor, _) in
      Issue.record("called after the end")
    }
    set(5)
    #expect(freed.value == 0)
    token.cancel()
    #expect(freed.value == 5)
    executor.open()
    withExtendedLifetime(actor) {}
  }

  @Test("The values set during a registration are released when its owner ends in the first call")
  nonisolated func duringRegistration() {
    let owner = LivedOwner()
    let called = Counter()
    property.observe(owner: owner, initial: true) { [property, freed] owner, _ in
      called.add()
      blockedOnThread {
        for _ in 0..<5 { property.value = AtDeinit { freed.add() } }
      }
      #expect(freed.value == 0)
      owner.lifetime.end()
      // The call has the first, and the property the last.
      #expect(freed.value == 4)
    }
    #expect((called.value, freed.value) == (1, 5))
  }

  @Test("Another observer on the actor receives the values that a cancelled one had to wait for")
  func others() async {
    let received = Counter()
    let first = property.observe { @MainActor _ in Self.neverCalled() }
    let second = property.observe { @MainActor _ in received.add() }
    set(5)
    first.cancel()
    #expect(freed.value == 0)
    await until(received.value == 5)
    #expect(freed.value == 5)
    withExtendedLifetime(second) {}
  }

  @Test("A released value may use the property whose observer has ended")
  func reentrant() {
    let shared = SharedObserved<AtDeinit?>(nil)
    let observed = Counter()
    let token = shared.observe { @MainActor _ in Self.neverCalled() }
    blockedOnThread {
      for _ in 0..<3 {
        shared.value = AtDeinit { [weak shared] in
          guard let shared else { return }
          shared.value = nil
          observed.add(shared.value == nil ? 1 : 0)
        }
      }
      shared.value = nil
    }
    token.cancel()
    #expect(observed.value == 3)
  }
}
