/// A key for a value of your own in ``LaunchOptions``.
///
/// ```swift
/// enum DeepLink: LaunchOptionKey { typealias Value = String }
///
/// var options = LaunchOptions.current
/// options[DeepLink.self] = "mail/inbox"
/// ```
///
/// The type itself is the key, so that two modules cannot collide and the value has the right type.
public protocol LaunchOptionKey {
  /// The type of the value.
  associatedtype Value: Sendable
}
