import Harness

extension Subject {
  static let eventBus = Subject("EventBus")
  static let signal = Subject("Signal")
  static let notificationCenter = Subject("NotificationCenter")
  static let typedCenter = Subject("NC, typed")
  static let openCombine = Subject("OpenCombine")
  static let closureLoop = Subject("closure loop")

  /// The columns of the table, the project's own first.
  static let columns = [
    eventBus, signal, notificationCenter, typedCenter, openCombine, closureLoop,
  ]

  /// The peers that may be posted to from any thread.
  static let threadSafePeers = [notificationCenter, typedCenter, openCombine]
}
