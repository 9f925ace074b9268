internal import EventBus
internal import Observation
internal import ObservationBridge
internal import TestSupport
internal import Testing

@MainActor
@Suite("Mirrors of shared properties", .timeLimit(.minutes(5)))
struct SharedMirrorTests {
  @Test("An update on the main actor invalidates readers before it returns")
  func update() {
    let property = SharedObserved(0)
    let mirror = SharedObservableMirror(of: property)
    let reader = Reader { mirror.value }
    property.update { $0 = 5 }
    #expect(reader.invalidations == 1)
    reader.update()
    #expect(reader.value == 5)
    property.update { $0 = 5 }
    #expect(reader.invalidations == 1)
  }

  @Test("A reader that is invalidated reads the new value at once, and may track it again there")
  func inOnChange() {
    let property = SharedObserved(0)
    let mirror = SharedObservableMirror(of: property)
    var seen: [Int] = []
    var reader: Reader<Int>?
    reader = Reader {
      mirror.value
    } inOnChange: {
      reader?.update()
      seen.append(reader?.value ?? -1)
    }
    property.update { $0 = 5 }
    property.update { $0 = 6 }
    #expect(seen == [5, 6] && reader?.invalidations == 2)
  }

  @Test("A change of another thread arrives on the main actor, and not during a job there")
  func otherThread() async {
    let property = SharedObserved(0)
    let mirror = SharedObservableMirror(of: property)
    let reader = Reader { mirror.value }
    blockedOnThread { property.value = 5 }
    #expect(property.value == 5 && mirror.value == 0)
    #expect(reader.invalidations == 0)
    await untilTracked { mirror.value == 5 }
    #expect(reader.invalidations == 1)
  }

  @Test("No change is lost while a mirror is made")
  func concurrent() async {
    let property = SharedObserved(0)
    let rounds = rounds(20_000, debug: 1_000, sanitized: 500)
    let gate = StartGate(2)
    async let writer: Void = onThreads(1) { _ in
      for round in 1...rounds {
        gate.arriveAndWait()
        for _ in 0..<round % 20 { _ = property.value }
        property.value = round
      }
    }
    for round in 1...rounds {
      gate.arriveAndWait()
      let mirror = SharedObservableMirror(of: property)
      await untilTracked { mirror.value == round }
    }
    await writer
  }

  @Test("A mirror and its property do not keep each other")
  func ownership() {
    var property: SharedObserved<Int>? = SharedObserved(0)
    var mirror = property.map { SharedObservableMirror(of: $0) }
    weak let (first, second) = (property, mirror)
    property?.update { $0 = 5 }
    property = nil
    #expect(first == nil && mirror?.value == 5)
    mirror = nil
    #expect(second == nil)
  }

  @Test("Mirrors of shared properties that come and go leave nothing")
  func comeAndGo() async {
    let property = SharedObserved(0)
    let watched = WeakList<SharedObservableMirror<Int>>()
    for index in 0..<size(1_000, full: 10_000) {
      let mirror = SharedObservableMirror(of: property)
      let reader = Reader { mirror.value }
      if index % 10 == 0 { property.update { $0 = index } }
      reader.update()
      #expect(reader.value == property.value)
      watched.append(mirror)
    }
    await laterOnMainActor()
    #expect(watched.liveCount == 0)
    #expect(property.observers.isEmpty)
  }

  @Test("A mirror may be released on any thread")
  func releasedElsewhere() async {
    let property = SharedObserved(0)
    let holder = Holder(SharedObservableMirror(of: property))
    await onThreads(1) { _ in holder.letGo() }
    property.value = 1
    #expect(property.observers.isEmpty)
  }

  @Test("`Observations` gets the value of a shared property after each turn that changed it")
  func sequence() async {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return }
    let property = SharedObserved(0)
    let mirror = SharedObservableMirror(of: property)
    var numbers = Observations { mirror.value }.makeAsyncIterator()
    #expect(await numbers.next() == 0)
    for number in 1...5 {
      property.update { $0 = -1 }
      property.update { $0 = number }
      #expect(await numbers.next() == number)
    }
  }
}
