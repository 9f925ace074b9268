#if os(Linux) || os(macOS)
import LaunchLoader
import TestSupport
import Testing

extension ProcessSignalTests {
  @Suite("Signal streams")
  struct SignalStreamTests {
    @Test("Signals injected before the iteration begins are not lost and come in order")
    func beforeIteration() async {
      let (first, second) = (UnixSignal(rawValue: SIGIO), UnixSignal(rawValue: SIGURG))
      let probe = UnixSignal.stream(first)
      let stream = UnixSignal.stream(first, second)
      UnixSignal.inject(second)
      UnixSignal.inject(first)
      // The probe was given the last one after the stream was given both.
      for await signal in probe {
        #expect(signal == first)
        break
      }
      var heard: [UnixSignal] = []
      for await signal in stream {
        heard.append(signal)
        if heard.count == 2 { break }
      }
      #expect(heard == [second, first])
    }

    @Test("A waiting task receives an injected signal")
    func waiting() async {
      let (signal, other) = (UnixSignal(rawValue: SIGALRM), UnixSignal(rawValue: SIGVTALRM))
      let stream = UnixSignal.stream(signal)
      let inbox = Inbox<UnixSignal>()
      let task = Task { for await signal in stream { inbox.append(signal) } }
      UnixSignal.inject(other)
      UnixSignal.inject(signal)
      #expect(await inbox.first(1) == [signal])
      task.cancel()
      await task.value
      #expect(inbox.entries.allSatisfy { $0 == signal })
    }

    @Test("A stream ends when the waiting task is cancelled")
    func cancellation() async {
      let stream = UnixSignal.stream(UnixSignal(rawValue: SIGPROF))
      let task = Task {
        var iterator = stream.makeAsyncIterator()
        let first = await iterator.next()
        let second = await iterator.next()
        return [first, second]
      }
      await rest()
      task.cancel()
      #expect(await task.value == [nil, nil])
    }

    @Test("A stream iterated by a cancelled task ends at once")
    func cancelledBefore() async {
      let task = Task {
        cancelCurrentTask()
        var count = 0
        for await _ in UnixSignal.stream(UnixSignal(rawValue: SIGXCPU)) { count += 1 }
        return count
      }
      #expect(await task.value == 0)
    }

    @Test("A signal that arrives just after another was taken is received", .timeLimit(.minutes(5)))
    func atOnce() async {
      let signal = UnixSignal(rawValue: SIGUSR2)
      var iterator = UnixSignal.stream(signal).makeAsyncIterator()
      var count = 0
      // The task continues while the thread that resumed it is about to look for more signals.
      let rounds = rounds(20_000, debug: 5_000, sanitized: 2_000)
      for _ in 0..<rounds {
        UnixSignal.inject(signal)
        count += await iterator.next() == signal ? 1 : 0
      }
      #expect(count == rounds)
    }

    @Test("Injecting a signal without listeners has no effect")
    func unheard() async {
      UnixSignal.inject(.terminate)
      UnixSignal.inject(UnixSignal(rawValue: 9))
      UnixSignal.inject(UnixSignal(rawValue: -1))
    }
  }
}
#endif
