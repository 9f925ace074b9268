import EventBus
import TestSupport
import Testing

@Suite("Asynchronous handlers", .timeLimit(.minutes(5)))
struct AsyncHandlerTests {
  @Test("Posts from several threads are handled one at a time, once each, in each thread's order")
  func manyPosters() async {
    let (threads, posts) = (3, 300)
    let bus = EventBus()
    let inbox = Inbox<Int>()
    let inside = Counter()
    let token = bus.observe(.number) { value in
      #expect(inside.add() == 1)
      await Task.yield()
      inside.add(-1)
      inbox.append(value)
    }
    await onThreads(threads) { thread in
      for value in 0..<posts { bus.post(.number, value * threads + thread) }
    }
    let heard = await inbox.first(threads * posts)
    for thread in 0..<threads {
      #expect(heard.filter { $0 % threads == thread } == (0..<posts).map { $0 * threads + thread })
    }
    withExtendedLifetime(token) {}
  }

  @Test("A busy asynchronous handler delays neither posts nor other observers")
  func independent() async {
    let bus = EventBus()
    let (mayLeave, inbox) = (ManualLatch(), Inbox<Int>())
    let tokens = [
      bus.observe(.number) { _ in await mayLeave.wait() },
      bus.observe(.number) { value in
        await Task.yield()
        inbox.append(value)
      },
    ]
    for value in 0..<10 { bus.post(.number, value) }
    #expect(await inbox.first(10) == Array(0..<10))
    mayLeave.open()
    withExtendedLifetime(tokens) {}
  }

  @MainActor
  @Test("An actor-isolated asynchronous handler runs on its actor")
  func onAnActor() async {
    let bus = EventBus()
    let inbox = Inbox<Int>()
    var shown: [Int] = []
    let token = bus.observe(.number) { value in
      MainActor.assertIsolated()
      await Task.yield()
      MainActor.assertIsolated()
      shown.append(value)
      inbox.append(value)
    }
    for value in 0..<3 { bus.post(.number, value) }
    #expect(shown == [])
    _ = await inbox.first(3)
    #expect(shown == [0, 1, 2])
    withExtendedLifetime(token) {}
  }

  @Test("An error goes to the error hook, and the next event is still handled")
  func throwing() async {
    let failures = Inbox<HandlerFailure>()
    var hooks = EventHooks()
    hooks.onError = { failures.append($0) }
    let bus = EventBus(hooks: hooks)
    let token = bus.observe(.number, fileID: "Sample/Here.swift", line: 42) { value in
      await Task.yield()
      throw SampleError(number: value)
    }
    bus.post(.number, 1)
    bus.post(.number, 2)
    let told = await failures.first(2)
    #expect(told.compactMap { $0.error as? SampleError } == [1, 2].map(SampleError.init))
    #expect(told.compactMap { $0.event.payload as? Int } == [1, 2])
    #expect(
      told.allSatisfy { $0.registeredAt == SourceSite(fileID: "Sample/Here.swift", line: 42) }
    )
    withExtendedLifetime(token) {}
  }

  @Test("A one-call asynchronous handler is called once, however many events are posted")
  func once() async {
    let bus = EventBus()
    let log = Log<Int>()
    let token = bus.observe(.number, once: true) { value in
      await Task.yield()
      log.append(value)
    }
    #expect((1...5).map { bus.post(.number, $0) } == [1, 0, 0, 0, 0])
    await token.waitUntilFinished()
    #expect(!token.isActive)
    #expect(log.entries == [1])
  }

  @Test("Sender and predicate are checked before an event is queued")
  func conditions() async {
    let bus = EventBus()
    let sender = SampleSender()
    let inbox = Inbox<Int>()
    let token = bus.observe(.number, from: sender, where: { $0 > 1 }) { value in
      await Task.yield()
      inbox.append(value)
    }
    #expect(bus.post(.number, 1, from: sender) == 0)
    #expect(bus.post(.number, 2) == 0)
    #expect(bus.post(.number, 3, from: sender) == 1)
    #expect(await inbox.first(1) == [3])
    withExtendedLifetime(token) {}
  }

  @Test("The owner lives until its call returns, and queued events then find it dead")
  func strongDuringTheCall() async {
    let bus = EventBus()
    let (began, mayLeave, owners) = (Inbox<Int>(), ManualLatch(), WeakList<PlainOwner>())
    let holder = Holder(PlainOwner())
    let tokens = Holder<Token>()
    if let owner = holder.value {
      owners.append(owner)
      tokens.hold(
        bus.observe(.number, owner: owner) { owner, value in
          began.append(value)
          await mayLeave.wait()
          #expect(owners.liveCount == 1)
          owner.log.append(value)
        }
      )
    }
    bus.post(.number, 1)
    bus.post(.number, 2)
    _ = await began.first(1)
    holder.letGo()
    #expect(owners.liveCount == 1)
    mayLeave.open()
    await tokens.value?.waitUntilFinished()
    #expect(began.entries == [1])
    #expect(owners.liveCount == 0)
    #expect(bus.signal(.number).observerCount == 0)
  }
}
