import EventBus
import TestSupport
import Testing

@Suite("Watched observers")
struct WatchedObserversTests {
  /// A sink that stores its position.
  private func sink(_ owner: PlainOwner) -> AnySink {
    let list = ObserverList(counts: ListCounts())
    let registration = ObserverRegistration(list, at: CallSite(#fileID, #line))
    return AnySink(registration, priority: 0)
  }

  @Test("Every remaining observer is found exactly once, whichever were removed")
  func anyOrder() {
    var numbers = SampleNumbers(seed: 1)
    let owner = PlainOwner()
    var watched = WatchedObservers()
    var expected: [AnySink] = []
    for _ in 0..<500 {
      if expected.isEmpty || numbers.next(below: 5) < 3 {
        let added = sink(owner)
        watched.insert(added)
        expected.append(added)
      } else {
        let removed = expected.remove(at: numbers.next(below: expected.count))
        watched.remove(removed)
        watched.remove(removed)
      }
      watched._checkInvariants()
      #expect(watched.count == expected.count)
      #expect(Set(watched.all) == Set(expected.map(\.address)))
    }
    #expect(watched[watched.count] == 0)
  }

  @Test("Capacity for many observers is returned after their removal")
  func shrinks() {
    let owner = PlainOwner()
    var watched = WatchedObservers()
    let observers = (0..<1_000).map { _ in sink(owner) }
    for observer in observers { watched.insert(observer) }
    watched._checkInvariants()
    for observer in observers {
      watched.remove(observer)
      watched._checkInvariants()
    }
    #expect(watched.all.capacity <= 32)
  }
}
