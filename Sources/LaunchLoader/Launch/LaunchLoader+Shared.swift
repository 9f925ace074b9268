/// The same registrations with ``LaunchLoader/shared``, shorter to write.
extension LaunchLoader {
  /// Registers launch work with the loader of the process.
  ///
  /// The closure runs once, in the isolation it was written in. Before `main` this only notes the closure.
  ///
  /// - Parameters:
  ///   - id: The name of the work; without one it is named after its file and line. The first
  ///     registration of a name is the one that counts.
  ///   - fileID: The file to show in the report.
  ///   - line: The line to show in the report.
  ///   - worker: The work. An error that it throws is recorded in the report.
  /// - Returns: The registration. Dropping it does not end it.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public static func register(
    _ id: LaunchID? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run worker:
      @escaping @isolated(any) @Sendable (LaunchOptions) throws -> Void
  ) -> LaunchToken {
    shared.register(id, fileID: fileID, line: line, run: worker)
  }

  /// Registers asynchronous launch work with the loader of the process.
  ///
  /// The closure runs once, in a task, in the isolation it was written in. Before `main` this only notes
  /// the closure.
  ///
  /// - Parameters:
  ///   - id: The name of the work; without one it is named after its file and line. The first
  ///     registration of a name is the one that counts.
  ///   - fileID: The file to show in the report.
  ///   - line: The line to show in the report.
  ///   - worker: The work. An error that it throws is recorded in the report.
  /// - Returns: The registration. Dropping it does not end it.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public static func register(
    _ id: LaunchID? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run worker:
      @escaping @isolated(any) @Sendable (LaunchOptions) async throws -> Void
  ) -> LaunchToken {
    shared.register(id, fileID: fileID, line: line, run: worker)
  }

  /// Registers launch work that has a type of its own with the loader of the process.
  ///
  /// - Parameters:
  ///   - type: The type of the worker; one is created and run, once. It has the name of the work.
  ///   - fileID: The file to show in the report.
  ///   - line: The line to show in the report.
  /// - Returns: The registration. Dropping it does not end it.
  /// - Complexity: Amortized O(1).
  @discardableResult
  public static func register<Worker: LaunchWorker>(
    _ type: Worker.Type,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> LaunchToken {
    shared.register(type, fileID: fileID, line: line)
  }
}
