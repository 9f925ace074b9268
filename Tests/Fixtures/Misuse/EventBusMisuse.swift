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

func unstoredRegistrationWithAReadOnlySignal(_ signal: Signal<Int>.ReadOnly) {
  // expected-warning@+1 {{result of call to 'observe(from:priority:once:where:fileID:line:_:)' is unused}}
  signal.observe { _ in }
}

func unstoredPause(_ token: Token) {
  // expected-warning@+1 {{result of call to 'pause()' is unused}}
  token.pause()
}

func streamThatIsNotIterated() {
  // expected-warning@+1 {{result of call to 'events(_:from:where:buffering:until:fileID:line:)' is unused}}
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
  // expected-error@+1 {{'post(_:from:)' is unavailable: this event has a payload: write post(name, payload)}}
  bus.post(.number)
  // expected-error@+1 {{'enqueue(_:from:coalescing:)' is unavailable: this event has a payload: write enqueue(name, payload)}}
  bus.enqueue(.number)
}

func handlerOfAnotherPayload() -> Token {
  // expected-error@+1 {{member 'number' in 'EventName<String>' produces result of type 'EventName<Int>', but context expects 'EventName<String>'}}
  bus.observe(.number) { (text: String) in }
}

func readOnlySignalThatIsSent(_ signal: Signal<Int>) {
  // expected-error@+1 {{value of type 'Signal<Int>.ReadOnly' has no member 'send'}}
  signal.readOnly.send(1)
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
  // expected-error@+2 {{'AnyEventName' initializer is inaccessible due to 'internal' protection level}}
  // expected-error@+1 {{missing argument}}
  _ = AnyEventName()
}

// expected-error@+1 {{cannot inherit from non-open class 'AnyEventName' outside of its defining module}}
class SubclassOfEventNames: AnyEventName, @unchecked Sendable {}  // Reason: it must not compile.

// MARK: Owners and handlers

func ownerThatMayNotBeShared(_ owner: Unshared) {
  // expected-error@+1 {{type 'Unshared' does not conform to the 'Sendable' protocol}}
  bus.observe(.number, owner: owner) { _, _ in }
}

func ownerOfASignalThatMayNotBeShared(_ owner: Unshared, _ signal: Signal<Int>) {
  // expected-error@+1 {{type 'Unshared' does not conform to the 'Sendable' protocol}}
  signal.observe(owner: owner) { _, _ in }
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

// MARK: Handlers with a wrong number of parameters

func handlerWithoutItsParameter() -> Token {
  // expected-error@+1 {{'observe(_:from:priority:once:where:buffering:_:)' is unavailable: the handler takes the payload: write { payload in … }, or { _ in … } to ignore it}}
  bus.observe(.number) { print("posted") }
}

func asynchronousHandlerWithoutItsParameter() -> Token {
  // expected-error@+1 {{'observe(_:from:priority:once:where:buffering:_:)' is unavailable: the handler takes the payload: write { payload in … }, or { _ in … } to ignore it}}
  bus.observe(.number, priority: .high) { await Task.yield() }
}

func handlerWithTooManyParameters() -> Token {
  // expected-error@+1 {{'observe(_:from:priority:once:where:buffering:_:)' is unavailable: the handler takes one parameter, the payload; the owner comes first only with 'owner:'}}
  bus.observe(.number) { owner, number in }
}

func handlerWithTooManyUsedParameters(_ owner: Shared) -> Token {
  // expected-error@+1 {{'observe(_:from:priority:once:where:buffering:_:)' is unavailable: the handler takes one parameter, the payload; the owner comes first only with 'owner:'}}
  bus.observe(.number, from: owner) { owner, number in print(owner, number) }
}

func handlersWithoutAPayload() -> [Token] {
  [
    bus.observe(.nothing) { print("posted") },
    bus.observe(.nothing) { _ in print("posted") },
    bus.observe(.nothing) { await Task.yield() },
  ]
}

func handlerWithAnOwnerThatTakesOnlyThePayload(_ owner: Shared) {
  // expected-error@+1 {{contextual closure type '@isolated(any) @Sendable (Shared, Int) throws -> Void' expects 2 arguments, but 1 was used in closure body}}
  bus.observe(.number, owner: owner) { number in print(number) }
}

func handlerWithAnOwnerThatTakesNothing(_ owner: Shared) {
  // expected-error@+1 {{contextual type for closure argument list expects 2 arguments, which cannot be implicitly ignored}}
  bus.observe(.number, owner: owner) { print("posted") }
}

func handlerWithAnOwnerThatTakesThreeParameters(_ owner: Shared) {
  // expected-error@+1 {{contextual closure type '@isolated(any) @Sendable (Shared, Int) throws -> Void' expects 2 arguments, but 3 were used in closure body}}
  bus.observe(.number, owner: owner) { owner, number, other in print(number) }
}

func handlersOfASignalWithAWrongNumberOfParameters(_ signal: Signal<Int>) {
  // expected-error@+1 {{contextual type for closure argument list expects 1 argument, which cannot be implicitly ignored}}
  _ = signal.observe { print("sent") }
  // expected-error@+1 {{contextual closure type '@isolated(any) @Sendable (Int) throws -> Void' expects 1 argument, but 2 were used in closure body}}
  _ = signal.readOnly.observe { owner, number in }
}

// MARK: Handlers whose body has an error

func handlerWithAnErrorInItsBody() -> Token {
  bus.observe(.number) { number in
    let next = number + 1
    // expected-error@+1 {{cannot convert value of type 'Int' to specified type 'String'}}
    let text: String = next
    print(text)
  }
}

func handlerWithAnUnknownNameInItsBody() -> Token {
  // expected-error@+1 {{cannot find 'missing' in scope}}
  bus.observe(.number) { number in missing(number) }
}

func handlerWithAnOwnerAndAnErrorInItsBody(_ worker: Worker) {
  // expected-error@+1 {{cannot convert value of type 'String' to expected argument type 'Int'}}
  bus.observe(.number, owner: worker) { worker, number in worker.add("one") }
}

func handlerOfASignalWithAnErrorInItsBody(_ signal: Signal<Int>, _ worker: Worker) -> Token {
  // expected-error@+1 {{cannot convert value of type 'Int' to specified type 'String'}}
  signal.observe { number in let text: String = number }
}

// In a body of a single expression that uses the payload as another type, the compiler looks for a name of
// that type: the error says so, at the name of the event.
func handlerWithAnErrorInItsOnlyExpression(_ texts: Texts) -> Token {
  // expected-error@+1 {{member 'number' in 'EventName<String>' produces result of type 'EventName<Int>', but context expects 'EventName<String>'}}
  bus.observe(.number) { number in texts.add(number) }
}

func handlerOfASpelledOutNameWithAnErrorInItsOnlyExpression(_ texts: Texts) -> Token {
  // expected-error@+1 {{cannot convert value of type 'Int' to expected argument type 'String'}}
  bus.observe(EventNames.number) { number in texts.add(number) }
}

// A member that the payload does not have is reported where it is used, whatever the form of the handler.
func handlersWithAMissingMember(_ worker: Worker, _ texts: Texts) {
  // expected-error@+2 {{'observe(_:from:priority:once:where:buffering:_:)' is unavailable: the handler does not fit the payload; see the error inside it}}
  // expected-error@+1 {{'subscript(dynamicMember:)' is unavailable: no such property, or not of this type; for details, write the parameter's type: { (value: Type) in … }}}
  _ = bus.observe(.number) { number in number.missing() }
  // expected-error@+2 {{'observe(_:from:priority:once:where:buffering:_:)' is unavailable: the handler does not fit the payload; see the error inside it}}
  // expected-error@+1 {{'subscript(dynamicMember:)' is unavailable: no such property, or not of this type; for details, write the parameter's type: { (value: Type) in … }}}
  _ = bus.observe(.number) { print($0.missing) }
  // expected-error@+1 {{'observe(_:from:priority:once:where:buffering:_:)' is unavailable: the handler does not fit the payload; see the error inside it}}
  _ = bus.observe(.number) { number in
    print(number.description)
    // expected-error@+1 {{'subscript(dynamicMember:)' is unavailable: no such property, or not of this type; for details, write the parameter's type: { (value: Type) in … }}}
    let missing = number.missing
    await Task.yield()
    print(missing)
  }
  // expected-error@+2 {{'observe(_:from:priority:once:where:buffering:_:)' is unavailable: the handler does not fit the payload; see the error inside it}}
  // expected-error@+1 {{'subscript(dynamicMember:)' is unavailable: no such property, or not of this type; for details, write the parameter's type: { (value: Type) in … }}}
  _ = bus.observe(EventNames.number) { number in number.missing() }
  // expected-error@+2 {{'observe(_:owner:from:priority:once:where:buffering:_:)' is unavailable: the handler does not fit the payload; see the error inside it}}
  // expected-error@+1 {{'subscript(dynamicMember:)' is unavailable: no such property, or not of this type; for details, write the parameter's type: { (value: Type) in … }}}
  bus.observe(.number, owner: texts) { texts, number in print(number.missing) }
  // expected-error@+1 {{cannot convert value of type '_NoSuchMember' to expected argument type 'String'}}
  bus.observe(.number, owner: texts) { texts, number in texts.add(number.missing) }
  // expected-error@+1 {{value of type 'Int' has no member 'missing'}}
  _ = bus.observe(.number) { (number: Int) in number.missing() }
}

/// Takes strings.
final class Texts: Sendable {
  func add(_ text: String) {}
}

// MARK: Interceptors

/// Its method may throw, so it is not the one that is required.
// expected-error@+2 {{type 'ThrowingInterceptor' does not conform to protocol 'EventInterceptor'}}
// expected-note@+1 {{add stubs for conformance}}
struct ThrowingInterceptor: EventInterceptor {
  func capture(_ event: AnyEvent) -> Int { 1 }
  // expected-note@+1 {{candidate throws, but protocol does not allow it}}
  func run(_ context: Int, _ body: () throws -> Void) throws { try body() }
  // expected-note@+1 {{candidate is 'async', but protocol requirement is not}}
  nonisolated(nonsending) func run(
    _ context: Int,
    _ body: nonisolated(nonsending) () async -> Void
  ) async {
    await body()
  }
}
