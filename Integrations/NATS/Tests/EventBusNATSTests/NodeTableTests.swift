import EventBusNATS
import Testing

@Suite("The rule for present nodes", .timeLimit(.minutes(5)))
struct NodeTableRuleTests {
  private struct Table {
    var table: NodeTable
    let start = ContinuousClock.now
    init(limit: Int = 10_000, own: (node: String, incarnation: UInt64)? = nil) {
      table = NodeTable(limit: limit, own: own)
    }

    mutating func heard(
      _ incarnation: UInt64,
      _ seconds: Double,
      _ node: String = "a",
      interval: Duration = .seconds(1)
    ) -> [NodeTable.Change] {
      table.heard(node, incarnation, interval: interval, at: start + .seconds(seconds))
    }

    mutating func left(_ incarnation: UInt64, _ seconds: Double) -> [NodeTable.Change] {
      table.left("a", incarnation, at: start + .seconds(seconds))
    }

    mutating func expire(_ seconds: Double) -> [NodeTable.Change] {
      table.expire(at: start + .seconds(seconds))
    }
  }

  @Test(
    "A node joins, leaves, falls silent after three heartbeats, and is replaced by its next process"
  )
  func life() {
    var table = Table()
    #expect(table.heard(1, 0) == [.joined("a")])
    #expect(table.heard(1, 1) == [])
    #expect(table.expire(3.999) == [])
    #expect(table.expire(4) == [.left("a")])
    #expect(table.heard(1, 5) == [.joined("a")])
    #expect(table.heard(2, 6) == [.left("a"), .joined("a")])
    #expect(table.heard(1, 7) == [], "a heartbeat that was on its way")
    #expect(table.left(1, 7) == [])
    #expect(table.left(2, 7) == [.left("a")])
    #expect(table.heard(2, 8) == [], "a heartbeat that was on its way")
    #expect(table.heard(3, 9) == [.joined("a")])
    #expect(table.table.present == ["a"])
  }

  @Test("A heartbeat after a goodbye rejoins after three intervals, and not before")
  func forgedGoodbye() {
    var table = Table()
    #expect(table.heard(1, 0) == [.joined("a")])
    #expect(table.left(1, 0.5) == [.left("a")])
    for time in [1, 2, 3, 3.49] { #expect(table.heard(1, time) == []) }
    #expect(table.table.present == [])
    // A repeated announcement of the end does not prolong it.
    #expect(table.left(1, 3.4) == [])
    #expect(table.heard(1, 3.5) == [.joined("a")])
    #expect(table.table.present == ["a"] && table.expire(6.4) == [])
    // The same, if it was forgotten meanwhile.
    #expect(table.left(1, 6.4) == [.left("a")])
    #expect(table.expire(9.4) == [] && table.heard(1, 9.5) == [.joined("a")])
  }

  @Test("A forged interval does not prolong the absence after a forged goodbye")
  func forgedInterval() {
    for forged in [2.0, 60, 3600] {
      var table = Table()
      #expect(table.heard(1, 0) == [.joined("a")])
      #expect(table.heard(1, 0.4, interval: .seconds(forged)) == [])
      #expect(table.left(1, 0.5) == [.left("a")])
      // Forged again, while the genuine ones go on.
      for time in [1.0, 2, 3] { #expect(table.heard(1, time) == []) }
      #expect(table.heard(1, 3.2, interval: .seconds(forged)) == [])
      #expect(table.heard(1, 4) == [.joined("a")])
      #expect(table.expire(6.9) == [] && table.expire(7) == [.left("a")])
    }
  }

  @Test("Of the time between heartbeats at most a minute is believed")
  func longIntervals() {
    var table = Table()
    #expect(table.heard(1, 0, interval: .seconds(3600)) == [.joined("a")])
    #expect(table.expire(179.9) == [] && table.expire(180) == [.left("a")])
  }

  @Test("A full table ignores further nodes, reports that, and has room again after three minutes")
  func full() {
    var table = Table(limit: 100)
    for index in 0..<100 as Range<UInt64> {
      let name = "forged-\(index)"
      #expect(table.heard(index, 0, name, interval: .seconds(3600)) == [.joined(name)])
    }
    for time in [0.0, 1, 100] { #expect(table.heard(1, time) == [.ignored("a")]) }
    #expect(table.table.present.count == 100)
    // The known nodes are noticed all the same.
    #expect(table.heard(7, 100, "forged-7") == [])
    #expect(table.expire(180).count == 100)
    #expect(table.heard(1, 181) == [.joined("a")])
  }

  @Test("Incarnations of one name fill the table as well, and those that have left make room")
  func fullByOneName() {
    var table = Table(limit: 100)
    var joins = 0
    for index in 1...1000 as ClosedRange<UInt64> {
      joins += table.heard(index, Double(index) * 0.001).count { $0 == .joined("a") }
    }
    // Each has replaced the one before, which makes room, once a second.
    #expect(joins >= 100 && table.table.present == ["a"])
    #expect(table.heard(7, 3, "b") == [.joined("b")])
  }

  @Test("Several processes of one name clash once, and stay until the last of them has left")
  func clash() {
    var table = Table()
    #expect(table.heard(1, 0) == [.joined("a")])
    #expect(table.heard(2, 0.2) == [.left("a"), .joined("a")])
    #expect(table.heard(3, 0.4) == [.left("a"), .joined("a")])
    var changes: [NodeTable.Change] = []
    for beat in 1...50 {
      for incarnation in 1...3 as ClosedRange<UInt64> {
        changes += table.heard(incarnation, Double(beat) + Double(incarnation) / 10)
      }
      changes += table.expire(Double(beat) + 0.5)
    }
    #expect(changes == [.clashed("a")])
    // Another one is not news.
    #expect(table.heard(4, 51) == [] && table.left(4, 51.1) == [])
    // The newest dies: the others stay.
    for beat in 51...60 {
      #expect(table.heard(1, Double(beat)) == [] && table.heard(2, Double(beat)) == [])
      #expect(table.expire(Double(beat) + 0.5) == [])
    }
    #expect(table.left(1, 61) == [] && table.table.present == ["a"])
    #expect(table.left(2, 61) == [.left("a")] && table.table.present == [])
  }

  @Test("When the newer of two dies, by a goodbye or in silence, the older stays visible")
  func newerDies() {
    for isPolite in [true, false] {
      var table = Table()
      #expect(table.heard(1, 0) == [.joined("a")])
      #expect(table.heard(2, 0.5) == [.left("a"), .joined("a")])
      #expect(table.heard(1, 1) == [] && table.heard(2, 1.5) == [])
      #expect(table.heard(1, 2) == [.clashed("a")] && table.heard(2, 2.5) == [])
      if isPolite { #expect(table.left(2, 2.6) == []) }
      for beat in 3...20 {
        #expect(table.heard(1, Double(beat)) == [] && table.expire(Double(beat) + 0.1) == [])
        #expect(table.table.present == ["a"])
      }
      // A new clash is news.
      #expect(table.heard(3, 21) == [.left("a"), .joined("a")])
      #expect(table.heard(1, 22.5) == [.clashed("a")])
    }
  }

  @Test("When the newer dies before the clash is known, the older is back with its next heartbeat")
  func newerDiesSoon() {
    var table = Table()
    #expect(table.heard(1, 0) == [.joined("a")])
    #expect(table.heard(2, 0.5) == [.left("a"), .joined("a")])
    #expect(table.left(2, 0.6) == [.left("a")])
    #expect(table.heard(1, 1) == [] && table.heard(1, 2) == [.joined("a")])
  }

  @Test("A process that has the own name clashes; a predecessor that is ending does not")
  func ownName() {
    var table = Table(own: ("a", 9))
    #expect(table.heard(9, 0) == [] && table.table.present == [])
    #expect(table.heard(1, 0) == [.joined("a")] && table.heard(1, 1) == [])
    #expect(table.left(1, 1.1) == [.left("a")])
    #expect(table.heard(2, 5) == [.joined("a")] && table.heard(2, 6) == [])
    #expect(table.heard(2, 7) == [.clashed("a")] && table.heard(2, 8) == [])
    #expect(table.heard(3, 8) == [], "a third one is not news")
  }

  @Test(
    "For any messages, joins and leaves alternate for each node, and agree with the present nodes"
  )
  func anything() {
    for seed in 1...20 as ClosedRange<UInt64> { anything(seed) }
  }

  private func anything(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var table = NodeTable(limit: 6, own: ("a", 1))
    var now = ContinuousClock.now
    var present: Set<String> = []
    let names = ["a", "b", "c"]
    for _ in 0..<5000 {
      now += .milliseconds(Int.random(in: 0...700, using: &generator))
      let name = names[Int.random(in: 0..<3, using: &generator)]
      let incarnation = UInt64.random(in: 1...4, using: &generator)
      var changes: [NodeTable.Change] = []
      switch Int.random(in: 0..<20, using: &generator) {
      case 0...12: changes = table.heard(name, incarnation, interval: .seconds(1), at: now)
      case 13...15: changes = table.left(name, incarnation, at: now)
      case 16: table.excuse(until: now + .seconds(2))
      case 17 where generator.happens(5): changes = table.leaveAll()
      default: changes = table.expire(at: now)
      }
      for change in changes {
        switch change {
        case .joined(let name): #expect(present.insert(name).inserted, "seed \(seed)")
        case .left(let name): #expect(present.remove(name) != nil, "seed \(seed)")
        case .clashed(let name): #expect(present.contains(name), "seed \(seed)")
        case .ignored: break
        }
      }
      #expect(table.present == present.sorted(), "seed \(seed)")
    }
  }

  @Test("A node that keeps beating is never hidden for longer than three intervals and a beat")
  func keepsBeating() {
    for seed in 1...20 as ClosedRange<UInt64> { keepsBeating(seed) }
  }

  private func keepsBeating(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var table = Table()
    var hidden = 0
    var forged = 0.0
    for beat in 0..<2000 {
      let time = Double(beat)
      _ = table.heard(1, time)
      // Goodbyes of the node, and heartbeats of other incarnations, at most once in eight seconds.
      if time - forged >= 8, generator.happens(50) {
        forged = time
        let other = generator.next()
        if generator.happens(50) { _ = table.heard(1, time + 0.4, interval: .seconds(60)) }
        _ = generator.happens(50) ? table.left(1, time + 0.5) : table.heard(other, time + 0.5)
      }
      _ = table.expire(time + 0.9)
      hidden = table.table.present == ["a"] ? 0 : hidden + 1
      #expect(hidden <= 4, "seed \(seed)")
    }
  }
}
