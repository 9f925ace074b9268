/// The parameters of a registration, other than its owner, its filter and its handler.
///
/// Not generic: the metadata of a generic structure would be looked up at every registration.
package struct ObserveRequest {
  /// The call that registers the observer.
  package let site: CallSite
  /// The only sender whose events are delivered; `nil` for any sender.
  package let sender: AnyObject?
  /// The priority; observers with a higher one are called first.
  package let priority: Int
  /// Whether the registration ends with its first call.
  package let once: Bool

  /// Describes a registration.
  package init(
    _ sender: AnyObject? = nil,
    _ priority: Int = 0,
    once: Bool = false,
    at site: CallSite
  ) {
    (self.site, self.sender, self.priority) = (site, sender, priority)
    self.once = once
  }
}

@available(*, unavailable)
extension ObserveRequest: Sendable {}
