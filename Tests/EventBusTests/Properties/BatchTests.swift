import EventBus
import TestSupport
import Testing

@Suite("Batches")
struct BatchTests {
  private final class Pair {
    @Observed var left = 0
    @Observed var right = 0
  }

  @Test("A property reports once, first old to last new, in the order of the first writes")
  func once() {
    let pair = Pair()
    let notes = Notes<String>()
    let tokens = [
      pair.$left.observe { notes.append("left \($0.text)") },
      pair.$right.observe { notes.append("right \($0.text)") },
    ]
    let answer = batch {
      pair.right = 1
      pair.left = 1
      pair.right = 2
      pair.left += 5
      #expect(pair.left == 6)
      #expect(notes.entries.isEmpty)
      return "done"
    }
    #expect(answer == "done")
    #expect(notes.entries == ["right 0→2", "left 0→6"])
    withExtendedLifetime(tokens) {}
  }

  @Test("Prior observers are called once, at the first write")
  func prior() {
    let pair = Pair()
    let notes = Notes<String>()
    let token = pair.$left.observe(prior: true) { notes.append($0.text) }
    batch {
      pair.left = 1
      notes.append("between")
      pair.left = 2
    }
    #expect(notes.entries == ["p0→1", "between", "0→2"])
    withExtendedLifetime(token) {}
  }

  @Test("Computed values are current inside a batch and report once, after all properties")
  func computed() {
    let pair = Pair()
    let sum = Computed(pair.$left, pair.$right) { $0 + $1 }
    let notes = Notes<String>()
    let tokens = [
      sum.observe { notes.append("sum \($0.text)") },
      pair.$left.observe { notes.append("left \($0.text)") },
      pair.$right.observe { notes.append("right \($0.text)") },
    ]
    batch {
      pair.left = 1
      #expect(sum.value == 1)
      pair.right = 2
      #expect(sum.value == 3)
    }
    #expect(notes.entries == ["left 0→1", "right 0→2", "sum 0→3"])
    batch {
      pair.left = 2
      pair.right = 1
    }
    #expect(notes.entries.suffix(2) == ["left 1→2", "right 2→1"])
    withExtendedLifetime(tokens) {}
    withExtendedLifetime(sum) {}
  }

  @Test("A nested batch belongs to the outer batch")
  func nested() {
    let pair = Pair()
    let notes = Notes<String>()
    let token = pair.$left.observe { notes.append($0.text) }
    batch {
      batch { pair.left = 1 }
      #expect(notes.entries.isEmpty)
      pair.left = 2
    }
    #expect(notes.entries == ["0→2"])
    withExtendedLifetime(token) {}
  }

  @Test("A nested batch that throws leaves its writes to the outer batch, which stays open")
  func innerThrows() {
    let (account, viewer) = (Account(), Viewer())
    account.$balance.observe(owner: viewer) { $0.show($1) }
    batch {
      account.balance = 1
      #expect(throws: SampleError.self) {
        try batch {
          account.balance = 2
          throw SampleError()
        }
      }
      #expect(viewer.shown == [])
      account.balance = 3
    }
    #expect(viewer.shown == ["0→3"])
  }

  @Test("Values stored before the body throws stay and are reported")
  func throwing() {
    let pair = Pair()
    let notes = Notes<String>()
    let token = pair.$left.observe { notes.append($0.text) }
    #expect(throws: CancellationError.self) {
      try batch {
        pair.left = 3
        throw CancellationError()
      }
    }
    #expect(pair.left == 3)
    #expect(notes.entries == ["0→3"])
    withExtendedLifetime(token) {}
  }

  @Test("Values set by a batch's observers are reported after the batch, in an unbroken chain")
  func setsAtTheEnd() {
    let pair = Pair()
    let notes = Notes<String>()
    let tokens = [
      pair.$left.observe { _ in pair.right = 9 },
      pair.$right.observe { notes.append($0.text) },
    ]
    batch {
      pair.left = 1
      pair.right = 2
    }
    #expect(notes.entries == ["0→2", "2→9"])
    withExtendedLifetime(tokens) {}
  }

  @Test("A batch inside an observer reports in its turn")
  func insideAnObserver() {
    let pair = Pair()
    let notes = Notes<String>()
    let tokens = [
      pair.$left.observe { change in
        notes.append("a \(change.text)")
        guard change.new == 1 else { return }
        batch {
          pair.left = 2
          pair.left = 3
          pair.right = 1
        }
        notes.append("after")
      },
      pair.$left.observe { notes.append("b \($0.text)") },
      pair.$right.observe { notes.append("right \($0.text)") },
    ]
    pair.left = 1
    #expect(notes.entries == ["a 0→1", "right 0→1", "after", "b 0→1", "a 1→3", "b 1→3"])
    withExtendedLifetime(tokens) {}
  }

  @Test("A batch opened by an initial call during the end of a batch does not nest the calls")
  func insideAnEnd() {
    let pair = Pair()
    let notes = Notes<String>()
    let bag = TokenBag()
    pair.$right.observe { change in
      notes.append("begin \(change.text)")
      if change.new == 1 { pair.right = 3 }
      notes.append("end")
    }.store(in: bag)
    pair.$left.observe { _ in
      pair.$right.observe(initial: true) { change in
        if change.kind == .initial { batch { pair.right = 2 } }
      }.store(in: bag)
      notes.append("left")
    }.store(in: bag)
    batch {
      pair.left = 1
      pair.right = 1
    }
    #expect(
      notes.entries == ["left", "begin 0→1", "end", "begin 1→2", "end", "begin 2→3", "end"]
    )
  }

  @Test("An observer registered inside a batch is notified from the value at its registration")
  func registeredInside() {
    let pair = Pair()
    let (notes, tokens) = (Notes<String>(), Notes<Token>())
    tokens.append(pair.$left.observe { notes.append("a \($0.text)") })
    batch {
      pair.left = 1
      tokens.append(pair.$left.observe(initial: true) { notes.append("b \($0.text)") })
      pair.left = 2
    }
    #expect(notes.entries == ["b i1", "a 0→2", "b 1→2"])
    batch {
      pair.left = 1
      tokens.append(pair.$left.observe { notes.append("c \($0.text)") })
      pair.left = 2
    }
    #expect(notes.entries == ["b i1", "a 0→2", "b 1→2", "c 1→2"])
    pair.left = 3
    #expect(notes.entries.suffix(3) == ["a 2→3", "b 2→3", "c 2→3"])
  }

  @Test("A property whose owner dies inside a batch still reports")
  func ownerDies() {
    let notes = Notes<String>()
    var tokens: [Token] = []
    batch {
      let pair = Pair()
      tokens.append(pair.$left.observe { notes.append($0.text) })
      pair.left = 1
    }
    #expect(notes.entries == ["0→1"])
    #expect(tokens.allSatisfy { !$0.isActive })
  }

  @Test("A batch is open on its own thread only")
  func otherThreads() {
    let pair = Pair()
    let notes = Notes<String>()
    let token = pair.$left.observe { notes.append($0.text) }
    batch {
      pair.left = 1
      let entries = blockedOnThread {
        let (account, notes) = (Account(), Notes<String>())
        let token = account.$balance.observe { notes.append($0.text) }
        account.balance = 7
        withExtendedLifetime(token) {}
        return notes.entries
      }
      #expect(entries == ["0→7"])
      #expect(notes.entries.isEmpty)
    }
    #expect(notes.entries == ["0→1"])
    withExtendedLifetime(token) {}
  }
}
