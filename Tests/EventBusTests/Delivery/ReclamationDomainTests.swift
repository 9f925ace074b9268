import EventBus
import TestSupport
import Testing

@Suite("Waiting for readers")
struct ReclamationDomainTests {
  @Test("During a call, a thousand waiters share a latch, which the call's end opens")
  func whileACallRuns() throws {
    let domain = ReclamationDomain()
    domain.prepare()
    let entered = domain.enter()
    let visit = try #require(entered)
    let stamp = domain.stamp
    var latches: [Latch] = []
    for _ in 0..<1_000 { latches.append(domain.latch(stamped: stamp)) }
    let waitingCount = domain.waitingCount
    #expect(waitingCount == 1)
    domain._checkInvariants()
    #expect(latches.allSatisfy { !$0.isOpen })
    domain.leave(visit)
    #expect(latches.allSatisfy { $0.isOpen })
    let restCount = domain.waitingCount
    #expect(restCount == 0)
    domain._checkInvariants()
  }

  @Test("A latch requested while no call runs is open at once, whatever its stamp")
  func idle() {
    let domain = ReclamationDomain()
    domain.prepare()
    let (now, former) = (domain.latch(stamped: domain.stamp), domain.latch(stamped: 0))
    #expect(now.isOpen)
    #expect(former.isOpen)
    let waitingCount = domain.waitingCount
    #expect(waitingCount == 0)
  }

  @Test("Latches of cancelled tasks do not accumulate while a handler blocks its thread")
  func cancelled() async {
    let list = ObserverList(counts: ListCounts())
    let (isInside, mayLeave) = (ManualLatch(), ManualLatch())
    let registration = ObserverRegistration(list, at: CallSite(#fileID, #line))
    list.add(
      PlainSink<Int>(registration, priority: 0) { _ in
        isInside.open()
        mayLeave.block()
      }
    )
    async let posting: Void = onThreads(1) { _ in
      _ = list.deliver(1, from: nil, at: CallSite(#fileID, #line), on: nil)
    }
    await isInside.wait()
    for _ in 0..<100 {
      let waiting = Task { await list.waitUntilFree(list.stamp) }
      waiting.cancel()
      _ = await waiting.value
    }
    #expect(list.waitingCount <= 2)
    mayLeave.open()
    await posting
    #expect(list.waitingCount == 0)
    list._checkInvariants()
    list.close()
    list._checkInvariants()
  }
}
