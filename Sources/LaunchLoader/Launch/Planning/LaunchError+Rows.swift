internal import EventBus

/// Faults in the dependencies of rows.
extension LaunchError {
  /// Describes a cycle.
  ///
  /// - Parameter path: A closed path: each row depends on the next one, and the last equals the first.
  init(cycle path: [LaunchRow]) {
    let sites = path.map { ($0.id, $0.registration.site.source) }
    self.init(.cycle(path.map(\.id)), sites: Dictionary(sites) { first, _ in first })
  }

  /// Describes a name that is needed but not registered.
  init(missing id: LaunchID, neededBy row: LaunchRow, suggestion: LaunchID? = nil) {
    let sites = [row.id: row.registration.site.source]
    self.init(.unknown(id, neededBy: row.id), sites: sites, suggestion: suggestion)
  }

  /// Describes a name that makes no value of the type that is needed.
  init(
    mismatch need: AnyLaunchKey,
    _ made: AnyLaunchKey?,
    at site: LaunchSite,
    neededBy row: LaunchRow? = nil
  ) {
    var sites = [need.name: site.source]
    if let row { sites[row.id] = row.registration.site.source }
    let makes = made.map { "\($0.valueType)" }
    self.init(.mismatch(need.name, makes: makes, needed: "\(need.valueType)"), sites: sites)
  }
}
