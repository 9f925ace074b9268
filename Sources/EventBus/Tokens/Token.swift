/// A registration that lasts until its token is cancelled or deallocated.
///
/// Every registration of this library returns a token: an observer of an event or a property, a timer, a
/// hook of a lifetime. Keep the token for as long as the handler should be called.
///
/// ```swift
/// let didTick = Signal<Int>()
/// let token = didTick.observe { tick in print(tick) }
/// didTick.send(1)
/// token.cancel()
/// ```
///
/// Dropping a token does nothing if the registration has an `owner:`, or if the token was attached to a
/// lifetime with ``attach(to:)`` or stored in a bag.
///
/// ## Thread safety
///
/// Every member may be called on any thread, from inside a handler and from a `deinit`. Cancelling
/// releases objects with no lock held.
public final class Token: Sendable, Hashable {
  /// The registration that the token ends.
  package let registration: Registration

  /// Creates the token of a registration.
  ///
  /// - Parameters:
  ///   - registration: The registration.
  ///   - isKept: Pass `true` if dropping the token must not end the registration.
  package init(_ registration: Registration, isKept: Bool = false) {
    self.registration = registration
    if isKept { registration.keep() }
  }

  /// Creates a token that runs a closure when it ends.
  ///
  /// - Parameter onCancel: Called exactly once, when the token is cancelled or dropped, on the thread that
  ///   ended it, with no lock held, and then released.
  public convenience init(_ onCancel: @escaping @Sendable () -> Void) {
    self.init(ActionRegistration(at: .anyEnd, onCancel))
  }

  deinit {
    if !registration.isKept { registration.end() }
  }

  /// Ends the registration.
  ///
  /// After it returns, no call of the handler begins on this thread or in this isolation. The handler and
  /// its captures have been released, unless posts of its signal are running: then they are released once
  /// every post that overlapped the cancellation, or overlapped one of those, has finished. A call
  /// on another thread may still be running; ``waitUntilFinished()`` waits for it. Cancelling twice does
  /// nothing.
  ///
  /// Events and values that wait for the handler are released as well. An event of a bus or a signal that
  /// waited for an actor before the actor's current turn began is released by that turn.
  ///
  /// - Complexity: O(1), amortized; if events wait for the handler's actor and some of them for this handler,
  ///   O(*n*) in their number. Never waits for a handler.
  public func cancel() { registration.end() }

  /// A Boolean value that indicates whether the registration still exists.
  ///
  /// A registration ends when it is cancelled, with its owner or bus, or with its only call. The value is
  /// `false` as soon as the lifetime of the token or of the owner has ended. After the deallocation of an
  /// owner without a lifetime, it becomes `false` when a delivery or a sweep detects that.
  public var isActive: Bool { registration.isActive }

  /// Waits until the registration has ended and no call of its handler is running.
  ///
  /// This is the fence after ``cancel()``, for every kind of token: after it returns, no call of the handler
  /// is running on any thread, and none will begin. If the registration has not ended yet, the method first
  /// waits for its end. It returns early when the waiting task is cancelled.
  ///
  /// In the task of its own handler, the method does not wait for that call. Two handlers that wait for
  /// each other deadlock.
  ///
  /// Calls are counted for each registration, so other handlers cause no delay, even one that keeps the
  /// handler's actor busy. There are two exceptions, in which a handler that blocks its thread delays the return. For an
  /// observer of an ``Observed`` property or a ``Computed`` value, the method waits for the report that is in progress.
  /// For a plain nonisolated handler, one without a sender, a filter or `once`, it waits for the posts of the event that
  /// overlapped the end of the registration, and for those that overlapped one of these.
  public func waitUntilFinished() async { await registration.waitUntilFinished() }

  /// Pauses deliveries until the returned token is cancelled or dropped.
  ///
  /// Pauses are counted: deliveries resume when every pause has ended. Events are dropped during a pause,
  /// and a registration with `once: true` keeps its call. Pausing a registration that has ended does
  /// nothing. Tokens of other kinds, such as lifetime hooks, cannot be paused.
  ///
  /// - Returns: The token of the pause. It does not keep this token alive.
  /// - Complexity: O(1).
  public func pause() -> Token {
    registration.changePauses(by: 1)
    return Token { [registration] in registration.changePauses(by: -1) }
  }

  /// Attaches the registration to a lifetime, which keeps it and ends it when the lifetime ends.
  ///
  /// A token belongs to one lifetime or bag at a time: attaching it again moves it. A lifetime that has
  /// already ended cancels the token at once.
  ///
  /// - Parameter lifetime: The lifetime at whose end the registration ends.
  /// - Returns: This token.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func attach(to lifetime: Lifetime) -> Token {
    registration.move(to: lifetime.members)
    return self
  }

  /// Stores the registration in a bag, which keeps it and ends it together with the others in the bag.
  ///
  /// - Parameter bag: The bag. A closed bag cancels the token at once.
  /// - Returns: This token.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func store(in bag: TokenBag) -> Token {
    registration.move(to: bag.members)
    return self
  }

  /// Returns whether two tokens are the same object.
  public static func == (left: Token, right: Token) -> Bool { left === right }

  /// Hashes the token's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A collection of tokens that are cancelled together, at the latest when the bag is deallocated.
///
/// ```swift
/// let didTick = Signal<Int>()
/// let bag = TokenBag()
/// didTick.observe { tick in print("tick \(tick)") }.store(in: bag)
/// didTick.observe { tick in print("tock \(tick)") }.store(in: bag)
/// bag.cancelAll()
/// ```
///
/// A token that is cancelled early leaves the bag.
///
/// ## Thread safety
///
/// Every member may be called on any thread. Tokens are cancelled in the order in which they were stored,
/// with no lock held, on the thread that cancels or releases the bag.
public final class TokenBag: Sendable {
  /// The tokens of the bag.
  package let members = EndingMembers()

  /// Creates an empty bag.
  public init() {}

  deinit { members.end(isFinal: true) }

  /// The number of tokens in the bag.
  ///
  /// - Complexity: O(1).
  public var count: Int { members.count }

  /// Cancels every token.
  ///
  /// The bag is then empty and can be reused.
  ///
  /// - Complexity: O(*n*) in the number of tokens.
  public func cancelAll() { members.end(isFinal: false) }

  /// Cancels every token and closes the bag: a token that is stored later is cancelled at once.
  ///
  /// - Complexity: O(*n*) in the number of tokens.
  public func end() { members.end(isFinal: true) }
}
