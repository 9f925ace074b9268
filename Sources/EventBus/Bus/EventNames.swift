/// The namespace of event names, to be extended with yours.
///
/// ```swift
/// extension EventNames {
///   static let userDidLogIn = EventName<User>("user.didLogIn")
///   static let didSave = EventName<Void>("document.didSave")
/// }
/// bus.post(.userDidLogIn, user)
/// ```
///
/// The class exists because a stored static cannot be declared in an extension of a generic type. It has
/// no public initializer; every instance is an ``EventName``. In a module whose default isolation is the
/// main actor, write `nonisolated extension EventNames`.
public class EventNames: Hashable, @unchecked Sendable {  // Reason: constant.
  /// The name's number in this process: equal names have equal numbers.
  @usableFromInline
  internal let index: Int

  internal init(index: Int) { self.index = index }

  /// Names are equal when string and payload type are.
  public static func == (left: EventNames, right: EventNames) -> Bool { left.index == right.index }

  /// Hashes the name's number.
  public func hash(into hasher: inout Hasher) { hasher.combine(index) }
}
