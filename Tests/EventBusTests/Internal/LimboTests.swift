import EventBus
import Testing

@Suite("Limbo")
struct LimboTests {
  @Test("Gives back in order what is two epochs old, and nothing younger")
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

  @Test("What comes later with an older stamp goes with its age group, behind it")
  func olderStamp() {
    var limbo = Limbo<String>()
    limbo.append("a", stamped: 4)
    limbo.append("b", stamped: 5)
    limbo.append("c", stamped: 6)
    limbo.append("after b", stamped: 5)
    limbo.append("first", stamped: 0)
    #expect(limbo.takeFree(at: 4) == ["first"])
    limbo.append("after a", stamped: 4)
    #expect(limbo.takeFree(at: 7) == ["a", "after a", "b", "after b"])
    #expect(limbo.takeFree(at: 8) == ["c"])
  }

  @Test("The row that holds an epoch back is the one of the epoch before")
  func rows() {
    for epoch: UInt in 4..<40 {
      #expect(Epochs.rowHoldingBack(epoch) == Epochs.row(of: epoch - 1))
      #expect(Epochs.row(of: epoch) != Epochs.row(of: epoch + 1))
      #expect(Epochs.row(of: epoch - 1) != Epochs.row(of: epoch + 1))
    }
  }
}
