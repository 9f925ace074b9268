public import EventBusTesting

/// The manual clock of the library, for tests of modules that have a type of that name themselves.
public typealias TestClock = ManualClock
