/// The registration that a followed delivery concerns.
package struct Receiver: Sendable {
  /// The position in the order of all registrations of the bus.
  package let number: UInt
  /// The source site of the registration.
  package let site: CallSite
  /// The actor on which the step takes place, if it is known.
  package let actor: ActorIdentity?

  /// Describes the registration of an observer.
  package init(_ observer: AnyObserver, on actor: ActorIdentity?) {
    number = observer.order
    site = observer.site
    self.actor = actor
  }
}
