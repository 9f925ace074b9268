import EventBus
import TestSupport

extension EventNames {
  fileprivate static let edge = EventName<Int>("edge")
}

extension EdgeSubject {
  /// A registration of a bus.
  ///
  /// - Parameters:
  ///   - bus: The bus, which has no other registration.
  ///   - token: The token.
  ///   - waits: Whether the handler runs later, so that a post has to wait for it.
  fileprivate convenience init(_ bus: EventBus, _ token: Token?, waits: Bool = false) {
    self.init(
      token,
      fire: {
        if waits { await bus.postAndWait(.edge, 1) } else { bus.post(.edge, 1) }
      },
      poke: { bus.post(.edge, 1) }
    )
    register = { bus.observe(.edge) { _ in } }
    fireExcluding = { bus.post(.edge, 1, excluding: $0) }
    count = { bus.snapshot().observations.count }
  }
}

extension EdgeKind {
  /// The hooks of the buses and signals that are made now.
  @TaskLocal fileprivate static var hooks = EventHooks.silent

  /// The kinds of registration with a bus or a signal, with and without hooks that follow every post.
  static let ofBuses = kinds + kinds.map(followed)

  private static let kinds = [
    plain, objectOwner, lifetimeOwner, once, observeAll, observeAllOwner,
    observeAllLifetimeOwner, observeAllActor, signal, readOnlySignal, asynchronous,
    asynchronousOwner,
    stream, filteredStream,
    mainActor, asynchronousMainActor, mainActorOwner, mainActorLifetimeOwner, actor, actorAsOwner,
  ]

  /// A kind on a bus with a trace hook and an interceptor.
  private static func followed(_ kind: EdgeKind) -> EdgeKind {
    EdgeKind(
      "\(kind), followed by hooks",
      calls: kind.calls,
      owner: kind.owner,
      traits: kind.traits,
      excluding: kind.exclusions
    ) { handler in
      var hooks = EventHooks.silent
      hooks.onTrace = { _ in }
      hooks.interceptor = PassingInterceptor()
      return await $hooks.withValue(hooks) { await kind.make(handler) }
    }
  }

  private static let plain = EdgeKind("plain", traits: [.canThrow]) { handler in
    let bus = EventBus(hooks: EdgeKind.hooks)
    return EdgeSubject(bus, bus.observe(.edge) { _ in try handler.call() })
  }

  private static let objectOwner = EdgeKind("owner", owner: .object, traits: [.canThrow, .isKept]) {
    handler in
    let bus = EventBus(hooks: EdgeKind.hooks)
    let owner = PlainOwner()
    let token = bus.observe(.edge, owner: owner) { _, _ in try handler.call() }
    return EdgeSubject(bus, token).owned(by: Holder(owner))
  }

  private static let lifetimeOwner = EdgeKind(
    "lifetime owner",
    owner: .lifetime,
    traits: [.canThrow, .isKept]
  ) { handler in
    let bus = EventBus(hooks: EdgeKind.hooks)
    let owner = LivedOwner()
    let token = bus.observe(.edge, owner: owner) { _, _ in try handler.call() }
    return EdgeSubject(bus, token).owned(by: Holder(owner))
  }

  private static let once = EdgeKind("once", calls: .once, traits: [.canThrow]) { handler in
    let bus = EventBus(hooks: EdgeKind.hooks)
    return EdgeSubject(bus, bus.observe(.edge, once: true) { _ in try handler.call() })
  }

  private static let observeAll = EdgeKind("observeAll") { handler in
    let bus = EventBus(hooks: EdgeKind.hooks)
    return EdgeSubject(bus, bus.observeAll { _ in handler.callSafely() })
  }

  private static let observeAllOwner = EdgeKind(
    "observeAll with an owner",
    owner: .object,
    traits: [.isKept]
  ) { handler in
    let bus = EventBus(hooks: EdgeKind.hooks)
    let owner = PlainOwner()
    let token = bus.observeAll(owner: owner) { _, _ in handler.callSafely() }
    return EdgeSubject(bus, token).owned(by: Holder(owner))
  }

  private static let observeAllLifetimeOwner = EdgeKind(
    "observeAll with a lifetime owner",
    owner: .lifetime,
    traits: [.isKept]
  ) { handler in
    let bus = EventBus(hooks: EdgeKind.hooks)
    let owner = LivedOwner()
    let token = bus.observeAll(owner: owner) { _, _ in handler.callSafely() }
    return EdgeSubject(bus, token).owned(by: Holder(owner))
  }

  private static let observeAllActor = EdgeKind(
    "observeAll with an actor as owner",
    owner: .object,
    traits: [.isQueued, .isKept]
  ) { handler in
    let bus = EventBus(hooks: EdgeKind.hooks)
    let actor = EdgeActor()
    let token = bus.observeAll(owner: actor) { (_: isolated EdgeActor, _) in
      handler.callSafely()
    }
    return EdgeSubject(bus, token, waits: true).owned(by: Holder(actor))
  }

  private static let signal = EdgeKind("signal", traits: [.canThrow]) { handler in
    let signal = Signal<Int>(hooks: EdgeKind.hooks)
    return onSignal(signal, signal, handler)
  }

  private static let readOnlySignal = EdgeKind("read-only signal", traits: [.canThrow]) {
    handler in
    let signal = Signal<Int>(hooks: EdgeKind.hooks)
    return onSignal(signal, signal.readOnly, handler)
  }

  private static func onSignal(
    _ signal: Signal<Int>,
    _ source: some ReadableSignal<Int>,
    _ handler: EdgeHandler
  ) -> EdgeSubject {
    let subject = EdgeSubject(
      source.observe { _ in try handler.call() },
      fire: { signal.send(1) },
      poke: { signal.send(1) }
    )
    subject.register = { source.observe { _ in } }
    subject.fireExcluding = { signal.send(1, excluding: $0) }
    subject.count = { source.observerCount }
    return subject
  }

  private static let asynchronous = EdgeKind(
    "asynchronous",
    traits: [.canThrow, .isAsync, .isQueued]
  ) { handler in
    let bus = EventBus(hooks: EdgeKind.hooks)
    let token = bus.observe(.edge) { _ in
      try handler.call()
      await handler.suspend()
    }
    return EdgeSubject(bus, token, waits: true)
  }

  private static let asynchronousOwner = EdgeKind(
    "asynchronous with an owner",
    owner: .lifetime,
    traits: [.canThrow, .isAsync, .isQueued, .isKept]
  ) { handler in
    let bus = EventBus(hooks: EdgeKind.hooks)
    let owner = LivedOwner()
    let token = bus.observe(.edge, owner: owner) { _, _ in
      try handler.call()
      await handler.suspend()
    }
    return EdgeSubject(bus, token, waits: true).owned(by: Holder(owner))
  }

  private static let stream = stream("stream") { $0.events(.edge, until: $1) }

  private static let filteredStream = stream("filtered stream") { bus, lifetime in
    bus.events(.edge, where: { $0 == 1 }, buffering: .bufferingOldest(64), until: lifetime)
  }

  private static func stream(
    _ name: String,
    _ open: @escaping @Sendable (EventBus, Lifetime) -> EventStream<Int>
  ) -> EdgeKind {
    EdgeKind(
      name,
      owner: .lifetime,
      traits: [.hasNoToken, .isKeptElsewhere, .isQueued],
      excluding: [
        .ownerGone: "It has a lifetime but no owner.",
        .ownerGoneBesideLifetime: "It has a lifetime but no owner.",
      ]
    ) { handler in
      let bus = EventBus(hooks: EdgeKind.hooks)
      let (lifetime, taken, hasEnded) = (Lifetime(), Counter(), ManualLatch())
      let stream = open(bus, lifetime)
      let task = Task {
        for await _ in stream {
          handler.callSafely()
          taken.add()
        }
        hasEnded.open()
      }
      let subject = EdgeSubject(
        nil,
        fire: {
          let before = taken.value
          guard bus.post(.edge, 1) > 0 else { return }
          await until(taken.value > before || hasEnded.isOpen)
        },
        poke: { bus.post(.edge, 1) }
      )
      subject.end = { task.cancel() }
      subject.settle = { await task.value }
      subject.lifetime = { lifetime }
      subject.count = { bus.snapshot().observations.count }
      return subject
    }
  }

  private static let mainActor = EdgeKind("main actor", traits: [.canThrow, .isQueued]) { handler in
    await onMainActor(handler)
  }

  private static let asynchronousMainActor = EdgeKind(
    "asynchronous on the main actor",
    traits: [.canThrow, .isAsync, .isQueued]
  ) { handler in
    await asynchronousOnMainActor(handler)
  }

  private static let mainActorOwner = EdgeKind(
    "main-actor owner",
    owner: .object,
    traits: [.canThrow, .isQueued, .isKept]
  ) { handler in
    await ownedOnMainActor(Panel(), handler)
  }

  private static let mainActorLifetimeOwner = EdgeKind(
    "main-actor lifetime owner",
    owner: .lifetime,
    traits: [.canThrow, .isQueued, .isKept]
  ) { handler in
    await ownedOnMainActor(Screen(), handler)
  }

  private static let actor = EdgeKind("actor", traits: [.canThrow, .isQueued]) { handler in
    let bus = EventBus(hooks: EdgeKind.hooks)
    return EdgeSubject(bus, await EdgeActor().observe(bus, handler), waits: true)
  }

  private static let actorAsOwner = EdgeKind(
    "actor as owner",
    owner: .object,
    traits: [.canThrow, .isQueued, .isKept]
  ) { handler in
    let bus = EventBus(hooks: EdgeKind.hooks)
    let actor = EdgeActor()
    let token = bus.observe(.edge, owner: actor) { (_: isolated EdgeActor, _) in
      try handler.call()
    }
    return EdgeSubject(bus, token, waits: true).owned(by: Holder(actor))
  }

  @MainActor private static func onMainActor(_ handler: EdgeHandler) -> EdgeSubject {
    let bus = EventBus(hooks: EdgeKind.hooks)
    let token = bus.observe(.edge) { _ in
      MainActor.preconditionIsolated()
      try handler.call()
    }
    return EdgeSubject(bus, token, waits: true)
  }

  @MainActor private static func asynchronousOnMainActor(_ handler: EdgeHandler) -> EdgeSubject {
    let bus = EventBus(hooks: EdgeKind.hooks)
    let token = bus.observe(.edge) { _ in
      MainActor.preconditionIsolated()
      try handler.call()
      await handler.suspend()
    }
    return EdgeSubject(bus, token, waits: true)
  }

  @MainActor private static func ownedOnMainActor(
    _ owner: some AnyObject & Sendable,
    _ handler: EdgeHandler
  ) -> EdgeSubject {
    let bus = EventBus(hooks: EdgeKind.hooks)
    let token = bus.observe(.edge, owner: owner) { _, _ in
      MainActor.preconditionIsolated()
      try handler.call()
    }
    return EdgeSubject(bus, token, waits: true).owned(by: Holder(owner))
  }
}

/// An actor with its own threads, which handlers may block.
private actor EdgeActor {
  nonisolated let executor: HeldExecutor
  private var calls = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()  // Reason: the actor keeps it.
  }

  init() {
    executor = HeldExecutor()
    executor.open()
  }

  func observe(_ bus: EventBus, _ handler: EdgeHandler) -> Token {
    bus.observe(.edge) { _ in
      self.calls += 1
      try handler.call()
    }
  }
}
