import EventBus
import Testing

@Suite("Observer registrations", .timeLimit(.minutes(5)))
struct ObserverRegistrationTests {
  private let link: ObserverRegistration
  private let observer: GeneralObserver<Int>

  private init() {
    let list = ObserverList(numbers: RegistrationCounter())
    link = ObserverRegistration(list)
    let request = ObserveRequest(at: CallSite(#fileID, #line), once: true)
    let sink = GeneralObserver<Int>.Sink.poster { _, _ in
      Issue.record("Its registration has ended.")
    }
    observer = GeneralObserver(request, link: link, envelope: WaitingEvent<Int>.self, sink)
    link.connect(observer)
    list.add(observer, priority: 0)
  }

  @Test("No call begins after the end, even if a post already holds the observer")
  func beginsNoMore() throws {
    link.end(0)
    #expect(!link.isActive(0))
    #expect(!link.beginCall())
    let taken = link.begin()
    #expect(taken == nil)
    #expect(try observer.receive(1, on: 0) == nil)
    #expect(try observer.receive(1, Delivery(at: CallSite(#fileID, #line))) == .cancelled)
  }

  @Test("A list being emptied takes its observer back from a registration that is just ending")
  func emptiedWhileEnding() {
    // Another thread has marked the end and has not yet removed the observer.
    #expect(link.markEnded())
    link.disconnect()
    #expect(link.observerAddress == 0)
    let taken = link.begin()
    #expect(taken == nil)
  }

  @Test("waitUntilFinished() waits for every call that began before the end, and for no other")
  func waitsForCalls() async {
    #expect(link.beginCall())
    let taken = link.begin()
    #expect(taken === observer)
    link.end(0)
    #expect(!link.beginCall())
    let hasReturned = Latch()
    let waiting = Task { [link] in
      await link.waitUntilFinished(0)
      hasReturned.open()
    }
    for _ in 0..<100 { await Task.yield() }
    link.finish()
    #expect(!link.beginCall())
    for _ in 0..<100 { await Task.yield() }
    #expect(!hasReturned.isOpen)
    link.finish()
    await waiting.value
    await link.waitUntilFinished(0)
  }

  @Test("A handler that waits inside its own call waits for the other calls")
  func waitsForOthers() async {
    let isWaiting = Latch()
    #expect(link.beginCall())
    #expect(link.beginCall())
    link.end(0)
    let waiting = Task { [link] in
      await RunningCall.run(link, callers: []) {
        isWaiting.open()
        await link.waitUntilFinished(0)
        link.finish()
      }
    }
    await isWaiting.wait()
    for _ in 0..<100 { await Task.yield() }
    link.finish()
    await waiting.value
    await link.waitUntilFinished(0)
  }
}
