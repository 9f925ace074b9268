import EventBus
import Testing

@Suite("Ticket list")
struct TicketListTests {
  @Test("Elements keep their insertion order through removals")
  func keepsOrder() {
    var list = TicketList<Int>()
    let tickets = (0..<20).map { list.append($0) }
    for ticket in tickets where tickets.firstIndex(of: ticket)?.isMultiple(of: 2) == true {
      _ = list.remove(ticket)
    }
    _ = list.append(20)
    #expect(list.elements == [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 20])
    #expect(list.count == 11)
  }

  @Test("A ticket removes its own element, once")
  func removesOnce() {
    var list = TicketList<String>()
    let first = list.append("a")
    let second = list.append("b")
    #expect(list.remove(first) == "a")
    #expect(list.remove(first) == nil)
    #expect(list.remove(second) == "b")
    #expect(list.count == 0)
  }

  @Test("A ticket from before the list was emptied finds nothing")
  func staleTicket() {
    var list = TicketList<String>()
    let stale = list.append("a")
    #expect(list.removeAll() == ["a"])
    _ = list.append("b")
    #expect(list.remove(stale) == nil)
    #expect(list.elements == ["b"])
  }

  @Test("Slots number at most twice the elements, from eight on", arguments: 0..<8)
  func staysSmall(_ seed: Int) {
    var list = TicketList<Int>()
    var tickets: [TicketList<Int>.Ticket] = []
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
    for value in 0..<2_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      if state >> 62 == 0 || tickets.isEmpty {
        tickets.append(list.append(value))
      } else {
        let index = Int(state >> 33) % tickets.count
        #expect(list.remove(tickets.remove(at: index)) != nil)
        #expect(list.slotCount <= max(8, 2 * list.count))
      }
      #expect(list.count == tickets.count)
    }
  }
}
