import EventBus
import TestSupport
import Testing

@Suite("Batches of shared properties", .timeLimit(.minutes(5)))
struct SharedBatchTests {
  /// Notes changes as text.
  private func noting(
    _ property: SharedObserved<Int>,
    _ log: Log<String>,
    options: ObserveOptions = []
  ) -> Token {
    property.observe(options: options) { log.append($0.text) }
  }

  @Test("A property set several times reports once, first old to last new, after the batch")
  func once() {
    let (property, log) = (SharedObserved(0), Log<String>())
    let token = noting(property, log)
    let result = batch {
      property.value = 1
      property.update { $0 += 5 }
      #expect(property.value == 6)
      #expect(log.entries == [])
      return "done"
    }
    #expect(result == "done")
    #expect(log.entries == ["0→6"])
    property.value = 7
    #expect(log.entries == ["0→6", "6→7"])
    #expect(property.mergedCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test("Shared and other properties report in the order of their first writes")
  func order() {
    final class Model {
      @Observed var plain = 0
    }
    let (first, second, model) = (SharedObserved(0), SharedObserved(0), Model())
    let log = Log<String>()
    let tokens = [
      first.observe { log.append("first \($0.text)") },
      second.observe { log.append("second \($0.text)") },
      model.$plain.observe { log.append("plain \($0.text)") },
    ]
    batch {
      second.value = 1
      model.plain = 1
      first.value = 1
      second.value = 2
    }
    #expect(log.entries == ["second 0→2", "plain 0→1", "first 0→1"])
    withExtendedLifetime(tokens) {}
  }

  @Test("A batch without a net change reports nothing, and later chains stay unbroken")
  func netZero() {
    let (property, log) = (SharedObserved(0), Log<String>())
    let token = noting(property, log)
    batch {
      property.value = 5
      property.value = 0
    }
    #expect(log.entries == [])
    property.value = 1
    #expect(log.entries == ["0→1"])
    #expect(property.mergedCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test("Without an equality, a batch is reported whatever its values")
  func withoutEquality() {
    struct Opaque: Sendable { let number: Int }
    let (property, heard) = (SharedObserved(Opaque(number: 0)), Counter())
    let token = property.observe { _ in heard.add() }
    batch {
      property.value = Opaque(number: 1)
      property.value = Opaque(number: 0)
    }
    #expect(heard.value == 1)
    withExtendedLifetime(token) {}
  }

  @Test("Prior observers are called once, at the first write")
  func prior() {
    let (property, log) = (SharedObserved(0), Log<String>())
    let token = noting(property, log, options: .prior)
    batch {
      property.value = 1
      log.append("between")
      property.value = 2
    }
    #expect(log.entries == ["p0→1", "between", "0→2"])
    batch {
      property.value = 3
      property.value = 2
    }
    #expect(log.entries.suffix(1) == ["p2→3"])
    property.value = 4
    #expect(log.entries.suffix(2) == ["p2→4", "2→4"])
    withExtendedLifetime(token) {}
  }

  @MainActor
  @Test("A prior observer on an actor is called once, just before the change")
  func priorOnAnActor() async {
    let (property, inbox) = (SharedObserved(0), Inbox<String>())
    let token = property.observe(options: .prior) { inbox.append($0.text) }
    batch {
      property.value = 1
      property.value = 2
    }
    #expect(await inbox.first(2) == ["p0→2", "0→2"])
    withExtendedLifetime(token) {}
  }

  @Test("A write by a prior observer of the first write belongs to the batch")
  func writeByPrior() {
    let (property, log) = (SharedObserved(0), Log<String>())
    let token = property.observe(options: .prior) { [unowned property] change in
      log.append(change.text)
      if change.kind == .prior { property.value = 10 }
    }
    batch { property.value = 1 }
    #expect(log.entries == ["p0→1", "0→10"])
    withExtendedLifetime(token) {}
  }

  @Test("What was stored before the body throws stays and is reported")
  func throwing() {
    let (property, log) = (SharedObserved(0), Log<String>())
    let token = noting(property, log)
    #expect(throws: SampleError.self) {
      try batch {
        property.value = 2
        try property.update { value in
          value = 3
          throw SampleError()
        }
      }
    }
    #expect(property.value == 3)
    #expect(log.entries == ["0→3"])
    withExtendedLifetime(token) {}
  }

  @Test("A nested batch belongs to the outer one, also if it throws")
  func nested() {
    let (property, log) = (SharedObserved(0), Log<String>())
    let token = noting(property, log)
    batch {
      batch { property.value = 1 }
      #expect(throws: SampleError.self) {
        try batch {
          property.value = 2
          throw SampleError()
        }
      }
      #expect(log.entries == [])
      property.value = 3
    }
    #expect(log.entries == ["0→3"])
    withExtendedLifetime(token) {}
  }

  @Test("A set from another thread first reports the batch's change so far")
  func otherThread() {
    let (property, log) = (SharedObserved(0), Log<String>())
    let token = noting(property, log)
    batch {
      property.value = 1
      property.value = 2
      blockedOnThread { property.value = 10 }
      #expect(log.entries == ["0→2", "2→10"])
      property.value = 11
      property.value = 12
      #expect(log.count == 2)
    }
    #expect(log.entries == ["0→2", "2→10", "10→12"])
    withExtendedLifetime(token) {}
  }

  @Test("A batch on another thread first reports this batch's change so far, and follows it")
  func otherBatch() {
    let (property, log) = (SharedObserved(0), Log<String>())
    let token = noting(property, log)
    batch {
      property.value = 1
      blockedOnThread {
        batch {
          property.value = 2
          property.value = 3
        }
      }
      #expect(log.entries == ["0→1", "1→3"])
      property.value = 4
    }
    #expect(log.entries == ["0→1", "1→3", "3→4"])
    withExtendedLifetime(token) {}
  }

  @Test("A set from another thread to the current value does not end the batch's change")
  func equalOnOtherThread() {
    let (property, log) = (SharedObserved(0), Log<String>())
    let token = noting(property, log)
    batch {
      property.value = 1
      blockedOnThread { property.value = 1 }
      #expect(log.entries == [])
      property.value = 2
    }
    #expect(log.entries == ["0→2"])
    withExtendedLifetime(token) {}
  }

  @Test("An observer registered inside a batch is notified from the value at its registration")
  func registeredInside() {
    let (property, log) = (SharedObserved(0), Log<String>())
    let tokens = Log<Token>()
    tokens.append(property.observe { log.append("a \($0.text)") })
    batch {
      property.value = 1
      tokens.append(property.observe(options: .initial) { log.append("b \($0.text)") })
      property.value = 2
    }
    #expect(log.entries == ["b i1", "a 0→2", "b 1→2"])
    batch {
      property.value = 3
      tokens.append(property.observe { log.append("c \($0.text)") })
    }
    #expect(log.entries.suffix(2) == ["a 2→3", "b 2→3"])
    property.value = 4
    #expect(log.entries.suffix(3) == ["a 3→4", "b 3→4", "c 3→4"])
  }

  @Test("An observer registered inside a batch without a net change is notified of its end")
  func registeredInsideNetZero() {
    let (property, log) = (SharedObserved(0), Log<String>())
    let tokens = Log<Token>()
    tokens.append(property.observe(options: .prior) { log.append("a \($0.text)") })
    batch {
      property.value = 1
      tokens.append(property.observe(options: .prior) { log.append("b \($0.text)") })
      property.value = 0
    }
    #expect(log.entries == ["a p0→1", "b p1→0", "b 1→0"])
    property.value = 5
    #expect(log.entries.suffix(4) == ["a p0→5", "b p0→5", "a 0→5", "b 0→5"])
    #expect(property.mergedCount == 0)
  }

  @Test("A batch inside a handler reports after the change that the handler was called for")
  func insideAHandler() {
    let (property, log) = (SharedObserved(0), Log<String>())
    let tokens = [
      property.observe { [unowned property] change in
        guard change.new == 1 else { return }
        batch {
          property.value = 2
          property.value = 3
        }
      },
      noting(property, log),
    ]
    property.value = 1
    #expect(log.entries == ["0→1", "1→3"])
    withExtendedLifetime(tokens) {}
  }

  @Test("Sets by handlers of the batch's end are reported after it, one by one")
  func setsAtTheEnd() {
    let (first, second, log) = (SharedObserved(0), SharedObserved(0), Log<String>())
    let tokens = [
      first.observe { _ in
        second.value = 8
        second.value = 9
      },
      noting(second, log),
    ]
    batch {
      first.value = 1
      second.value = 2
    }
    #expect(log.entries == ["0→2", "2→8", "8→9"])
    withExtendedLifetime(tokens) {}
  }

  @Test("Observers that are cancelled, paused or ownerless at the end are not called")
  func endedMeanwhile() {
    let (property, log) = (SharedObserved(0), Log<String>())
    let (cancelled, paused) = (noting(property, log), noting(property, log))
    var owner: PlainOwner? = PlainOwner()
    if let owner { property.observe(owner: owner) { log.append("owner \($1.text)") } }
    var pause: Token?
    batch {
      property.value = 1
      cancelled.cancel()
      pause = paused.pause()
      owner = nil
      property.value = 2
    }
    #expect(log.entries == [])
    pause?.cancel()
    property.value = 3
    #expect(log.entries == ["2→3"])
    withExtendedLifetime(owner) {}
  }

  @Test("A property that is released inside a batch still reports")
  func propertyDies() {
    let log = Log<String>()
    var token: Token?
    batch {
      let property = SharedObserved(0)
      token = noting(property, log)
      property.value = 1
    }
    #expect(log.entries == ["0→1"])
    #expect(token?.isActive == false)
  }

  @Test("A write without an observer is not part of a later report")
  func unobserved() {
    let (property, log) = (SharedObserved(0), Log<String>())
    var token: Token?
    batch {
      property.value = 1
      token = noting(property, log)
      property.value = 2
      token?.cancel()
      property.value = 3
      token = noting(property, log)
    }
    #expect(log.entries == [])
    property.value = 4
    #expect(log.entries == ["3→4"])
    withExtendedLifetime(token) {}
  }

  @Test("Values replaced in a batch are released outside the lock")
  func releases() {
    let holder = Holder<SharedObserved<AtDeinit>>()
    let ended = Counter()
    @Sendable func value() -> AtDeinit {
      AtDeinit {
        ended.add()
        holder.value?.value.touch()
      }
    }
    holder.hold(SharedObserved(value()))
    let token = holder.value?.observe { _ in }
    batch {
      holder.value?.value = value()
      holder.value?.value = value()
      #expect(ended.value == 1)
      blockedOnThread { holder.value?.value = value() }
      #expect(ended.value == 3)
      holder.value?.value = value()
    }
    #expect(ended.value == 4)
    token?.cancel()
    holder.letGo()
  }

  @Test("Values replaced in a batch are released after the reports of all its properties")
  func releasesAfterReports() {
    let log = Log<String>()
    let first = SharedObserved(AtDeinit { log.append("released") })
    let second = SharedObserved(0)
    let tokens = [
      first.observe { _ in log.append("first") }, second.observe { _ in log.append("second") },
    ]
    batch {
      first.value = AtDeinit {}
      second.value = 1
    }
    #expect(log.entries == ["first", "second", "released"])
    withExtendedLifetime((tokens, first)) {}
  }

  @Test("A weak property takes part in a batch")
  func weakProperty() {
    let (property, owners) = (WeakObserved<LivedOwner>(), [LivedOwner(), LivedOwner()])
    let (changes, count) = (Log<Change<LivedOwner?>>(), Counter())
    let token = property.observe { changes.append($0) }
    batch {
      property.wrappedValue = owners[0]
      property.wrappedValue = owners[1]
      count.add(changes.count)
    }
    #expect(count.value == 0)
    #expect(changes.count == 1)
    #expect(changes.entries.first?.new === owners[1])
    withExtendedLifetime((token, owners)) {}
  }

  #if TSAN
  private static let rounds = 500
  #else
  private static let rounds = 10_000
  #endif

  /// Checks the chain of one observer.
  private final class Chain: Sendable {
    private struct State {
      var last: Int?
      var count = 0
      var breaks = 0
    }

    private let state = Locked(State())

    var count: Int { state.withLock { $0.count } }
    var breaks: Int { state.withLock { $0.breaks } }
    var last: Int? { state.withLock { $0.last } }

    func take(_ change: Change<Int>) {
      state.withLock { state in
        if let last = state.last, last != change.old { state.breaks += 1 }
        if change.kind == .set, change.old == change.new { state.breaks += 1 }
        state.last = change.new
        state.count += 1
      }
    }
  }

  @Test("Batches and sets of four threads leave one unbroken chain for every observer")
  func storm() async {
    let property = SharedObserved(0)
    let (early, onActor) = (Chain(), Chain())
    let late = Log<Chain>()
    let rounds = Self.rounds
    let tokens = Log<Token>()
    tokens.append(property.observe { early.take($0) })
    tokens.append(property.observe { @SampleActor change in onActor.take(change) })
    await onThreads(4) { thread in
      for round in 1...rounds {
        let value = (round * 4 + thread) * 8
        switch thread {
        case 0: property.value = value
        case 1:
          batch {
            property.value = value
            property.value = value + 1
            yieldThread()
            property.value = value + 2
          }
        case 2:
          batch {
            let before = property.value
            property.update { $0 += 1 }
            property.value = before
          }
        default:
          batch {
            property.update { $0 += 1 }
            if round % (rounds / 100) == 0 {
              let chain = Chain()
              late.append(chain)
              tokens.append(property.observe(options: .initial) { chain.take($0) })
            }
            property.value = value
          }
        }
      }
    }
    property.value = -1
    for chain in [early, onActor] + late.entries {
      while chain.last != -1, !Task.isCancelled { await Task.yield() }
      #expect(chain.breaks == 0)
    }
    #expect(late.count == 100)
    #expect(early.count <= 8 * rounds + 1)
    withExtendedLifetime(tokens) {}
  }
}
