import EventBus
import EventBusTesting

/// Observes for itself on the main actor, and uses its own state in every kind of handler.
@MainActor
final class UserView {
  private(set) var name = ""
  private(set) var saves = 0
  private var token: Token?
  private let bag = TokenBag()

  init(_ bus: EventBus) {
    bus.observe(.userDidLogIn, owner: self) { view, user in view.name = user.name }
    bus.observe(.didSave, owner: self, priority: .high) { view, _ in view.saves += 1 }
    bus.observe(.userDidLogIn, owner: self, buffering: .bufferingNewest(1)) { view, user in
      await Task.yield()
      view.name = user.name
    }
    token = bus.observe(.didSave) { [weak self] in self?.saves += 1 }
    bus.observe(.fontDidChange, where: { $0 > 1 }) { [weak self] size in self?.saves = size }
      .store(in: bag)
    bus.observeAll { [weak self] event in self?.name = event.name }.store(in: bag)
    every(.seconds(60), owner: self) { view, tick in view.saves = tick.index }
    after(.seconds(1), owner: self) { view, _ in view.saves = 0 }
  }

  func save(_ bus: EventBus) async throws {
    bus.post(.didSave)
    bus.post(.userDidLogIn, User(name: name), from: self)
    bus.enqueue(.didSave, coalescing: .name)
    await bus.postAndWait(.didSave, from: self)
    for await user in bus.events(.userDidLogIn) { name = user.name }
    name = try await bus.next(.userDidLogIn) { $0.name != "" }.name
  }
}

/// Observes for itself, isolated to itself.
actor UserStore {
  private var users: [User] = []

  func start(_ bus: EventBus) {
    bus.observe(.userDidLogIn, owner: self) { store, user in store.users.append(user) }
    every(.seconds(1), owner: self) { store, _ in store.users.removeAll() }
  }
}

/// Ends its registrations with its lifetime.
final class Session: LifetimeOwner, Sendable {
  let lifetime = Lifetime()

  init(_ bus: EventBus) {
    bus.observe(.userDidLogIn, owner: self) { session, _ in session.lifetime.end() }
    bus.observe(.didSave) {}.attach(to: lifetime)
    lifetime.onEnd { bus.post(.didSave) }
  }

  func follow(_ bus: EventBus) async throws {
    for await _ in bus.events(.didSave, until: lifetime) { await Task.yield() }
    try await lifetime.ending.waitUntilEnded()
  }
}

/// A separate signal, observed from nonisolated code.
final class Download: Sendable {
  let didFinish = Signal<Int>()

  func finish(_ bus: EventBus) async {
    let token = didFinish.observe { bytes in print(bytes) }
    didFinish.send(1)
    let pause = token.pause()
    pause.cancel()
    token.cancel()
    await token.waitUntilFinished()
    let custom = Token { bus.post(.didSave) }
    custom.cancel()
    _ = bus.latest(.fontDidChange)
    bus.clearReplay(.fontDidChange)
    bus.signal(.userDidLogIn).send(User())
    print(bus.snapshot())
  }
}

/// A bus with hooks.
func traced() -> EventBus {
  var hooks = EventHooks()
  hooks.onError = { failure in print(failure.error, failure.registeredAt) }
  hooks.onUnhandled = { event in print(event.name) }
  return EventBus(label: "traced", hooks: hooks)
}

/// Tests with their own clock.
func tested() async {
  let clock = ManualClock()
  let recorder = EventRecorder(.default)
  let token = every(.seconds(1), clock: clock) { tick in print(tick.missed) }
  await clock.advance(by: .seconds(3))
  token.cancel()
  print(recorder.events)
}

/// Carries a task-local value, with an asynchronous method for modules of any setting.
nonisolated struct RequestInterceptor: EventInterceptor {
  @TaskLocal static var id = "none"

  func capture(_ event: AnyEvent) -> String { Self.id }
  func run(_ id: String, _ body: () -> Void) { Self.$id.withValue(id) { body() } }
  nonisolated(nonsending) func run(
    _ id: String,
    _ body: nonisolated(nonsending) () async -> Void
  ) async {
    await Self.$id.withValue(id) { await body() }
  }
}

/// Counts calls on the main actor; an asynchronous method reaches it without leaving the caller's actor first.
@MainActor
final class CallCounter: EventInterceptor {
  private(set) var count = 0

  nonisolated func capture(_ event: AnyEvent) {}
  nonisolated func run(_ context: Void, _ body: () -> Void) { body() }
  nonisolated(nonsending) func run(
    _ context: Void,
    _ body: nonisolated(nonsending) () async -> Void
  ) async {
    await add()
    await body()
  }

  private func add() { count += 1 }
}
