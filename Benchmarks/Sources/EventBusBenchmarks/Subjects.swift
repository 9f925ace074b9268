import Harness

extension Subject {
  static let eventBus = Subject("EventBus")
  static let signal = Subject("Signal")
  static let notificationCenter = Subject("NC, no payload")
  static let payloadCenter = Subject("NC, userInfo")
  static let typedCenter = Subject("NC, typed")
  static let openCombine = Subject("OpenCombine")
  static let closureLoop = Subject("closure loop")
  static let asyncStream = Subject("AsyncStream")
  static let asyncChannel = Subject("AsyncChannel")
  static let task = Subject("Task")
  static let storedProperty = Subject("stored property")
  static let observation = Subject("@Observable")
  static let observations = Subject("Observations")
  static let currentValue = Subject("CurrentValueSubject")
  static let asyncTimer = Subject("AsyncTimerSequence")
  static let unixSignals = Subject("UnixSignals")

  /// The columns of the table after the project's own.
  static let peers = [
    signal, notificationCenter, payloadCenter, typedCenter, openCombine, closureLoop,
    asyncStream, asyncChannel, task, storedProperty, observation, observations, currentValue,
    asyncTimer, unixSignals,
  ]
}
