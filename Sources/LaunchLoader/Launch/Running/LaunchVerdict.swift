/// The verdict on a launch, according to its policy.
package enum LaunchVerdict: Sendable {
  /// No worker failed, or the policy is to continue.
  case fine
  /// A worker failed, or the time limit was reached.
  case failed
  /// The dependencies could not be met; nothing ran.
  case impossible
}
