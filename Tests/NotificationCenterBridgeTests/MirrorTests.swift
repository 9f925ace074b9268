internal import EventBus
internal import Foundation
internal import NotificationCenterBridge
internal import TestSupport
internal import Testing

extension Notification.Name {
  fileprivate static let number = Notification.Name("SampleNumber")
  fileprivate static let other = Notification.Name("SampleOther")
  fileprivate static let signal = Notification.Name("SampleSignal")
}

extension EventNames {
  fileprivate static let signal = EventName<Void>("sample.signal")
  fileprivate static let number = EventName<Int>("sample.number")
  fileprivate static let other = EventName<Int>("sample.other")
  fileprivate static let text = EventName<String>("sample.text")
  fileprivate static let kept = EventName<Int>("sample.kept", replay: 1)
}

private final class Sender: Sendable {}

/// Observes a center until it is released.
private final class CenterLog: Sendable {
  private let center: NotificationCenter
  private let token: Token
  let numbers = Inbox<Int>()

  init(
    _ center: NotificationCenter,
    _ name: Notification.Name,
    _ body: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    self.center = center
    let numbers = numbers
    nonisolated(unsafe) let observer = center.addObserver(  // Reason: removed once.
      forName: name,
      object: nil,
      queue: nil
    ) {
      let number = $0.userInfo?["number"] as? Int ?? -1
      numbers.append(number)
      body(number)
    }
    token = Token { unsafe center.removeObserver(observer) }  // Reason: removed once.
  }
}

/// The identity of the calling thread.
private func identityOfThread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }

@Suite("Mirroring a notification center", .timeLimit(.minutes(5)))
struct MirrorTests {
  private let bus = EventBus()
  private let center = NotificationCenter()

  private func toBus() -> Token {
    bus.forward(.number, from: center, as: .number) { $0.userInfo?["number"] as? Int }
  }

  private func toCenter() -> Token {
    center.forward(.number, from: bus, as: .number) { ["number": $0] }
  }

  private func notify(_ number: Int, from object: AnyObject? = nil) {
    center.post(name: .number, object: object, userInfo: ["number": number])
  }

  @Test("A notification becomes an event, at once, until the token ends")
  func fromCenter() {
    let heard = Inbox<Int>()
    let handler = bus.observe(.number) { heard.append($0) }
    let token = toBus()
    notify(1)
    #expect(heard.entries == [1])
    token.cancel()
    notify(2)
    #expect(heard.entries == [1])
    withExtendedLifetime(handler) {}
  }

  @Test("An event becomes a notification, at once, until the token ends")
  func fromBus() {
    let log = CenterLog(center, .number)
    let token = toCenter()
    bus.post(.number, 1)
    #expect(log.numbers.entries == [1])
    token.cancel()
    bus.post(.number, 2)
    #expect(log.numbers.entries == [1])
  }

  @Test("A dropped token ends the mirror, in both directions")
  func dropped() {
    let (log, heard) = (CenterLog(center, .number), Inbox<Int>())
    let handler = bus.observe(.number) { heard.append($0) }
    _ = toBus()
    _ = toCenter()
    notify(1)
    bus.post(.number, 2)
    #expect(heard.entries == [2])
    #expect(log.numbers.entries == [1])
    withExtendedLifetime(handler) {}
  }

  @Test("With both directions, each side receives each post once")
  func noEcho() {
    let (log, heard) = (CenterLog(center, .number), Inbox<Int>())
    let handler = bus.observe(.number) { heard.append($0) }
    let tokens = [toBus(), toCenter()]
    notify(1)
    #expect(heard.entries == [1])
    #expect(log.numbers.entries == [1])
    bus.post(.number, 2)
    #expect(heard.entries == [1, 2])
    #expect(log.numbers.entries == [1, 2])
    withExtendedLifetime((tokens, handler)) {}
  }

  @Test("A closure that returns nil leaves a notification out")
  func leftOut() {
    let heard = Inbox<Int>()
    let handler = bus.observe(.number) { heard.append($0) }
    let token = toBus()
    center.post(name: .number, object: nil, userInfo: ["number": "one"])
    center.post(name: .other, object: nil, userInfo: ["number": 1])
    #expect(heard.entries.isEmpty)
    withExtendedLifetime((token, handler)) {}
  }

  @Test("The object of a notification is the sender of the event; a filter admits only its object")
  func objects() {
    let (wanted, stranger) = (Sender(), Sender())
    let (heard, fromWanted) = (Inbox<Int>(), Inbox<Int>())
    let handlers = [
      bus.observe(.number) { heard.append($0) },
      bus.observe(.number, from: wanted) { fromWanted.append($0) },
    ]
    let all = toBus()
    notify(1, from: wanted)
    notify(2, from: stranger)
    notify(3)
    #expect(heard.entries == [1, 2, 3])
    #expect(fromWanted.entries == [1])
    all.cancel()
    let one = bus.forward(.number, from: center, object: wanted, as: .number) {
      $0.userInfo?["number"] as? Int
    }
    notify(4, from: wanted)
    notify(5, from: stranger)
    notify(6)
    #expect(heard.entries == [1, 2, 3, 4])
    withExtendedLifetime((one, handlers)) {}
  }

  @Test("A filter on a dead object admits no later object, even at the same address")
  func deadObject() {
    let heard = Inbox<Int>()
    let handler = bus.observe(.number) { heard.append($0) }
    var object: Sender? = Sender()
    weak let released = object
    let token = bus.forward(.number, from: center, object: object, as: .number) {
      $0.userInfo?["number"] as? Int
    }
    object = nil
    if released == nil {
      for number in 0..<100 { notify(number, from: Sender()) }
      #expect(heard.entries.isEmpty)
    }
    withExtendedLifetime((token, handler)) {}
  }

  @Test("An event of a wanted sender becomes a notification with that object")
  func senders() {
    let (wanted, objects) = (Sender(), Inbox<ObjectIdentifier?>())
    nonisolated(unsafe) let observer = center.addObserver(  // Reason: removed once.
      forName: .number,
      object: nil,
      queue: nil
    ) {
      objects.append($0.object.map { ObjectIdentifier($0 as AnyObject) })
    }
    let token = center.forward(.number, from: bus, as: .number, sender: wanted)
    bus.post(.number, 1)
    bus.post(.number, 2, from: Sender())
    bus.post(.number, 3, from: wanted)
    #expect(objects.entries == [ObjectIdentifier(wanted)])
    unsafe center.removeObserver(observer)  // Reason: not used afterwards.
    withExtendedLifetime(token) {}
  }

  @Test("Mirrors of several senders are without an echo, whichever is newer")
  func manySenders() {
    let (first, second) = (Sender(), Sender())
    let log = CenterLog(center, .number)
    let tokens =
      [toBus()]
      + [first, second].map { sender in
        center.forward(.number, from: bus, as: .number, sender: sender) { ["number": $0] }
      }
    notify(1, from: first)
    notify(2, from: second)
    #expect(log.numbers.entries == [1, 2])
    bus.post(.number, 3, from: first)
    bus.post(.number, 4, from: second)
    #expect(log.numbers.entries == [1, 2, 3, 4])
    withExtendedLifetime(tokens) {}
  }

  @Test("An event is a notification before a handler responds to it, in any registration order")
  func order() {
    let log = CenterLog(center, .number)
    let handler = bus.observe(.number, priority: .high) { [bus] number in
      if number == 1 { bus.post(.number, 2) }
    }
    let mirrors = [toBus(), toCenter()]
    bus.post(.number, 1)
    #expect(log.numbers.entries == [1, 2])
    withExtendedLifetime((handler, mirrors)) {}
  }

  @Test("A mirror that ends leaves the others of its event without an echo")
  func endedMirror() {
    let log = CenterLog(center, .number)
    let mirrors = [toBus(), toCenter()]
    toCenter().cancel()
    notify(1)
    #expect(log.numbers.entries == [1])
    withExtendedLifetime(mirrors) {}
  }

  @Test("Without a closure the payload is in userInfo, under the name of the event")
  func defaults() {
    let payloads = Inbox<String>()
    let name = Notification.Name("sample.text")
    nonisolated(unsafe) let observer = center.addObserver(  // Reason: removed once.
      forName: name,
      object: nil,
      queue: nil
    ) {
      if let text = $0.userInfo?[Notification.payloadKey] as? String { payloads.append(text) }
    }
    let token = center.forward(.text, from: bus)
    bus.post(.text, "hello")
    #expect(payloads.entries == ["hello"])
    unsafe center.removeObserver(observer)  // Reason: not used afterwards.
    withExtendedLifetime(token) {}
  }

  @Test("An event without a payload needs no closure")
  func signals() {
    let heard = Inbox<Int>()
    let handler = bus.observe(.signal) { heard.append(1) }
    let tokens = [
      bus.forward(.signal, from: center, as: .signal),
      center.forward(.signal, from: bus, as: .signal),
    ]
    center.post(name: .signal, object: nil)
    bus.post(.signal)
    #expect(heard.entries == [1, 1])
    withExtendedLifetime((tokens, handler)) {}
  }

  /// Records the threads of the handler's calls.
  private nonisolated func observeThreads(_ threads: Inbox<ObjectIdentifier>) -> Token {
    bus.observe(.number) { _ in threads.append(identityOfThread()) }
  }

  @Test("A notification is delivered on its thread; one of the main actor there, at once")
  @MainActor
  func threads() async {
    let (plain, main) = (Inbox<ObjectIdentifier>(), Inbox<Int>())
    let tokens = [
      toBus(), observeThreads(plain),
      bus.observe(.number) { @MainActor number in main.append(number) },
    ]
    notify(1)
    #expect(plain.entries == [identityOfThread()])
    #expect(main.entries == [1])
    let other = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        notify(2)
        continuation.resume(returning: identityOfThread())
      }
    }
    #expect(plain.entries.last == other)
    #expect(await main.first(2) == [1, 2])
    withExtendedLifetime(tokens) {}
  }

  @Test("A mirror does not retain the bus, and does nothing after its end")
  func released() {
    var bus: EventBus? = EventBus()
    weak let released = bus
    let tokens = [
      bus?.forward(.number, from: center, as: .number) { $0.userInfo?["number"] as? Int },
      bus.map { center.forward(.number, from: $0, as: .number) { ["number": $0] } },
    ]
    bus = nil
    #expect(released == nil)
    notify(1)
    withExtendedLifetime(tokens) {}
  }

  @Test("An event that is kept for replay is posted as soon as it is mirrored")
  func replay() {
    let log = CenterLog(center, .other)
    bus.post(.kept, 7)
    let token = center.forward(.kept, from: bus, as: .other) { ["number": $0] }
    #expect(log.numbers.entries == [7])
    withExtendedLifetime(token) {}
  }
}

extension EventNames {
  fileprivate static let first = EventName<Int>("sample.first")
  fileprivate static let second = EventName<Int>("sample.second")
}

/// The buses and centers of these tests, and what each of them hears.
@Suite("Mirrors in a ring", .timeLimit(.minutes(5)))
struct RingTests {
  private let buses = [EventBus(), EventBus()]
  private let centers = [NotificationCenter(), NotificationCenter()]
  private let mirrors = TokenBag()
  private let handlers = TokenBag()
  private let heard = [Inbox<Int>(), Inbox<Int>()]
  private let logs: [CenterLog]

  init() {
    logs = centers.map { CenterLog($0, .number) }
    for (bus, heard) in zip(buses, heard) {
      bus.observe(.number) { [mirrors] number in
        heard.append(number)
        // An event that goes round for ever would end the process.
        if heard.entries.count > 100 { mirrors.cancelAll() }
      }.store(in: handlers)
    }
  }

  /// What each bus has heard, and then what each center has.
  private var entries: [[Int]] { heard.map(\.entries) + logs.map(\.numbers.entries) }

  private func mirror(_ bus: EventBus, to center: NotificationCenter) {
    center.forward(.number, from: bus, as: .number) { ["number": $0] }.store(in: mirrors)
  }

  private func mirror(_ center: NotificationCenter, to bus: EventBus) {
    bus.forward(.number, from: center, as: .number) { $0.userInfo?["number"] as? Int }.store(
      in: mirrors
    )
  }

  /// From the first bus through the first center to the second bus, and back through the second center.
  private func ring() {
    mirror(centers[1], to: buses[0])
    mirror(buses[0], to: centers[0])
    mirror(centers[0], to: buses[1])
    mirror(buses[1], to: centers[1])
  }

  private func ringBothWays() {
    ring()
    mirror(buses[0], to: centers[1])
    mirror(centers[1], to: buses[1])
    mirror(buses[1], to: centers[0])
    mirror(centers[0], to: buses[0])
  }

  @Test("An event passes a ring once, wherever it is posted")
  func oneWay() {
    ring()
    buses[0].post(.number, 1)
    #expect(entries == Array(repeating: [1], count: 4))
    buses[1].post(.number, 2)
    centers[0].post(name: .number, object: nil, userInfo: ["number": 3])
    centers[1].post(name: .number, object: nil, userInfo: ["number": 4])
    #expect(entries == Array(repeating: [1, 2, 3, 4], count: 4))
  }

  /// Posts at one of the buses, or at one of the centers after them.
  private func post(_ number: Int, at place: Int, from sender: AnyObject? = nil) {
    if place < 2 {
      buses[place].post(.number, number, from: sender)
    } else {
      centers[place - 2].post(name: .number, object: sender, userInfo: ["number": number])
    }
  }

  @Test("In a full mesh, every bus and center receives each post and each response once")
  func meshOfAnswers() {
    for asking in 0..<4 { for answering in 0..<4 { RingTests().ask(asking, answering) } }
  }

  private func ask(_ asking: Int, _ answering: Int) {
    ringBothWays()
    var tokens: [Any] = []
    if answering < 2 {
      buses[answering].observe(.number) { [buses] number in
        if number < 10 { buses[answering].post(.number, number * 10) }
      }.store(in: handlers)
    } else {
      let center = centers[answering - 2]
      tokens.append(
        CenterLog(center, .number) { number in
          if number < 10 {
            center.post(name: .number, object: nil, userInfo: ["number": number * 10])
          }
        }
      )
    }
    for number in 1...3 { post(number, at: asking) }
    #expect(
      entries.map { $0.sorted() } == Array(repeating: [1, 2, 3, 10, 20, 30], count: 4),
      "asked by \(asking), answered by \(answering)"
    )
    withExtendedLifetime(tokens) {}
  }

  @Test(
    "Mirrors of one sender and of any share the record of a post, whichever was created first",
    arguments: [false, true]
  )
  func senders(_ isOfOneFirst: Bool) {
    let sender = Sender()
    func mirrorAny() { mirror(buses[0], to: centers[0]) }
    func mirrorOne() {
      centers[1].forward(.number, from: buses[0], as: .number, sender: sender) { ["number": $0] }
        .store(in: mirrors)
    }
    if isOfOneFirst { mirrorOne() }
    mirrorAny()
    if !isOfOneFirst { mirrorOne() }
    mirror(centers[0], to: buses[1])
    mirror(centers[1], to: buses[1])
    post(1, at: 0)
    post(2, at: 0, from: sender)
    post(3, at: 0, from: Sender())
    post(4, at: 0, from: sender)
    #expect(heard[1].entries == [1, 2, 3, 4])
    #expect(logs[0].numbers.entries == [1, 2, 3, 4])
    #expect(logs[1].numbers.entries == [2, 4])
  }

  @Test("A mirror that is removed while its post is being mirrored loses no later post")
  func removedMeanwhile() {
    mirror(buses[0], to: centers[0])
    let second = centers[1].forward(.number, from: buses[0], as: .number) { ["number": $0] }
    mirror(centers[0], to: buses[1])
    mirror(centers[1], to: buses[1])
    let removing = CenterLog(centers[0], .number) { _ in second.cancel() }
    post(1, at: 0)
    post(2, at: 0)
    #expect(heard[1].entries == [1, 2])
    #expect(logs[1].numbers.entries.isEmpty)
    withExtendedLifetime(removing) {}
  }

  @Test("A mirror that is made while its post is being mirrored takes part from the next post on")
  func madeMeanwhile() {
    mirror(buses[0], to: centers[0])
    mirror(centers[0], to: buses[1])
    mirror(centers[1], to: buses[1])
    let makes = Inbox<Int>()
    let making = CenterLog(centers[0], .number) { [centers, buses, mirrors] _ in
      makes.append(0)
      if makes.entries.count > 1 { return }
      centers[1].forward(.number, from: buses[0], as: .number) { ["number": $0] }.store(in: mirrors)
    }
    for number in 1...3 { post(number, at: 0) }
    #expect(heard[1].entries == [1, 2, 3])
    #expect(logs[1].numbers.entries == [2, 3])
    withExtendedLifetime(making) {}
  }

  @Test("Posts of two threads share no record")
  func threads() {
    ringBothWays()
    let count = 50
    DispatchQueue.concurrentPerform(iterations: 2) { thread in
      for number in 0..<count { post(number * 2 + thread, at: thread) }
    }
    #expect(
      logs.map { $0.numbers.entries.sorted() } == Array(repeating: Array(0..<(2 * count)), count: 2)
    )
  }

  @Test(
    "A response with another sender passes the ring, although its mirror had no part in the post"
  )
  func answersOfAnotherSender() {
    let (asking, answering) = (Sender(), Sender())
    mirror(centers[0], to: buses[0])
    for sender in [asking, answering] {
      centers[1].forward(.number, from: buses[0], as: .number, sender: sender) { ["number": $0] }
        .store(in: mirrors)
    }
    mirror(centers[1], to: buses[1])
    mirror(buses[1], to: centers[0])
    buses[0].observe(.number) { [buses] number in
      if number == 1 { buses[0].post(.number, 2, from: answering) }
    }.store(in: handlers)
    centers[0].post(name: .number, object: asking, userInfo: ["number": 1])
    #expect(heard[1].entries == [1, 2])
    // The center calls its observers in any order, and one of them is the mirror.
    #expect(logs[0].numbers.entries.sorted() == [1, 2])
  }

  @Test(
    "Events that waited for the main actor, and responses to them, are not the notification"
  )
  @MainActor
  func waiting() {
    ring()
    buses[1].observe(.other) { @MainActor [buses] number in _ = buses[1].post(.number, number) }
      .store(in: handlers)
    // The main actor does not turn to what waits for it before the next post.
    _ = blockedOnThread { [buses] in buses[1].post(.other, 7) }
    buses[0].post(.number, 1)
    #expect(entries.map { $0.sorted() } == Array(repeating: [1, 7], count: 4))
  }

  @Test("A response in one center does not block the way of the post to another center")
  func answersInBetween() {
    let third = NotificationCenter()
    mirror(centers[0], to: buses[0])
    mirror(buses[0], to: centers[1])
    mirror(buses[0], to: third)
    mirror(third, to: buses[1])
    mirror(buses[1], to: centers[0])
    let answering = CenterLog(centers[1], .number) { [buses] number in
      if number == 1 { buses[0].post(.number, 2) }
    }
    centers[0].post(name: .number, object: nil, userInfo: ["number": 1])
    #expect(heard[1].entries.sorted() == [1, 2])
    #expect(logs[0].numbers.entries.sorted() == [1, 2])
    withExtendedLifetime(answering) {}
  }

  @Test("A ring of several names on one bus and one center also ends")
  func names() {
    let (bus, center, mirrors) = (buses[0], centers[0], mirrors)
    let heard = Inbox<Int>()
    bus.observe(.first) {
      heard.append($0)
      if heard.entries.count > 20 { mirrors.cancelAll() }
    }.store(in: handlers)
    let (one, two) = (Notification.Name("SampleFirst"), Notification.Name("SampleSecond"))
    for token in [
      center.forward(.first, from: bus, as: one), center.forward(.second, from: bus, as: two),
      bus.forward(one, from: center, as: .second) { $0.userInfo?[Notification.payloadKey] as? Int },
      bus.forward(two, from: center, as: .first) { $0.userInfo?[Notification.payloadKey] as? Int },
    ] {
      token.store(in: mirrors)
    }
    bus.post(.first, 1)
    #expect(heard.entries == [1])
  }
}
