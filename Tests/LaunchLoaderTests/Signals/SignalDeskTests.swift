import LaunchLoader
import Testing

@Suite("Signal listener rules")
struct SignalDeskTests {
  private typealias Desk = SignalDesk<String>

  @Test("A handler is installed with the first listener and restored with the last")
  func counts() {
    var desk = Desk()
    let first = desk.open([1, 15])
    let second = desk.open([15, 2])
    #expect(first.installed == [1, 15])
    #expect(second.installed == [2])
    #expect(desk.close(first.key).restored == [1])
    #expect(desk.isHeard(15))
    #expect(desk.close(second.key).restored == [2, 15])
    #expect(!desk.isHeard(15))
    #expect(desk.open([15]).installed == [15])
  }

  @Test("Closing a listener twice has no further effect")
  func closesOnce() {
    var desk = Desk()
    let key = desk.open([15]).key
    #expect(desk.close(key).restored == [15])
    let again = desk.close(key)
    #expect(again.restored.isEmpty && again.resent.isEmpty && again.waiters.isEmpty)
    #expect(desk.take(key, waiter: "late") == .ended)
  }

  @Test("A signal reaches all its listeners, the oldest first, and no others")
  func everybody() {
    var desk = Desk()
    let keys = [desk.open([15]).key, desk.open([2]).key, desk.open([15, 2]).key]
    for (index, key) in keys.enumerated() {
      #expect(desk.take(key, waiter: "\(index)") == .nothing)
    }
    #expect(desk.arrive(15, isInjected: false).waiters == ["0", "2"])
    #expect(desk.arrive(2, isInjected: false).waiters == ["1"])
    #expect(desk.take(keys[2], waiter: "again") == .signal(2))
  }

  @Test("Signals of one number merge until taken, and different ones keep their order")
  func coalesces() {
    var desk = Desk()
    let key = desk.open([1, 2, 15]).key
    for number: Int32 in [15, 1, 15, 2, 1] {
      #expect(desk.arrive(number, isInjected: false).waiters.isEmpty)
    }
    #expect(desk.take(key, waiter: "") == .signal(15))
    #expect(desk.take(key, waiter: "") == .signal(1))
    #expect(desk.take(key, waiter: "") == .signal(2))
    #expect(desk.take(key, waiter: "") == .nothing)
  }

  @Test("Of several tasks waiting at one listener, the first receives the signal")
  func severalWaiters() {
    var desk = Desk()
    let key = desk.open([15]).key
    #expect(desk.take(key, waiter: "first") == .nothing)
    #expect(desk.take(key, waiter: "second") == .nothing)
    #expect(desk.arrive(15, isInjected: true).waiters == ["first"])
    #expect(desk.close(key).waiters == ["second"])
  }

  @Test("A signal without listeners is unheard, unless it was injected")
  func unheard() {
    var desk = Desk()
    #expect(desk.arrive(15, isInjected: false).isUnheard)
    #expect(!desk.arrive(15, isInjected: true).isUnheard)
    let key = desk.open([2]).key
    #expect(desk.arrive(15, isInjected: false).isUnheard)
    #expect(!desk.arrive(2, isInjected: false).isUnheard)
    _ = desk.close(key)
  }

  /// The inputs of two listeners, A and B, of one signal.
  enum Event: Sendable { case arrive, inject, takeA, takeB, closeA, closeB, openA, openB }

  @Test(
    "A signal is sent again when its last possible listener leaves without having taken it",
    arguments: [
      ([.openA, .arrive, .closeA], 1),
      ([.openA, .arrive, .takeA, .closeA], 0),
      ([.openA, .inject, .closeA], 0),
      ([.openA, .inject, .arrive, .closeA], 1),
      ([.openA, .arrive, .inject, .closeA], 1),
      ([.openA, .arrive, .takeA, .arrive, .closeA], 1),
      ([.openA, .openB, .arrive, .takeA, .closeA, .closeB], 0),
      ([.openA, .openB, .arrive, .takeB, .closeA, .closeB], 0),
      ([.openA, .openB, .arrive, .closeA, .takeB, .closeB], 0),
      ([.openA, .openB, .arrive, .closeA, .closeB], 1),
      ([.openA, .openB, .arrive, .takeA, .arrive, .closeA, .closeB], 1),
      ([.openA, .openB, .arrive, .takeA, .arrive, .takeA, .closeA, .closeB], 0),
      ([.openA, .arrive, .openB, .closeA, .closeB], 1),
      ([.openA, .arrive, .openB, .takeA, .closeB, .closeA], 0),
      ([.takeA, .openA, .takeA, .arrive, .closeA], 0),
    ] as [([Event], Int)]
  )
  func resends(_ events: [Event], _ count: Int) {
    var desk = Desk()
    var keys: [Bool: Desk.Key] = [:]
    var resent = 0
    func close(_ isA: Bool) { resent += keys[isA].map { desk.close($0).resent.count } ?? 0 }
    func take(_ isA: Bool) { if let key = keys[isA] { _ = desk.take(key, waiter: "") } }
    for event in events {
      switch event {
      case .arrive: #expect(!desk.arrive(15, isInjected: false).isUnheard)
      case .inject: _ = desk.arrive(15, isInjected: true)
      case .takeA: take(true)
      case .takeB: take(false)
      case .closeA: close(true)
      case .closeB: close(false)
      case .openA: keys[true] = desk.open([15]).key
      case .openB: keys[false] = desk.open([15]).key
      }
    }
    #expect(resent == count)
  }

  @Test("A direct listener receives each signal at once, and none is sent again")
  func direct() {
    var desk = Desk()
    let direct = desk.open([1, 15], isDirect: true)
    let stream = desk.open([15])
    #expect(direct.installed == [1, 15])
    #expect(desk.arrive(15, isInjected: false).direct == [direct.key])
    #expect(desk.arrive(1, isInjected: false).direct == [direct.key])
    // The direct one took it.
    #expect(desk.close(stream.key).resent.isEmpty)
    let closing = desk.close(direct.key)
    #expect(closing.restored == [1, 15] && closing.resent.isEmpty)
    // It was on its way when the listener went.
    let late = desk.arrive(15, isInjected: false)
    #expect(!late.isUnheard && late.isDropped)
    #expect(!desk.arrive(15, isInjected: true).isDropped)
    let next = desk.open([15]).key
    _ = desk.close(next)
    #expect(desk.arrive(15, isInjected: false).isUnheard)
  }

  @Test("When all listeners leave at once every waiter resumes, and no signal is sent again")
  func closesAll() {
    var desk = Desk()
    let first = desk.open([15]).key
    _ = desk.open([1], isDirect: true)
    #expect(desk.take(first, waiter: "first") == .nothing)
    let closing = desk.closeAll()
    #expect(closing.waiters == ["first"])
    #expect(Set(closing.restored) == [1, 15] && closing.resent.isEmpty)
    #expect(!desk.isHeard(15) && !desk.isHeard(1))
  }
}
