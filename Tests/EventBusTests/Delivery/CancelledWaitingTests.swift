import EventBus
import TestSupport
import Testing

extension EventName where Payload == AtDeinit {
  fileprivate static let object = EventName<AtDeinit>("cancelledWaiting.object")
}

/// The tests occupy the main actor, so what another thread posts waits.
@Suite("Events that wait for an ended handler", .timeLimit(.minutes(5)))
@MainActor
struct CancelledWaitingTests {
  /// A form of observation on the main actor.
  enum Form: CaseIterable, Sendable { case token, sender, filtered, once, owner }

  /// An event that ends a registration.
  enum Ending: CaseIterable, Sendable {
    case cancelled, pausedThenCancelled, attached, dropped, ownerLifetime

    fileprivate func ends(_ form: Form) -> Bool {
      switch self {
      case .cancelled, .pausedThenCancelled, .attached: true
      case .dropped: form != .owner
      case .ownerLifetime: form == .owner
      }
    }
  }

  nonisolated static let cases = Form.allCases.flatMap { form in
    Ending.allCases.filter { $0.ends(form) }.map { (form, $0) }
  }

  private let bus = EventBus()
  private let freed = Counter()
  private let sender = SampleSender()

  /// Posts objects on another thread: some of them in one run, and one by itself.
  private func post(_ count: Int) {
    blockedOnThread { [bus, freed, sender] in
      for _ in 0..<(count - 1) { bus.post(.object, AtDeinit { freed.add() }, from: sender) }
      bus.post(.object, AtDeinit { freed.add() }, from: sender)
    }
  }

  private static func neverCalled() { Issue.record("called after the end") }

  private func observe(_ form: Form, _ owner: LivedOwner) -> Token {
    switch form {
    case .token: bus.observe(.object) { @MainActor _ in Self.neverCalled() }
    case .sender: bus.observe(.object, from: sender) { @MainActor _ in Self.neverCalled() }
    case .filtered:
      bus.observe(.object, where: { _ in true }) { @MainActor _ in Self.neverCalled() }
    case .once: bus.observe(.object, once: true) { @MainActor _ in Self.neverCalled() }
    case .owner: bus.observe(.object, owner: owner) { @MainActor _, _ in Self.neverCalled() }
    }
  }

  @Test(
    "All events that wait are released with the registration, while its actor is busy",
    arguments: cases
  )
  func released(form: Form, ending: Ending) async {
    let (owner, lifetime) = (LivedOwner(), Lifetime())
    var token: Token? = observe(form, owner)
    if ending == .attached { token?.attach(to: lifetime) }
    post(20)
    // A handler with a single call keeps only the first event.
    #expect(freed.value == (form == .once ? 19 : 0))
    switch ending {
    case .cancelled: token?.cancel()
    case .pausedThenCancelled:
      let pause = token?.pause()
      token?.cancel()
      withExtendedLifetime(pause) {}
    case .attached: lifetime.end()
    case .dropped: token = nil
    case .ownerLifetime: owner.lifetime.end()
    }
    #expect(freed.value == 20)
    let snapshot = bus.snapshot()
    #expect(snapshot.waitingCount == 0)
    #expect(snapshot.lostCount == (ending == .ownerLifetime ? 20 : 0))
    // The turn that was requested finds no observer.
    await rest()
    withExtendedLifetime((token, owner)) {}
  }

  @Test("A bus that is released releases the events that wait for a busy actor")
  func releasedBus() {
    let other = Holder(EventBus())
    let token = other.value?.observe(.object) { @MainActor _ in Self.neverCalled() }
    blockedOnThread { [freed] in
      // Its closure may outlive the call.
      for _ in 0..<20 { other.value?.post(.object, AtDeinit { freed.add() }) }
    }
    other.letGo()
    #expect(freed.value == 20)
    withExtendedLifetime(token) {}
  }

  @Test("The events of other handlers on the actor stay, in order")
  func others() {
    var shown: [String] = []
    let first = bus.observe(.number) { shown.append("a\($0)") }
    let second = bus.observe(.number) { shown.append("b\($0)") }
    let third = bus.observe(.text) { shown.append($0) }
    blockedOnThread { [bus] in
      for value in 0..<40 { bus.post(.number, value) }
      bus.post(.text, "c")
      for value in 40..<42 { bus.post(.number, value) }
    }
    #expect(bus.snapshot().waitingCount == 85)
    first.cancel()
    #expect(bus.snapshot().waitingCount == 43)
    blockedOnThread { [bus] in
      for value in 42..<44 { bus.post(.number, value) }
    }
    #expect(bus.snapshot().waitingCount == 45)
    bus.post(.nothing)
    let expected = (0..<40).map { "b\($0)" } + ["c"] + (40..<44).map { "b\($0)" }
    #expect(shown == expected)
    #expect(bus.snapshot().waitingCount == 0)
    withExtendedLifetime((second, third)) {}
  }

  @Test(
    "A handler cancels another one on its actor: the turn releases the events that it has begun"
  )
  func currentTurn() async {
    let seen = ManualLatch()
    let blocking = Log<Token>()
    let token = bus.observe(.object) { @MainActor _ in Self.neverCalled() }
    blocking.append(
      bus.observe(.number) { @MainActor [bus, freed] _ in
        // These arrive during the call.
        blockedOnThread {
          for _ in 0..<20 { bus.post(.object, AtDeinit { freed.add() }) }
        }
        token.cancel()
        #expect(freed.value == 20)
        #expect(bus.snapshot().waitingCount == 3)
        seen.open()
      }
    )
    _ = blockedOnThread { [bus] in bus.post(.number, 1) }
    post(3)
    await seen.wait()
    await until(freed.value == 23)
    #expect((freed.value, bus.snapshot().waitingCount) == (23, 0))
    blocking.take()
  }

  @Test("A caller that waits for a handler on a busy actor resumes when that is cancelled")
  func awaited() async {
    let executor = HeldExecutor()
    let actor = HeldActor(executor)
    let posted = Inbox<Int>()
    let token = bus.observe(.number, owner: actor) { (_: isolated HeldActor, _) in
      Issue.record("called after the end")
    }
    let after = bus.observe(.number, priority: .low) { _ in posted.append(1) }
    let waiting = Task.detached { [bus] in await bus.postAndWait(.number, 1) }
    _ = await posted.first(1)
    token.cancel()
    let outcome = await waiting.value
    #expect((outcome.reachedCount, outcome.cancelledCount) == (1, 1))
    executor.open()
    withExtendedLifetime((after, actor)) {}
  }

  @Test("A released event may post to the actor for which it waited")
  func reentrant() {
    let received = Counter()
    let token = bus.observe(.object) { @MainActor _ in Self.neverCalled() }
    let other = bus.observe(.number) { @MainActor _ in received.add() }
    blockedOnThread { [bus] in
      for value in 0..<3 { bus.post(.object, AtDeinit { bus.post(.number, value) }) }
    }
    token.cancel()
    #expect(bus.snapshot().waitingCount == 3)
    bus.post(.nothing)
    #expect(received.value == 3)
    withExtendedLifetime(other) {}
  }

  @Test("An event does not wait whose post reaches its handler after the end of the registration")
  func endedDuringAPost() {
    let list = ObserverList(counts: ListCounts())
    let waiting = ListCounts()
    let executor = HeldExecutor()
    let actor = HeldActor(executor)
    let mailbox = Mailbox(actor, waiting)
    let registration = ObserverRegistration(list, at: CallSite(#fileID, #line))
    let request = ObserveRequest(at: registration.site)
    let sink = HandlerSink<AtDeinit>(registration, request, nil, on: mailbox) { _, _ in }
    list.add(sink)
    // The post has met the sink before.
    registration.end()
    let object = Holder(AtDeinit { [freed] in freed.add() })
    if let payload = object.value { _ = sink.receive(payload, Post(at: registration.site)) }
    object.letGo()
    #expect((freed.value, mailbox.waitingCount) == (1, 0))
    #expect(waiting.areMailboxesEmpty)
    executor.open()
    withExtendedLifetime(actor) {}
  }

  @Test("No event stays that posts make while their handler is being cancelled")
  nonisolated func storm() async {
    let bus = EventBus()
    let executor = HeldExecutor()
    let actor = HeldActor(executor)
    let (made, freed) = (Counter(), Counter())
    for _ in 0..<rounds(2_000, debug: 200, sanitized: 100) {
      let token = bus.observe(.object, owner: actor) { (_: isolated HeldActor, _) in
        Issue.record("called after the end")
      }
      let began = ManualLatch()
      await onThreads(2) { index in
        if index == 0 {
          for _ in 0..<20 {
            made.add()
            bus.post(.object, AtDeinit { freed.add() })
            began.open()
          }
        } else {
          began.block()
          token.cancel()
        }
      }
      #expect(freed.value == made.value)
      #expect(bus.snapshot().waitingCount == 0)
    }
    executor.open()
    withExtendedLifetime(actor) {}
  }
}
