import EventBus
import TestSupport
import Testing

@Suite("Observer registrations", .timeLimit(.minutes(5)))
struct ObserverRegistrationTests {
  private let registration: ObserverRegistration
  private let observer: GeneralObserver<Int>

  private init() {
    let list = ObserverList(numbers: RegistrationCounter())
    registration = ObserverRegistration(list)
    let request = ObserveRequest(once: true, at: CallSite(#fileID, #line))
    let sink = GeneralObserver<Int>.Sink.poster { _, _ in
      Issue.record("Its registration has ended.")
    }
    observer = GeneralObserver(request, registration, envelope: WaitingEvent<Int>.self, sink)
    list.add(observer, priority: 0)
  }

  @Test("No call begins after the end, even if a post already holds the observer")
  func beginsNoMore() throws {
    registration.end(0)
    #expect(!registration.isActive(0))
    #expect(!registration.beginCall())
    let taken = registration.begin()
    #expect(taken == nil)
    #expect(try observer.receive(1, on: 0) == nil)
    #expect(try observer.receive(1, Delivery(at: CallSite(#fileID, #line))) == .cancelled)
  }

  @Test("A list being emptied takes its observer back from a registration that is just ending")
  func emptiedWhileEnding() {
    // Another thread has marked the end and has not yet removed the observer.
    #expect(registration.markEnded())
    registration.disconnect()
    #expect(registration.observerAddress == 0)
    let taken = registration.begin()
    #expect(taken == nil)
  }

  @Test("waitUntilFinished() waits for every call that began before the end, and for no other")
  func waitsForCalls() async {
    #expect(registration.beginCall())
    let taken = registration.begin()
    #expect(taken === observer)
    registration.end(0)
    #expect(!registration.beginCall())
    let hasReturned = Latch()
    let waiting = Task { [registration] in
      await registration.waitUntilFinished(0)
      hasReturned.open()
    }
    await rest()
    registration.finish()
    #expect(!registration.beginCall())
    await rest()
    #expect(!hasReturned.isOpen)
    registration.finish()
    await waiting.value
    await registration.waitUntilFinished(0)
  }

  @Test("A handler that waits inside its own call waits for the other calls")
  func waitsForOthers() async {
    let isWaiting = Latch()
    #expect(registration.beginCall())
    #expect(registration.beginCall())
    registration.end(0)
    let waiting = Task { [registration] in
      await RunningCall.run(registration, callers: []) {
        isWaiting.open()
        await registration.waitUntilFinished(0)
        registration.finish()
      }
    }
    await isWaiting.wait()
    await rest()
    registration.finish()
    await waiting.value
    await registration.waitUntilFinished(0)
  }
}
