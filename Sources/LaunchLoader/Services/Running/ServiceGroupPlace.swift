/// The place of a group among the services of an application or of another group.
struct ServiceGroupPlace: Sendable {
  /// The runner of the service that runs the group.
  let parent: ServiceRunner
  /// That service.
  let service: ServiceRunner.Machine.ID
  /// The prefix of the names of the group's services in messages.
  let path: String
  /// The time limits of the parent, which are those of a group that sets none.
  let stopTimeout, cancelTimeout: Duration?
  /// The time limits of the group's services.
  let alarms: ServiceAlarms
  /// The times of the messages about them, on the clock of the application.
  let reports: ServiceAlarms
}
