/// A transition of services, which may have a time limit; later ones overrule earlier ones.
package enum ServiceTransition: Sendable, Hashable, Comparable {
  /// To start, or to become ready.
  case start
  /// To end after the request to stop.
  case stop
  /// To end after the cancellation.
  case cancel
}
