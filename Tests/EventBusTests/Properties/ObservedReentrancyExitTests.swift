#if os(Linux) || os(macOS)
import EventBus
import TestSupport
import Testing

extension ObservedReentrancyTests {
  @Test("More than a hundred rounds cause one warning that names the property's source site")
  func warning() async throws {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      let account = Account()
      let token = account.$balance.observe { [unowned account] change in
        if change.new < 500 { account.balance += 1 }
      }
      account.balance = 1
      precondition(account.balance == 500)
      withExtendedLifetime(token) {}
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.split(separator: "\n").count == 1)
    #expect(message.contains("Samples.swift:6"))
  }

  @Test("A hundred rounds cause no warning")
  func noWarning() async throws {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      let account = Account()
      let token = account.$balance.observe { [unowned account] change in
        if change.new < 100 { account.balance += 1 }
      }
      account.balance = 1
      withExtendedLifetime(token) {}
    }
    #expect(try #require(result).standardErrorContent.isEmpty)
  }
}
#endif
