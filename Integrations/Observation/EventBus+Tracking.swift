public import EventBus
internal import Observation

extension EventBus {
  /// Posts an event with a value of an observable model, once after each change, until a token ends.
  ///
  /// ```swift
  /// extension EventNames {
  ///   static let cartDidChange = EventName<Int>("cart.didChange")
  /// }
  ///
  /// @MainActor @Observable final class Cart {
  ///   var items: [String] = []
  /// }
  ///
  /// let cart = Cart()
  /// let token = EventBus.default.forward(tracking: { cart.items.count }, as: .cartDidChange)
  /// cart.items.append("tea")  // posted in a later job of the main actor
  /// ```
  ///
  /// The closure is evaluated at once, and again after each change of something observable that its last evaluation has
  /// read. What it returns then is posted on the main actor, in a later job than the change. All changes up to that job
  /// are one change, with one event and the value at that time. A change is posted even if the value equals that of the
  /// last event. The value at the time of the call is not posted.
  ///
  /// Observation cannot follow a change that another thread makes while the closure is evaluated, nor one that the
  /// closure makes itself. Change the model on the main actor, and not in the closure. Do not call this method where
  /// reads are tracked, such as in the `body` of a view, which would follow the model as well.
  ///
  /// The token keeps the closure, and what that captures, until it ends; nothing else does. After the end, nothing is
  /// posted. If another thread ends the token while an event is posted on the main actor, that post is completed, for
  /// which `waitUntilFinished()` waits. A pause has no effect. The end of the bus does not end the token.
  ///
  /// - Parameters:
  ///   - value: Reads the value. Called on the main actor; what it reads is tracked.
  ///   - name: The name of the event.
  ///   - fileID: The file of the call, which is the site of the posts; filled in by the compiler.
  ///   - line: The line of the call.
  /// - Returns: The token. Dropping it ends the tracking; it does not keep the bus.
  /// - Complexity: That of the closure, for the call and for each event, and that of the post.
  @MainActor
  public func forward<Payload>(
    tracking value: @escaping @MainActor () -> Payload,
    as name: EventName<Payload>,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Token {
    let tracking = ModelTracking(value) { [weak self] payload in
      self?.post(name, payload, fileID: fileID, line: line)
    }
    tracking.begin()
    // Every call is part of one job of the main actor.
    let registration = ActionRegistration(at: .anyEnd, fence: { await MainActor.run {} }) {
      tracking.end()
    }
    return Token(registration)
  }
}

/// Reads a value again after each change of something that it depends on.
///
/// Observation has no call that ends a tracking. Each one therefore also depends on ``isActive``, whose change removes
/// it from all models that were read.
///
/// ## Thread safety
///
/// Reads on the main actor. May end on any thread.
private final class ModelTracking<Value>: Sendable, Observable {
  /// What the tracking calls.
  private struct Calls: Sendable {
    let read: @MainActor () -> Value
    let report: @MainActor (Value) -> Void
  }

  private struct State: Sendable {
    /// The calls, until the end.
    var calls: Calls?
    /// True if a reading has begun that Observation does not follow yet.
    var isReading = false
  }

  private let state: Locked<State>
  private let registrar = ObservationRegistrar()

  init(_ read: @escaping @MainActor () -> Value, _ report: @escaping @MainActor (Value) -> Void) {
    state = Locked(State(calls: Calls(read: read, report: report)))
  }

  /// True if the tracking has not ended; tracked.
  private var isActive: Bool {
    registrar.access(self, keyPath: \.isActive)
    return activeCalls != nil
  }

  private var activeCalls: Calls? { state.withLock { $0.calls } }

  /// Reads the value for the first time.
  @MainActor
  func begin() {
    if let calls = activeCalls { _ = read(calls) }
  }

  /// Ends the tracking.
  func end() {
    let (former, isReading) = state.withLock { state in
      defer { state.calls = nil }
      return (state.calls, state.isReading)
    }
    // A reading withdraws by itself: what it has not installed yet cannot be removed, and would remain.
    if !isReading { withdraw() }
    // Released last, with no lock held: the captures of the closures belong to the caller.
    withExtendedLifetime(former) {}
  }

  /// Reads the value, and follows what it depends on until the next change.
  ///
  /// - Returns: The value, or `nil` if the tracking has ended meanwhile.
  @MainActor
  private func read(_ calls: Calls) -> Value? {
    let begins = state.withLock { state in
      state.isReading = state.calls != nil
      return state.isReading
    }
    guard begins else { return nil }
    let value = withObservationTracking {
      _ = isActive
      return calls.read()
    } onChange: { [weak self] in
      // The model still has the old value.
      guard let self, activeCalls != nil else { return }
      Task { @MainActor [weak self] in self?.proceed() }
    }
    let goesOn = state.withLock { state in
      state.isReading = false
      return state.calls != nil
    }
    if goesOn { return value }
    withdraw()
    return nil
  }

  /// Reports the value after a change.
  @MainActor
  private func proceed() {
    guard let calls = activeCalls, let value = read(calls) else { return }
    calls.report(value)
  }

  /// Ends what the registrars of the models have of this tracking.
  private func withdraw() { registrar.withMutation(of: self, keyPath: \.isActive) {} }
}
