import EventBus

// MARK: A registration that is not stored ends at once: the compiler warns.

func unstoredRegistration() {
  // expected-warning@+1 {{result of call to 'observe(_:from:priority:once:where:fileID:line:_:)' is unused}}
  bus.observe(.number) { _ in }
}

func unstoredAsynchronousRegistration() {
  // expected-warning@+1 {{result of call to 'observe(_:from:priority:once:where:buffering:fileID:line:_:)' is unused}}
  bus.observe(.number) { _ in await Task.yield() }
}

func unstoredRegistrationForOneSender(_ sender: Shared) {
  // expected-warning@+1 {{result of call to 'observe(_:from:priority:once:where:fileID:line:_:)' is unused}}
  bus.observe(.number, from: sender, priority: .high, once: true, where: { $0 > 0 }) { _ in }
}

func unstoredRegistrationForEveryEvent() {
  // expected-warning@+1 {{result of call to 'observeAll(priority:fileID:line:_:)' is unused}}
  bus.observeAll { _ in }
}

func unstoredRegistrationWithASignal(_ signal: Signal<Int>) {
  // expected-warning@+1 {{result of call to 'observe(from:priority:once:where:fileID:line:_:)' is unused}}
  signal.observe { _ in }
}

func unstoredPause(_ token: Token) {
  // expected-warning@+1 {{result of call to 'pause()' is unused}}
  token.pause()
}

func streamThatIsNotIterated() {
  // expected-warning@+1 {{result of call to 'events(_:buffering:until:fileID:line:)' is unused}}
  bus.events(.number)
}

func unstoredActionToken() {
  // expected-warning@+1 {{result of 'Token' initializer is unused}}
  Token {}
}

// MARK: The result of a registration kept elsewhere may be ignored.

func registrationsKeptByAnOwner(_ owner: Shared, _ worker: Worker, _ signal: Signal<Int>) {
  bus.observe(.number, owner: owner) { _, _ in }
  bus.observe(.number, owner: owner) { _, _ in await Task.yield() }
  bus.observe(.nothing, owner: owner) { owner, _ in _ = owner }
  bus.observe(.number, owner: worker) { worker, number in worker.add(number) }
  signal.observe(owner: owner) { _, _ in }
  signal.observe(owner: owner) { _, _ in await Task.yield() }
}

func registrationsStoredAttachedOrCancelled(_ bag: TokenBag, _ lifetime: Lifetime) {
  bus.observe(.number) { _ in }.store(in: bag)
  bus.observe(.number) { _ in }.attach(to: lifetime)
  bus.observe(.number) { _ in }.cancel()
}

func hookAtTheEndOfALifetime(_ lifetime: Lifetime) { lifetime.onEnd {} }

func postsWhoseCountIsIgnored(_ signal: Signal<Int>, _ event: Signal<Void>) async {
  bus.post(.number, 1)
  bus.post(.nothing)
  bus.enqueue(.number, 1)
  await bus.postAndWait(.number, 1)
  signal.send(1)
  event.send()
}

// MARK: Payloads

func postWithAnotherPayload() {
  // expected-error@+1 {{member 'number' in 'EventName<String>' produces result of type 'EventName<Int>', but context expects 'EventName<String>'}}
  bus.post(.number, "one")
}

func enqueuedEventWithAnotherPayload() {
  // expected-error@+1 {{member 'number' in 'EventName<String>' produces result of type 'EventName<Int>', but context expects 'EventName<String>'}}
  bus.enqueue(.number, "one")
}

func signalSentWithAnotherPayload(_ signal: Signal<Int>) {
  // expected-error@+1 {{cannot convert value of type 'String' to expected argument type 'Int'}}
  signal.send("one")
}

func postWithoutItsPayload() {
  // expected-error@+2 {{member chain produces result of type 'EventName<Int>' but contextual base was inferred as 'EventName<Void>'}}
  // expected-note@+1 {{arguments to generic parameter 'Payload' ('Int' and 'Void') are expected to be equal}}
  bus.post(.number)
}

func handlerOfAnotherPayload() -> Token {
  // expected-error@+1 {{member 'number' in 'EventName<String>' produces result of type 'EventName<Int>', but context expects 'EventName<String>'}}
  bus.observe(.number) { (text: String) in }
}

func payloadThatMayNotBeShared() {
  // expected-error@+1 2 {{type 'Unshared' does not conform to the 'Sendable' protocol}}
  _ = EventName<Unshared>("misuse.unshared")
}

func payloadThatMayBeShared() { _ = EventName<Shared>("misuse.shared") }

func signalWhosePayloadMayNotBeShared() {
  // expected-error@+1 2 {{type 'Unshared' does not conform to the 'Sendable' protocol}}
  _ = Signal<Unshared>()
}

// MARK: The name spaces are not types to instantiate.

func nameWithoutAPayload() {
  // expected-error@+2 {{'EventNames' initializer is inaccessible due to 'internal' protection level}}
  // expected-error@+1 {{missing argument}}
  _ = EventNames()
}

// expected-error@+1 {{cannot inherit from non-open class 'EventNames' outside of its defining module}}
class SubclassOfEventNames: EventNames, @unchecked Sendable {}  // Reason: it must not compile.

// MARK: Owners and handlers

func ownerThatMayNotBeShared(_ owner: Unshared) {
  // expected-error@+1 {{type 'Unshared' does not conform to the 'Sendable' protocol}}
  bus.observe(.number, owner: owner) { _, _ in }
}

func ownerOfAValueType(_ owner: Int) {
  // expected-error@+1 {{instance method 'observe(_:owner:from:priority:once:where:fileID:line:_:)' requires that 'Int' be a class type}}
  bus.observe(.number, owner: owner) { _, _ in }
}

func handlerWithAnUnsharedCapture(_ owner: Unshared) -> Token {
  // expected-error@+1 {{capture of 'owner' with non-Sendable type 'Unshared' in a '@Sendable' closure}}
  bus.observe(.number) { owner.count += $0 }
}

func handlerOffTheMainActorThatTouchesAView(_ view: View) -> Token {
  // expected-error@+1 {{main actor-isolated property 'size' can not be mutated from a Sendable closure}}
  bus.observe(.number) { view.size = $0 }
}

@MainActor
func handlerOnTheMainActorThatTouchesAView(_ view: View) -> Token {
  bus.observe(.number) { view.size = $0 }
}

/// A view of the main actor that owns a registration and has a lifetime.
@MainActor
final class Screen: LifetimeOwner {
  let lifetime = Lifetime()
  var number = 0

  init() { bus.observe(.number, owner: self) { screen, number in screen.number = number } }
}

func endHookWithAnUnsharedCapture(_ lifetime: Lifetime, _ owner: Unshared) {
  // expected-error@+1 {{capture of 'owner' with non-Sendable type 'Unshared' in a '@Sendable' closure}}
  lifetime.onEnd { owner.count = 0 }
}
