/// Values by the names of their keys: those of a loader, or those that a worker needs.
///
/// The loader compares keys before it stores or looks up a value, so a value has the type of its key.
typealias LaunchValues = [LaunchID: any Sendable]

extension LaunchValues {
  /// Returns the values of keys, without those that are missing.
  func picked(_ keys: [AnyLaunchKey]) -> LaunchValues {
    var values: LaunchValues = [:]
    for key in keys { values[key.name] = self[key.name] }
    return values
  }

  /// Returns a value that a worker needs.
  ///
  /// - Throws: ``LaunchError`` with the code `noValue`; a worker whose needs are not met never begins.
  func value<Need>(of key: LaunchKey<Need>) throws -> Need {
    guard let stored = self[key.name], let value = stored as? Need else {
      throw LaunchError(.noValue(key.name, nil))
    }
    return value
  }
}
