public import EventBus

/// One kind of registration, for the table of situations that every kind must survive.
///
/// A test target adds its kinds by making values of this type; ``EdgeRow`` holds the situations.
///
/// ```swift
/// let plain = EdgeKind("plain") { handler in
///   let bus = EventBus()
///   let token = bus.observe(.number) { _ in try handler.call() }
///   return EdgeSubject(token, fire: { bus.post(.number, 1) }, poke: { bus.post(.number, 1) })
/// }
/// ```
public struct EdgeKind: Sendable, CustomStringConvertible {
  /// When the handler is called.
  public enum Calls: Sendable {
    /// Each time the subject is fired.
    case everyTime
    /// The first time, which ends the registration before the call.
    case once
    /// When the registration is ended, and never otherwise.
    case atItsEnd
  }

  /// The object that a registration shares its life with, besides its token.
  public enum Owner: Sendable {
    /// Nothing.
    case none
    /// An object without a lifetime.
    case object
    /// An object that carries its lifetime.
    case lifetime
  }

  /// Something that a kind does not have, or does otherwise.
  public enum Trait: Sendable {
    /// Dropping the token does not end the registration.
    case isKept
    /// The handler is asynchronous.
    case isAsync
    /// The handler does not run in the code that fires, but later.
    case isQueued
    /// The handler may throw.
    case canThrow
    /// The token cannot pause the registration.
    case cannotPause
    /// There is no token; the subject is ended in another way.
    case hasNoToken
    /// Its token is of another type: closures end, await and inspect the subject.
    case hasTokenOfItsOwn
    /// The handler of an ended registration is freed when its subject is used next.
    case freesAtNextUse
    /// An object outside the library retains the handler.
    case isKeptElsewhere
  }

  /// The name of the kind.
  public let name: String
  /// When the handler is called.
  public let calls: Calls
  /// The object that a registration shares its life with.
  public let owner: Owner
  /// The special properties of the kind.
  public let traits: Set<Trait>
  /// The rows that do not apply for a reason that does not follow from the traits.
  public let exclusions: [EdgeRow: String]
  /// Makes a registration with a handler.
  public let make: @Sendable (EdgeHandler) async -> EdgeSubject

  /// Describes a kind.
  public init(
    _ name: String,
    calls: Calls = .everyTime,
    owner: Owner = .none,
    traits: Set<Trait> = [],
    excluding exclusions: [EdgeRow: String] = [:],
    make: @escaping @Sendable (EdgeHandler) async -> EdgeSubject
  ) {
    self.name = name
    self.calls = calls
    self.owner = owner
    self.traits = traits
    self.exclusions = exclusions
    self.make = make
  }

  /// The name of the kind.
  public var description: String { name }
}

/// The call that a registration makes.
public struct EdgeHandler: Sendable {
  /// The common behavior of all handlers.
  public let call: @Sendable () throws -> Void
  /// The suspending part of an asynchronous handler.
  public let suspend: @Sendable () async -> Void

  /// Performs the common behavior in a handler that cannot throw.
  public func callSafely() {
    do { try call() } catch { assertionFailure("This kind is excluded from rows that throw.") }
  }
}

/// One registration, and the means to call its handler.
public final class EdgeSubject: @unchecked Sendable {  // Reason: one task uses it at a time.
  /// The token, until a row drops it.
  public var token: Token?
  /// Calls the handler once, if the registration is there, and waits until it has returned.
  public let fire: () async -> Void
  /// Calls the handler once, now or later, and waits for nothing.
  public let poke: () -> Void
  /// Ends the registration when there is no token.
  public var end: () -> Void = {}
  /// Waits until it is over when the token is of another type.
  public var wait: () async -> Void = {}
  /// A Boolean value that indicates whether the registration exists, for tokens of another type.
  public var isThere: (() -> Bool)?
  /// Waits until the end of the registration has taken effect, where that takes time.
  public var settle: () async -> Void = {}
  /// Makes another registration of the same source, with an empty handler.
  public var register: () -> Token = { Token {} }
  /// Releases the owner.
  public var dropOwner: () -> Void = {}
  /// The lifetime of the owner.
  public var lifetime: () -> Lifetime? = { nil }
  /// Fires and leaves out the registration of a token.
  public var fireExcluding: ((Token) -> Void)?
  /// The number of registrations that the source knows of.
  public var count: (() -> Int)?

  /// Describes a registration.
  public init(_ token: Token?, fire: @escaping () async -> Void, poke: @escaping () -> Void) {
    (self.token, self.fire, self.poke) = (token, fire, poke)
  }

  /// Makes an object the owner.
  ///
  /// - Parameter holder: Has the only reference to it.
  /// - Returns: This subject.
  public func owned(by holder: Holder<some AnyObject & Sendable>) -> EdgeSubject {
    dropOwner = { holder.letGo() }
    lifetime = { (holder.value as? any LifetimeOwner)?.lifetime }
    return self
  }

  /// Ends the registration.
  public func cancel() {
    if let token { token.cancel() } else { end() }
  }

  /// A Boolean value that indicates whether the registration exists; `nil` if no token can tell.
  public var isActive: Bool? { token?.isActive ?? isThere?() }

  /// Waits until the registration has ended and no call of its handler is running.
  public func waitUntilFinished() async {
    if let token { await token.waitUntilFinished() } else { await wait() }
  }
}
