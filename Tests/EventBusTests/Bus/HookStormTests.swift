import EventBus
import TestSupport
import Testing

/// Hooks that come and go while other threads post.
///
/// Written to be run under ThreadSanitizer.
@Suite("Hooks under stress", .timeLimit(.minutes(5)))
struct HookStormTests {
  private struct Quiet: EventInterceptor {
    let runs: Counter
    func capture(_ event: AnyEvent) -> Int { 1 }
    func run(_ context: Int, _ body: () -> Void) {
      runs.add(context)
      body()
    }
    func run(_ context: Int, _ body: () async -> Void) async { await body() }
  }

  @Test("Hooks may be added and removed while three threads post")
  func comeAndGo() async {
    let bus = EventBus()
    let (tally, calls, late) = (Tally(), Counter(), Counter())
    let heard = Counter()
    let tokens = [
      bus.observe(.number) { _ in heard.add() },
      bus.observe(.text) { _ in throw SampleError() },
    ]
    let steady = bus.addHooks(EventHooks(onError: { _ in }))
    await onThreads(4) { thread in
      if thread > 0 {
        for _ in 0..<400 {
          bus.post(.number, 1)
          bus.post(.nothing)
          bus.post(.text, "")
        }
        return
      }
      var numbers = SampleNumbers(seed: 1)
      let own = ThreadID.current
      var mine: [(token: Token, wasCancelled: Counter)] = []
      for _ in 0..<300 {
        let wasCancelled = Counter()
        let call: @Sendable () -> Void = { [probe = tally.probe()] in
          probe.touch()
          calls.add()
          // On this thread no call begins after cancel().
          if wasCancelled.value > 0, ThreadID.current == own { late.add() }
        }
        let hooks = EventHooks(
          onError: { _ in call() },
          onUnhandled: { _ in call() },
          onTrace: { _ in call() },
          onMessage: { _ in call() },
          interceptor: Quiet(runs: calls)
        )
        mine.append((bus.addHooks(hooks), wasCancelled))
        bus.post(.number, 1)
        if mine.count > 3 {
          let gone = mine.remove(at: numbers.next(below: mine.count))
          gone.token.cancel()
          gone.wasCancelled.add()
        }
      }
    }
    #expect(heard.value == 1_500)
    #expect(late.value == 0)
    #expect(tally.live == 0)
    #expect(tally.created == 300)
    #expect(bus.signal(.number).isPlain)
    withExtendedLifetime((tokens, steady)) {}
  }

  @Test("After waitUntilFinished() no call of removed hooks is running")
  func fenced() async {
    let bus = EventBus()
    let (stop, late) = (ManualLatch(), Counter())
    let posting = Task {
      await onThreads(2) { _ in
        while !stop.isOpen { bus.post(.nothing) }
      }
    }
    for _ in 0..<20 {
      let (isOver, calls) = (Counter(), Counter())
      let token = bus.addHooks(
        EventHooks(onUnhandled: { _ in
          calls.add()
          yieldThread()
          if isOver.value > 0 { late.add() }
        })
      )
      await until(calls.value > 0)
      token.cancel()
      await token.waitUntilFinished()
      isOver.add()
    }
    stop.open()
    await posting.value
    #expect(late.value == 0)
  }
}
