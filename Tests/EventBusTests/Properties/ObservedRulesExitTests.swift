#if os(Linux) || os(macOS)
import EventBus
import TestSupport
import Testing

extension ObservedRulesTests {
  @Test("Using the property during its mutation in place traps with its source site")
  func exclusive() async throws {
    func message(_ result: ExitTest.Result?) throws -> String {
      String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    }
    let reading = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let account = Account()
      account.namesProperty.withoutNotifying { $0.append("\(account.names.count)") }
    }
    // A mutation that an observer of changes turns into an assignment is not an exception.
    let readingObserved = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let account = Account()
      let token = account.$names.observe { _ in }
      func add(to names: inout [String]) { names.append("\(account.names.count)") }
      add(to: &account.names)
      token.cancel()
    }
    let setting = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let account = Account()
      account.namesProperty.withoutNotifying { _ in account.names = [] }
    }
    for text in [try message(reading), try message(readingObserved), try message(setting)] {
      #expect(text.contains("Samples.swift:7"))
      #expect(text.contains("mutated in place"))
    }
  }
}
#endif
