import EventBus
import TestSupport
import Testing

@Suite("Action tokens")
struct OwnTokenTests {
  @Test("The action runs once, when the token is cancelled")
  func actionOnCancel() {
    let ended = Counter()
    var token: Token? = Token { ended.add() }
    #expect(token?.isActive == true)
    #expect(ended.value == 0)
    token?.cancel()
    #expect(ended.value == 1)
    #expect(token?.isActive == false)
    token?.cancel()
    token = nil
    #expect(ended.value == 1)
    withExtendedLifetime(token) {}
  }

  @Test("An action may end other tokens, whose actions end further ones")
  func chain() {
    let log = Log<Int>()
    var token: Token?
    for number in (0..<100).reversed() {
      token = Token { [next = token] in
        log.append(number)
        next?.cancel()
      }
    }
    token?.cancel()
    #expect(log.entries == Array(0..<100))
  }

  @Test("Dropping a token whose action owns another token ends both")
  func ownsAnother() {
    let ended = Log<String>()
    let inner = Holder(Token { ended.append("inner") })
    var outer: Token? = Token { [inner = inner.value] in
      ended.append("outer")
      withExtendedLifetime(inner) {}
    }
    inner.letGo()
    #expect(ended.entries == [])
    withExtendedLifetime(outer) {}
    outer = nil
    #expect(ended.entries == ["outer", "inner"])
  }
}
