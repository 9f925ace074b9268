import EventBus
import TestSupport
import Testing

@Suite("Observers that change the observed property")
struct ObservedReentrancyTests {
  @Test("A set inside an observer stores at once and is reported after the current change")
  func nestedSet() {
    let account = Account()
    let notes = Notes<String>()
    let tokens = [
      account.$balance.observe { [unowned account] change in
        notes.append("a begin \(change.text)")
        if change.new == 1 { account.balance = 2 }
        notes.append("a end at \(account.balance)")
      },
      account.$balance.observe { [unowned account] change in
        notes.append("b \(change.text) at \(account.balance)")
      },
    ]
    account.balance = 1
    #expect(
      notes.entries == [
        "a begin 0→1", "a end at 2", "b 0→1 at 2", "a begin 1→2", "a end at 2", "b 1→2 at 2",
      ]
    )
    withExtendedLifetime(tokens) {}
  }

  /// Sets a property in its `deinit`.
  private final class Setter {
    let account: Account
    init(_ account: Account) { self.account = account }
    deinit { account.balance += 1 }
  }

  @Test("A new observer begins with the value that the release of ended handlers has set")
  func setWhileRegistering() {
    let account = Account()
    let notes = Notes<String>()
    var tokens: [Token] = []
    for isOwned in [false, true] {
      // Ended on another thread, the handler is released in the property's isolation, at its next use.
      let ended = account.$balance.observe { [setter = Setter(account)] _ in
        withExtendedLifetime(setter) {}
      }
      blockedOnThread { ended.cancel() }
      if isOwned {
        account.$balance.observe(owner: notes, initial: true) { $0.append($1.text) }
      } else {
        tokens.append(account.$balance.observe(initial: true) { notes.append($0.text) })
      }
    }
    #expect(notes.entries.first == "i1")
    #expect(notes.entries.contains("i2"))
    withExtendedLifetime(tokens) {}
  }

  @Test("An observer that replaces another begins before the values set by the other's release")
  func setWhileReplacing() {
    let (account, notes) = (Account(), Notes<String>())
    account.$balance.observe(owner: notes, id: 1) { [setter = Setter(account)] _, _ in
      withExtendedLifetime(setter) {}
    }
    account.$balance.observe(owner: notes, id: 1, initial: true) { $0.append($1.text) }
    #expect(notes.entries == ["i0", "0→1"])
  }

  @Test("Every observer sees an unbroken chain, however deep sets nest")
  func chain() {
    let account = Account()
    let lists = [Notes<Change<Int>>(), Notes<Change<Int>>(), Notes<Change<Int>>()]
    let tokens = lists.enumerated().map { index, notes in
      account.$balance.observe { [unowned account] change in
        notes.append(change)
        if change.new < 30 { account.balance = account.balance + index + 1 }
      }
    }
    account.balance = 1
    for notes in lists {
      #expect(notes.entries.first?.old == 0)
      #expect(notes.entries.last?.new == account.balance)
      for (before, after) in zip(notes.entries, notes.entries.dropFirst()) {
        #expect(before.new == after.old)
      }
    }
    #expect(lists[0].entries == lists[2].entries)
    withExtendedLifetime(tokens) {}
  }

  @Test("An observer added during a change is called for later changes only")
  func addedDuring() {
    let account = Account()
    let notes = Notes<String>()
    let tokens = Notes<Token>()
    let token = account.$balance.observe { [unowned account] change in
      guard tokens.entries.isEmpty else { return }
      // Stored before the registration: not for the new observer either.
      account.balance = 2
      tokens.append(account.$balance.observe(initial: true) { notes.append($0.text) })
      account.balance = 3
    }
    account.balance = 1
    #expect(notes.entries == ["i2", "2→3"])
    withExtendedLifetime(token) {}
  }

  @Test("A replaced value may read and set the property in its deinit")
  func dyingValueReads() {
    final class Model { @Observed(comparing: ===) var holder = Guest {} }
    final class Guest {
      let atEnd: () -> Void
      init(_ atEnd: @escaping () -> Void) { self.atEnd = atEnd }
      deinit { atEnd() }
    }
    for isObserved in [false, true] {
      let model = Model()
      let notes = Notes<Bool>()
      let token = isObserved ? model.$holder.observe { _ in } : nil
      model.holder = Guest { [unowned model] in notes.append(model.holder is Guest) }
      model.holder = Guest {}
      #expect(notes.entries == [true])
      withExtendedLifetime(token) {}
    }
  }
}
