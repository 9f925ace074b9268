import Checklist
import Testing

@Suite("Checklist")
struct ChecklistTests {
  @Test("A true line shows its number, its claim and the actual value")
  func trueLine() {
    var list = Checklist()
    #expect(add(&list, "The sum", "3", "3") == " 1. ok  The sum: 3")
  }

  @Test("A wrong line is marked and shows the expected value")
  func wrongLine() {
    var list = Checklist()
    #expect(add(&list, "The sum", "4", "3") == " 1. WRONG  The sum: 4; expected: 3")
  }

  @Test("Lines are numbered in order, with aligned numbers")
  func numbers() {
    var list = Checklist()
    let lines = (1...12).map { _ in add(&list, "x", "", "") }
    #expect(lines.map { $0.prefix(3) } == (1...9).map { " \($0)." } + ["10.", "11.", "12."])
  }

  @Test("If every line is true, the exit status is 0")
  func allTrue() {
    var list = Checklist()
    for _ in 0..<3 { _ = add(&list, "x", "a", "a") }
    #expect(list.exitStatus == 0)
    #expect(list.summary == "3 of 3 lines are true.")
  }

  @Test("If any line is wrong, the exit status is 1", arguments: 0..<3)
  func oneWrong(_ wrong: Int) {
    var list = Checklist()
    for number in 0..<3 { _ = add(&list, "x", "a", number == wrong ? "b" : "a") }
    #expect(list.exitStatus == 1)
    #expect(list.wrongCount == 1)
    #expect(list.summary == "2 of 3 lines are true.")
  }

  @Test("A story without lines proves nothing: the exit status is 1")
  func empty() {
    #expect(Checklist().exitStatus == 1)
  }

  private func add(
    _ list: inout Checklist,
    _ sentence: String,
    _ found: String,
    _ expected: String
  ) -> String {
    list.line(sentence, found, is: expected)
  }
}
