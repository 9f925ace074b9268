import EventBus
import TestSupport
import Testing

@Suite("Retired items by epoch")
struct RetiredItemsTests {
  @Test("Items two epochs old are returned in order, and nothing younger")
  func returnsInOrder() {
    var retired = RetiredItems<String>()
    retired.append("a", stamped: 4)
    retired.append("b", stamped: 5)
    retired.append("c", stamped: 5)
    #expect(take(&retired, at: 5).items == [])
    #expect(take(&retired, at: 6).items == ["a"])
    retired.append("d", stamped: 6)
    #expect(take(&retired, at: 7).items == ["b", "c"])
    #expect(retired.count == 1)
    #expect(take(&retired, at: 8).items == ["d"])
    #expect(retired.isEmpty)
  }

  @Test("Only a row of the previous epoch blocks the next epoch")
  func rows() {
    typealias Domain = ReclamationDomain
    for epoch: UInt in 4..<40 {
      #expect(Domain.rowHoldingBack(epoch) == Domain.row(of: epoch - 1))
      #expect(Domain.row(of: epoch) != Domain.row(of: epoch + 1))
      #expect(Domain.row(of: epoch - 1) != Domain.row(of: epoch + 1))
    }
  }

  @Test("The waiters of one stamp share a latch, which is removed once its stamp is two epochs old")
  func oneLatch() {
    var retired = RetiredItems<String>()
    let (first, second) = (retired.latch(stamped: 4), retired.latch(stamped: 5))
    #expect(retired.latch(stamped: 4) === first)
    #expect(retired.latch(stamped: 5) === second)
    #expect(retired.takeFree(at: 5).latches.isEmpty)
    #expect(take(&retired, at: 6).latches.map(ObjectIdentifier.init) == [ObjectIdentifier(first)])
    #expect(retired.latch(stamped: 5) === second)
    #expect(take(&retired, at: 7).latches.map(ObjectIdentifier.init) == [ObjectIdentifier(second)])
    #expect(retired.isEmpty)
  }

  @Test("At most three latches exist at once, and two after the open ones are removed")
  func boundedLatches() {
    var retired = RetiredItems<String>()
    var numbers = SampleNumbers(seed: 1)
    var most = 0
    for epoch: UInt in 4..<100 {
      for _ in 0..<size(20, full: 100) {
        // A registration may have ended long ago when its end is waited for.
        _ = retired.latch(stamped: UInt(numbers.next(below: Int(epoch) + 1)))
        most = max(most, retired.count)
        _ = take(&retired, at: epoch)
        #expect(retired.count <= 2)
      }
    }
    #expect(most == 3)
  }

  @Test("A latch with an older stamp does not change the order of the items")
  func itemsAndLatches() {
    var retired = RetiredItems<Int>()
    var numbers = SampleNumbers(seed: 2)
    var (epoch, next, returned): (UInt, Int, [Int]) = (4, 0, [])
    for _ in 0..<1_000 {
      switch numbers.next(below: 4) {
      case 0: epoch += 1
      case 1: _ = retired.latch(stamped: epoch - UInt(numbers.next(below: 4)))
      default:
        retired.append(next, stamped: epoch)
        next += 1
      }
      returned += take(&retired, at: epoch).items
      #expect(returned + retired.entries.map(\.item) == Array(0..<next))
    }
  }

  /// Removes what may be freed, and checks the rest.
  private func take<Item>(
    _ retired: inout RetiredItems<Item>,
    at epoch: UInt
  ) -> (items: [Item], latches: [Latch]) {
    let free = retired.takeFree(at: epoch)
    retired._checkInvariants(at: epoch)
    return free
  }
}
