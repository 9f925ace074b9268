import EventBus
import Testing

@Suite("Retired storage by epoch")
struct LimboTests {
  @Test("Storage two epochs old is returned in order, and nothing younger")
  func givesBackInOrder() {
    var limbo = Limbo<String>()
    limbo.append("a", stamped: 4)
    limbo.append("b", stamped: 5)
    limbo.append("c", stamped: 5)
    limbo.append("d", stamped: 6)
    #expect(limbo.takeFree(at: 5) == [])
    #expect(limbo.takeFree(at: 6) == ["a"])
    #expect(limbo.takeFree(at: 7) == ["b", "c"])
    #expect(limbo.count == 1)
    #expect(limbo.takeFree(at: 8) == ["d"])
    #expect(limbo.isEmpty)
  }

  @Test("Only a row of the previous epoch blocks the next epoch")
  func rows() {
    for epoch: UInt in 4..<40 {
      #expect(Epochs.rowHoldingBack(epoch) == Epochs.row(of: epoch - 1))
      #expect(Epochs.row(of: epoch) != Epochs.row(of: epoch + 1))
      #expect(Epochs.row(of: epoch - 1) != Epochs.row(of: epoch + 1))
    }
  }
}
