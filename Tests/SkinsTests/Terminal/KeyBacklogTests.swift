import Terminal
import Testing

@Suite("Keys typed while skins is busy")
struct KeyBacklogTests {
  @Test("At most 256 keys wait, and each handled key makes room for one")
  func bound() {
    let backlog = KeyBacklog()
    let admitted = (0..<100_000).count { _ in backlog.add() }
    #expect(admitted == 256)
    backlog.remove()
    #expect(backlog.add())
    #expect(!backlog.add())
    for _ in 0..<256 { backlog.remove() }
    #expect((0..<1_000).count { _ in backlog.add() } == 256)
  }
}
