import EventBus
import TestSupport
import Testing

@Suite("Observer registrations", .timeLimit(.minutes(5)))
struct ObserverRegistrationTests {
  private let registration: ObserverRegistration
  private let sink: HandlerSink<Int>
  private let post = Post(at: CallSite(#fileID, #line))

  private init() {
    let list = ObserverList(counts: ListCounts())
    registration = ObserverRegistration(list, at: CallSite(#fileID, #line))
    let request = ObserveRequest(once: true, at: registration.site)
    sink = HandlerSink(registration, request, nil, on: nil) { _, _ in
      Issue.record("Its registration has ended.")
    }
    list.add(sink)
  }

  private var knownSink: AnySink? { registration.sink(as: AnySink.self) }

  @Test("No call begins after the end, even if a post already holds the sink")
  func beginsNoMore() {
    #expect(knownSink === sink)
    registration.end()
    #expect(!registration.isActive)
    #expect(!registration.beginCall())
    #expect(knownSink == nil)
    #expect(sink.receive(1, post) == .cancelled)
  }

  @Test("An only call is used even if the registration is cancelled just before that call begins")
  func cancelledBeforeItsCall() {
    registration.end()
    #expect(registration.refusal == .cancelled)
    registration.endWithCall()
    #expect(registration.refusal == .spent)
    registration.endWithCall()
    #expect(registration.refusal == .spent)
  }

  @Test("A list that is closed ends its registrations, and those of sinks that are added later")
  func closedList() {
    let list = registration.list
    list.close()
    #expect(registration.hasEnded)
    #expect(knownSink == nil)
    let late = ObserverRegistration(list, at: registration.site)
    let isAdded = list.add(PlainSink<Int>(late, priority: 0) { _ in })
    #expect(!isAdded)
    #expect(late.hasEnded)
    #expect(list.count == 0)
    list._checkInvariants()
  }

  @Test("waitUntilFinished() waits for every call that began before the end, and for no other")
  func waitsForCalls() async {
    #expect(registration.beginCall())
    #expect(registration.beginCall())
    registration.end()
    #expect(!registration.beginCall())
    let hasReturned = Latch()
    let waiting = Task { [registration] in
      await registration.waitUntilFinished()
      hasReturned.open()
    }
    await rest()
    registration.finish()
    #expect(!registration.beginCall())
    await rest()
    #expect(!hasReturned.isOpen)
    registration.finish()
    await waiting.value
    await registration.waitUntilFinished()
  }

  @Test("A handler that waits inside its own call waits for the other calls")
  func waitsForOthers() async {
    let isWaiting = Latch()
    #expect(registration.beginCall())
    #expect(registration.beginCall())
    registration.end()
    let waiting = Task { [registration] in
      await RunningCall.run(registration, callers: []) {
        isWaiting.open()
        await registration.waitUntilFinished()
        registration.finish()
      }
    }
    await isWaiting.wait()
    await rest()
    registration.finish()
    await waiting.value
    await registration.waitUntilFinished()
  }
}
