import EventBus

/// The error that handlers of the tests throw.
struct SampleError: Error, Equatable {
  var number = 0
}

extension EventHooks {
  /// Keeps errors that tests throw on purpose off standard error.
  static var silent: EventHooks {
    var hooks = EventHooks()
    hooks.onError = { _ in }
    return hooks
  }
}
