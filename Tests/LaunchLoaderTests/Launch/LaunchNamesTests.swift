import LaunchLoader
import TestSupport
import Testing

@Suite("Names of launch work")
struct LaunchNamesTests {
  @Test("A name has the row that took it first, until it is released")
  func model() { for seed in 1...size(5, full: 20) { check(seed) } }

  private func check(_ seed: Int) {
    var numbers = SampleNumbers(seed: seed)
    var names = LaunchNames()
    var model: [LaunchID: Int] = [:]
    for row in 0..<1_000 {
      let id = LaunchID("name \(numbers.next(below: 300))")
      if numbers.next(below: 3) == 0 {
        names.release(id)
        model[id] = nil
      } else {
        #expect(names.take(id, for: row) == model[id], "seed \(seed)")
        if model[id] == nil { model[id] = row }
      }
      if row.isMultiple(of: 50) { names._checkInvariants() }
    }
    for number in 0..<300 {
      let id = LaunchID("name \(number)")
      #expect(names.row(of: id) == model[id], "seed \(seed)")
    }
  }

  @Test("An empty table has no names")
  func empty() {
    var names = LaunchNames()
    names.release("a")
    #expect(names.row(of: "a") == nil)
    names._checkInvariants()
  }

  @Test("Names that are canonically equivalent are one name")
  func equivalent() {
    for (name, other) in [("caf\u{E9}", "cafe\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}")] {
      var names = LaunchNames()
      #expect(names.take(LaunchID(stringLiteral: name), for: 1) == nil)
      #expect(names.row(of: LaunchID(stringLiteral: other)) == 1)
    }
  }
}
