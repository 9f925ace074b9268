import EventBus
import TestSupport
import Testing

@Suite("Fences")
struct FencesTests {
  @Test("Fences of one stamp share a latch, which is removed once its stamp is two epochs old")
  func oneLatch() {
    var fences = Fences()
    let (first, second) = (fences.latch(stamped: 4), fences.latch(stamped: 5))
    #expect(fences.latch(stamped: 4) === first)
    #expect(fences.latch(stamped: 5) === second)
    #expect(fences.takeFree(at: 5).isEmpty)
    #expect(fences.takeFree(at: 6).map(ObjectIdentifier.init) == [ObjectIdentifier(first)])
    #expect(fences.latch(stamped: 5) === second)
    #expect(fences.takeFree(at: 7).map(ObjectIdentifier.init) == [ObjectIdentifier(second)])
    #expect(fences.isEmpty)
  }

  @Test("At most three fences exist at once, and two after the open ones are removed")
  func bounded() {
    var fences = Fences()
    var numbers = SampleNumbers(seed: 1)
    var most = 0
    for epoch: UInt in 4..<1_000 {
      for _ in 0..<100 {
        // A registration may have ended long ago when its end is waited for.
        _ = fences.latch(stamped: UInt(numbers.next(below: Int(epoch) + 1)))
        most = max(most, fences.count)
        _ = fences.takeFree(at: epoch)
        #expect(fences.count <= 2)
      }
    }
    #expect(most == 3)
  }

  @Test("During a call, a thousand fences are one waiting entry, and the call's end opens them")
  func whileACallRuns() throws {
    let domain = ReclamationDomain()
    domain.prepare()
    let entered = domain.enter()
    let visit = try #require(entered)
    let stamp = domain.stamp
    var latches: [Latch] = []
    for _ in 0..<1_000 { latches.append(domain.fence(stamped: stamp)) }
    let waitingCount = domain.waitingCount
    #expect(waitingCount == 1)
    #expect(latches.allSatisfy { !$0.isOpen })
    domain.leave(visit)
    #expect(latches.allSatisfy { $0.isOpen })
    let restCount = domain.waitingCount
    #expect(restCount == 0)
  }

  @Test("A fence requested while no call runs is open at once, whatever its stamp")
  func idle() {
    let domain = ReclamationDomain()
    domain.prepare()
    let (now, former) = (domain.fence(stamped: domain.stamp), domain.fence(stamped: 0))
    #expect(now.isOpen)
    #expect(former.isOpen)
    let waitingCount = domain.waitingCount
    #expect(waitingCount == 0)
  }

  @Test("Fences of cancelled tasks do not accumulate while a handler blocks its thread")
  func cancelled() async {
    let list = ObserverList(numbers: RegistrationCounter())
    let (isInside, mayLeave) = (ManualLatch(), ManualLatch())
    let observer = PlainObserver<Int>(fileID: #fileID, line: #line) { _ in
      isInside.open()
      mayLeave.block()
    }
    list.add(observer, priority: 0)
    async let posting: Void = onThreads(1) { _ in
      _ = list.deliver(1, watchesNesting: { false }, failed: { _, _ in })
    }
    await isInside.wait()
    for _ in 0..<100 {
      let waiting = Task { await list.waitUntilFree(nil) }
      waiting.cancel()
      await waiting.value
    }
    #expect(list.waitingCount <= 2)
    mayLeave.open()
    await posting
    #expect(list.waitingCount == 0)
    list.close()
  }
}
