internal import EventBus
internal import Foundation
internal import NotificationCenterBridge
internal import TestKit
internal import Testing

extension Notification.Name {
  fileprivate static let number = Notification.Name("SampleNumber")
  fileprivate static let other = Notification.Name("SampleOther")
  fileprivate static let signal = Notification.Name("SampleSignal")
}

extension EventNames {
  fileprivate static let signal = EventName<Void>("sample.signal")
}

private final class Sender: Sendable {}

/// Observes a centre until it is released.
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
    nonisolated(unsafe) let observer = center.addObserver(forName: name, object: nil, queue: nil) {
      let number = $0.userInfo?["number"] as? Int ?? -1
      numbers.append(number)
      body(number)
    }
    token = Token { unsafe center.removeObserver(observer) }  // Reason: removed once.
  }
}

/// The identity of the calling thread.
private func identityOfThread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }

@Suite("Mirroring a notification centre", .timeLimit(.minutes(1)))
struct MirrorTests {
  private let bus = EventBus()
  private let center = NotificationCenter()

  private func toBus() -> Token {
    bus.mirror(center, .number, as: .number) { $0.userInfo?["number"] as? Int }
  }

  private func toCenter() -> Token {
    center.mirror(bus, .number, as: .number) { ["number": $0] }
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

  @Test("With both directions, each side hears each post once")
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

  @Test(
    "What a handler of the bus posts in answer to a notification reaches the centre, and the reverse"
  )
  func answers() {
    let log = CenterLog(center, .number) { [center] number in
      if number == 10 { center.post(name: .number, object: nil, userInfo: ["number": 11]) }
    }
    let heard = Inbox<Int>()
    let handler = bus.observe(.number) { [bus] number in
      heard.append(number)
      if number == 1 { bus.post(.number, 2) }
    }
    let tokens = [toBus(), toCenter()]
    notify(1)
    #expect(heard.entries == [1, 2])
    #expect(log.numbers.entries.sorted() == [1, 2])
    bus.post(.number, 10)
    #expect(heard.entries.sorted() == [1, 2, 10, 11])
    #expect(log.numbers.entries.sorted() == [1, 2, 10, 11])
    withExtendedLifetime((tokens, handler)) {}
  }

  @Test("Two buses on one centre hear each other")
  func twoBuses() {
    let second = EventBus()
    let heard = Inbox<Int>()
    let handler = second.observe(.number) { heard.append($0) }
    let tokens = [
      toBus(), toCenter(), center.mirror(second, .number, as: .number) { ["number": $0] },
      second.mirror(center, .number, as: .number) { $0.userInfo?["number"] as? Int },
    ]
    bus.post(.number, 1)
    #expect(heard.entries == [1])
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
    let one = bus.mirror(center, .number, object: wanted, as: .number) {
      $0.userInfo?["number"] as? Int
    }
    notify(4, from: wanted)
    notify(5, from: stranger)
    notify(6)
    #expect(heard.entries == [1, 2, 3, 4])
    withExtendedLifetime((one, handlers)) {}
  }

  @Test("A filter on an object that is gone admits no later object, wherever that is")
  func deadObject() {
    let heard = Inbox<Int>()
    let handler = bus.observe(.number) { heard.append($0) }
    var object: Sender? = Sender()
    weak let released = object
    let token = bus.mirror(center, .number, object: object, as: .number) {
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
    nonisolated(unsafe) let observer = center.addObserver(forName: .number, object: nil, queue: nil)
    {
      objects.append($0.object.map { ObjectIdentifier($0 as AnyObject) })
    }
    let token = center.mirror(bus, .number, as: .number, from: wanted)
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
        center.mirror(bus, .number, as: .number, from: sender) { ["number": $0] }
      }
    notify(1, from: first)
    notify(2, from: second)
    #expect(log.numbers.entries == [1, 2])
    bus.post(.number, 3, from: first)
    bus.post(.number, 4, from: second)
    #expect(log.numbers.entries == [1, 2, 3, 4])
    withExtendedLifetime(tokens) {}
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
    nonisolated(unsafe) let observer = center.addObserver(forName: name, object: nil, queue: nil) {
      if let text = $0.userInfo?[Notification.payloadKey] as? String { payloads.append(text) }
    }
    let token = center.mirror(bus, .text)
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
      bus.mirror(center, .signal, as: .signal), center.mirror(bus, .signal, as: .signal),
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

  @Test("Concurrent posts on both sides arrive once each")
  func concurrent() async {
    let (log, heard) = (CenterLog(center, .number), Inbox<Int>())
    let handler = bus.observe(.number) { heard.append($0) }
    let tokens = [toBus(), toCenter()]
    await withTaskGroup { group in
      for task in 0..<4 {
        group.addTask {
          for index in 0..<100 {
            let number = task * 100 + index
            if task % 2 == 0 { notify(number) } else { bus.post(.number, number) }
            if index % 10 == 0 { await Task.yield() }
          }
        }
      }
    }
    #expect(heard.entries.sorted() == Array(0..<400))
    #expect(log.numbers.entries.sorted() == Array(0..<400))
    withExtendedLifetime((tokens, handler)) {}
  }

  @Test("A mirror does not keep the bus, and does nothing once it is gone")
  func released() {
    var bus: EventBus? = EventBus()
    weak let released = bus
    let tokens = [
      bus?.mirror(center, .number, as: .number) { $0.userInfo?["number"] as? Int },
      bus.map { center.mirror($0, .number, as: .number) { ["number": $0] } },
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
    let token = center.mirror(bus, .kept, as: .other) { ["number": $0] }
    #expect(log.numbers.entries == [7])
    withExtendedLifetime(token) {}
  }
}
