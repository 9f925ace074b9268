/// The work of a name that is taken.
struct NamedWork: Sendable {
  /// The source site of its registration.
  let site: LaunchSite
  /// What it makes.
  let makes: AnyLaunchKey?
  /// Its registration, until it has its outcome.
  let pending: LaunchItem?
  /// A Boolean value that indicates whether it has finished.
  let hasFinished: Bool
  /// Its outcome.
  ///
  /// Of work that failed after the launch, it has another error in the place of its own, which must not live as
  /// long as the loader.
  let outcome: LaunchOutcome?
}
