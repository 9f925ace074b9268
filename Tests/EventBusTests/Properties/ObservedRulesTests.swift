import EventBus
import TestSupport
import Testing

@Suite("Validators, mutation in place, manual reports")
struct ObservedRulesTests {
  @Test("A declined value is neither stored nor reported")
  func veto() {
    let account = Account()
    let notes = Notes<String>()
    let validator = account.balanceProperty.validate { old, proposed in proposed >= old }
    let token = account.$balance.observe(prior: true) { notes.append($0.text) }
    account.balance = -1
    #expect(account.balance == 0)
    #expect(notes.entries.isEmpty)
    validator.cancel()
    account.balance = -1
    #expect(notes.entries == ["p0→-1", "0→-1"])
    withExtendedLifetime(token) {}
  }

  @Test("Each validator gets the previous one's result, in order, until one declines")
  func order() {
    let account = Account()
    let notes = Notes<String>()
    let tokens = [
      account.balanceProperty.validate { old, proposed in
        notes.append("a \(old) \(proposed)")
        proposed += 1
        return true
      },
      account.balanceProperty.validate { old, proposed in
        notes.append("b \(old) \(proposed)")
        return proposed < 10
      },
      account.balanceProperty.validate { _, proposed in
        notes.append("c \(proposed)")
        return true
      },
    ]
    account.balance = 1
    account.balance = 9
    #expect(account.balance == 2)
    #expect(notes.entries == ["a 0 1", "b 0 2", "c 2", "a 2 9", "b 2 10"])
    withExtendedLifetime(tokens) {}
  }

  @Test("A validator that sets the property itself leaves one unbroken chain")
  func validatorReenters() {
    let (account, viewer) = (Account(), Viewer())
    let token = account.balanceProperty.validate { [unowned account] _, proposed in
      if proposed == 5 { account.balance = 3 }
      return true
    }
    account.$balance.observe(owner: viewer, prior: true) { $0.show($1) }
    account.balance = 5
    account.balance = 3
    #expect(viewer.shown == ["p0→3", "0→3", "p3→5", "3→5", "p5→3", "5→3"])
    withExtendedLifetime(token) {}
  }

  @Test("A mutation in place is validated and reported with old and new values")
  func mutation() {
    let account = Account()
    let notes = Notes<Change<[String]>>()
    let tokens = [
      account.namesProperty.validate { _, proposed in proposed.count < 3 },
      account.$names.observe { notes.append($0) },
    ]
    account.names.append("a")
    account.names.append("b")
    account.names.append("c")
    #expect(account.names == ["a", "b"])
    #expect(notes.entries.map(\.old) == [[], ["a"]])
    #expect(notes.entries.map(\.new) == [["a"], ["a", "b"]])
    withExtendedLifetime(tokens) {}
  }

  @Test("A mutation that throws is reported as far as it went")
  func throwingMutation() {
    let account = Account()
    let notes = Notes<[String]>()
    let token = account.$names.observe { notes.append($0.new) }
    func mutate(_ names: inout [String]) throws {
      names.append("a")
      throw CancellationError()
    }
    #expect(throws: CancellationError.self) { try mutate(&account.names) }
    #expect(notes.entries == [["a"]])
    withExtendedLifetime(token) {}
  }

  @Test("Without observers, a mutation in place copies nothing", arguments: [false, true])
  func inPlace(wasObserved: Bool) {
    final class Buffer {}
    struct Value {
      var buffer = Buffer()
      var isShared = false
      mutating func change() { isShared = !isKnownUniquelyReferenced(&buffer) }
    }
    final class Model { @Observed var value = Value() }
    let model = Model()
    if wasObserved { model.$value.observe { _ in }.cancel() }
    model.value.change()
    #expect(!model.value.isShared)
    let token = model.$value.observe { _ in }
    model.value.change()
    #expect(model.value.isShared)
    withExtendedLifetime(token) {}
  }

  @Test("In manual mode sets store silently, and the owner reports")
  func manual() {
    final class Model {
      @Observed(notifies: .manually) var number = 0

      var numberProperty: Observed<Int> { _number }
    }
    let model = Model()
    let notes = Notes<String>()
    let token = model.$number.observe(prior: true) { notes.append($0.text) }
    model.number = 1
    model.number = 2
    #expect(notes.entries.isEmpty)
    #expect(model.number == 2)
    model.numberProperty.notifyChange(from: 0)
    model.numberProperty.notifyChange(from: 2)
    #expect(notes.entries == ["0→2", "2→2"])
    withExtendedLifetime(token) {}
  }

  @Test("A silent write notifies no observer and runs no validator")
  func silently() throws {
    let account = Account()
    let notes = Notes<String>()
    let tokens = [
      account.balanceProperty.validate { _, _ in false },
      account.$balance.observe(prior: true) { notes.append($0.text) },
    ]
    let answer = account.balanceProperty.withoutNotifying { balance in
      balance = 7
      return "done"
    }
    #expect(answer == "done")
    #expect(account.balance == 7)
    #expect(notes.entries.isEmpty)
    account.balanceProperty.notifyChange(from: 0)
    #expect(notes.entries == ["0→7"])
    #expect(throws: CancellationError.self) {
      try account.balanceProperty.withoutNotifying { balance in
        balance = 8
        throw CancellationError()
      }
    }
    #expect(account.balance == 8)
    withExtendedLifetime(tokens) {}
  }

  @Test("Registering during a mutation in place is allowed")
  func registeringMeanwhile() {
    let account = Account()
    let tokens = Notes<Token>()
    account.balanceProperty.withoutNotifying { _ in
      tokens.append(account.$names.observe { _ in })
      tokens.append(account.balanceProperty.validate { _, _ in true })
    }
    account.names.append("a")
    #expect(tokens.entries.allSatisfy { $0.isActive })
  }
}
