import EventBus
import TestSupport
import Testing

/// Hooks that end the registration whose handler they are about to run.
@Suite("Handlers that hooks cancel", .timeLimit(.minutes(5)))
struct CancelledBeforeCallTests {
  enum Kind: CaseIterable {
    case plain, owner, predicate, once, onActor, ownerOnActor, asynchronous, onceAsynchronous
    case poster
  }

  enum Moment: CaseIterable { case interceptor, trace }

  /// Calls a closure before it runs a handler.
  private struct Before: EventInterceptor {
    let act: @Sendable () -> Void

    func capture(_ event: AnyEvent) {}

    func run(_ context: Void, _ body: () -> Void) {
      act()
      body()
    }

    func run(_ context: Void, _ body: () async -> Void) async {
      act()
      await body()
    }
  }

  // Nonisolated, like the handlers in it: even one that is marked `@Sendable` inherits the actor of its function.
  private func observe(_ kind: Kind, _ bus: EventBus, _ owner: SampleSender, _ heard: Counter)
    -> Token
  {
    switch kind {
    case .plain: bus.observe(.number) { @Sendable _ in heard.add() }
    case .owner: bus.observe(.number, owner: owner) { @Sendable _, _ in heard.add() }
    case .predicate: bus.observe(.number, where: { _ in true }) { @Sendable _ in heard.add() }
    case .once: bus.observe(.number, once: true) { @Sendable _ in heard.add() }
    case .onActor: bus.observe(.number) { @MainActor _ in heard.add() }
    case .ownerOnActor: bus.observe(.number, owner: owner) { @MainActor _, _ in heard.add() }
    case .asynchronous:
      bus.observe(.number) { @MainActor _ in
        heard.add()
        await Task.yield()
      }
    case .onceAsynchronous:
      bus.observe(.number, once: true) { @MainActor _ in
        heard.add()
        await Task.yield()
      }
    case .poster: bus.observePoster(of: .number) { _, _ in heard.add() }
    }
  }

  @MainActor
  @Test(
    "A handler whose token a hook cancels before the call is not called",
    arguments: Kind.allCases,
    Moment.allCases
  )
  func cancelled(kind: Kind, moment: Moment) async {
    let (tokens, heard, steps) = (Holder<Token>(), Counter(), Log<TraceStep.Kind>())
    let trace: @Sendable (TraceStep) -> Void = { event in
      steps.append(event.kind)
      if moment == .trace, case .started = event.kind { tokens.value?.cancel() }
    }
    let interceptor = Before { if moment == .interceptor { tokens.value?.cancel() } }
    let bus = EventBus(
      hooks: EventHooks(onError: { _ in }, onTrace: trace, interceptor: interceptor)
    )
    let owner = SampleSender()
    tokens.hold(observe(kind, bus, owner, heard))
    let outcome = await bus.postAndWait(.number, 1)
    #expect(heard.value == 0)
    #expect(outcome.reachedCount == 0)
    #expect(outcome.cancelledCount == 1)
    #expect(outcome.droppedCount == 0)
    let skips = steps.entries.compactMap { step in
      if case .skipped(let reason) = step { reason } else { nil }
    }
    #expect(skips == [.cancelled])
    let finished = steps.entries.filter { if case .finished = $0 { true } else { false } }
    #expect(finished.isEmpty)
    tokens.letGo()
    withExtendedLifetime(owner) {}
  }
}
