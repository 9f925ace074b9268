/// Whether work is to run at all, asked when its turn comes.
package struct LaunchCondition: Sendable {
  /// The question.
  package let holds: @Sendable (LaunchOptions) -> Bool

  /// Keeps a question.
  package init(holds: @escaping @Sendable (LaunchOptions) -> Bool) { self.holds = holds }
}
