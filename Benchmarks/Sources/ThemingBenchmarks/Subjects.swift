import Harness

extension Subject {
  /// The project's own column.
  static let theming = Subject("Theming")
  /// Each view observes one notification and reads a dictionary of themes.
  static let notificationCenter = Subject("NotificationCenter")
  /// Each property is a pipeline from one subject.
  static let openCombine = Subject("OpenCombine")
  /// A loop over a list of closures with weak views.
  static let closureLoop = Subject("closure loop")

  static let peers = [notificationCenter, openCombine, closureLoop]
}
