/// The same registrations with ``LaunchLoader/shared``, shorter to write.
extension LaunchLoader {
  /// Registers launch work with the loader of the process.
  ///
  /// The closure runs once, in the isolation it was written in. Before `main` this only notes the closure.
  ///
  /// - Parameters:
  ///   - id: The name of the work; without one it is named after its file and line. The first
  ///     registration of a name is the one that counts.
  ///   - dependencies: What has to have finished first. If one of them is missing or does not finish, this
  ///     work is skipped.
  ///   - others: What has to have ended first, if it is there, however it ended.
  ///   - phase: The phase of the launch that it belongs to.
  ///   - timeout: How long it may take, on the clock of the loader. A synchronous closure cannot be
  ///     interrupted; what is recorded is that it took longer.
  ///   - condition: Asked once, when its turn has come, where the launch runs: without it holding, the work
  ///     is skipped, and so is what needs it.
  ///   - fileID: The file to show in the report.
  ///   - line: The line to show in the report.
  ///   - worker: The work. An error that it throws is recorded in the report.
  /// - Returns: The registration. Dropping it does not end it.
  /// - Complexity: Amortized O(1) before the launch.
  @discardableResult
  public static func register(
    _ id: LaunchID? = nil,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run worker:
      @escaping @isolated(any) @Sendable (LaunchOptions) throws -> Void
  ) -> LaunchToken {
    shared.register(
      id,
      after: dependencies,
      afterIfPresent: others,
      phase: phase,
      timeout: timeout,
      when: condition,
      fileID: fileID,
      line: line,
      run: worker
    )
  }

  /// Registers asynchronous launch work with the loader of the process.
  ///
  /// The closure runs once, in a task, in the isolation it was written in. Before `main` this only notes
  /// the closure.
  ///
  /// - Parameters:
  ///   - id: The name of the work; without one it is named after its file and line. The first
  ///     registration of a name is the one that counts.
  ///   - dependencies: What has to have finished first. If one of them is missing or does not finish, this
  ///     work is skipped.
  ///   - others: What has to have ended first, if it is there, however it ended.
  ///   - phase: The phase of the launch that it belongs to.
  ///   - timeout: How long it may take, on the clock of the loader. Then it is cancelled, and
  ///     the launch goes on without it.
  ///   - condition: Asked once, when its turn has come, where the launch runs: without it holding, the work
  ///     is skipped, and so is what needs it.
  ///   - fileID: The file to show in the report.
  ///   - line: The line to show in the report.
  ///   - worker: The work. An error that it throws is recorded in the report.
  /// - Returns: The registration. Dropping it does not end it.
  /// - Complexity: Amortized O(1) before the launch.
  @discardableResult
  public static func register(
    _ id: LaunchID? = nil,
    after dependencies: [LaunchID] = [],
    afterIfPresent others: [LaunchID] = [],
    phase: LaunchPhase = .standard,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext run worker:
      @escaping @isolated(any) @Sendable (LaunchOptions) async throws -> Void
  ) -> LaunchToken {
    shared.register(
      id,
      after: dependencies,
      afterIfPresent: others,
      phase: phase,
      timeout: timeout,
      when: condition,
      fileID: fileID,
      line: line,
      run: worker
    )
  }

  /// Registers launch work that has a type of its own with the loader of the process.
  ///
  /// - Parameters:
  ///   - type: The type of the worker; one is created and run, once. It has the name of the work, its
  ///     dependencies and its phase.
  ///   - timeout: How long it may take, on the clock of the loader. Then it is cancelled, and the launch goes
  ///     on without it.
  ///   - condition: Asked once, when its turn has come: without it holding, the work is skipped.
  ///   - fileID: The file to show in the report.
  ///   - line: The line to show in the report.
  /// - Returns: The registration. Dropping it does not end it.
  /// - Complexity: Amortized O(1) before the launch.
  @discardableResult
  public static func register<Worker: LaunchWorker>(
    _ type: Worker.Type,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> LaunchToken {
    shared.register(type, timeout: timeout, when: condition, fileID: fileID, line: line)
  }
}

/// A function that the operating system's loader calls before `main`.
///
/// Put one into the section of constructors, in the file of the feature that it belongs to, and nobody
/// has to list the feature anywhere:
///
/// ```swift
/// @section(".init_array") @used  // Mach-O: "__DATA,__mod_init_func,mod_init_funcs"
/// private let entry: LaunchEntry = {
///   LaunchLoader.register("analytics") { options in Analytics.start(options) }
/// }
/// ```
///
/// Before `main` there are no tasks, no command-line arguments and no clocks to rely on: register, and
/// leave the rest to the worker. The order in which the entries of different files are called is up to
/// the linker.
public typealias LaunchEntry = @convention(c) () -> Void
