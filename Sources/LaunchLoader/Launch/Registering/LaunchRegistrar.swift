/// Registers launch work with a loader; see ``LaunchLoader/register-property``.
///
/// A registrar is called like a function:
///
/// ```swift
/// import LaunchLoader
///
/// LaunchLoader.register("logging") { options in print("logging: \(options.arguments)") }
/// ```
///
/// Each form of work has its own `callAsFunction`. A registrar keeps its loader alive.
public struct LaunchRegistrar: Sendable {
  /// The loader that the work is registered with.
  let loader: LaunchLoader

  /// Registers launch work.
  ///
  /// The closure runs once, in the isolation in which it was written. Before `main`, this call only
  /// stores the closure.
  ///
  /// - Parameters:
  ///   - id: The name of the work. Without one, the work is named after its file and line. Only the
  ///     first registration of a name is used.
  ///   - dependencies: The work that must finish first. If any of it is missing or does not finish,
  ///     this work is skipped.
  ///   - others: The work that must end first, however it ends, if it is registered.
  ///   - phase: The phase of the launch in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock. A synchronous closure cannot be
  ///     interrupted; its outcome records that it exceeded the limit.
  ///   - condition: A closure that decides whether the work runs, called once when its turn comes,
  ///     where the launch runs. If it returns `false`, the work is skipped, and so is everything that
  ///     needs it.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - worker: The work. The report records an error that it throws.
  /// - Returns: The registration. Releasing it does not end it.
  /// - Complexity: Amortized O(1) before the launch.
  @discardableResult
  public func callAsFunction(
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
  ) -> LaunchRegistration {
    let work = LaunchWork(PlainClosure(worker))
    return loader.add(id, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers asynchronous launch work.
  ///
  /// The closure runs once, in a task, in the isolation in which it was written. Before `main`, this
  /// call only stores the closure.
  ///
  /// - Parameters:
  ///   - id: The name of the work. Without one, the work is named after its file and line. Only the
  ///     first registration of a name is used.
  ///   - dependencies: The work that must finish first. If any of it is missing or does not finish,
  ///     this work is skipped.
  ///   - others: The work that must end first, however it ends, if it is registered.
  ///   - phase: The phase of the launch in which the work runs.
  ///   - timeout: The time limit, measured on the loader's clock. When it is reached, the worker is
  ///     cancelled and the launch continues without it.
  ///   - condition: A closure that decides whether the work runs, called once when its turn comes,
  ///     where the launch runs. If it returns `false`, the work is skipped, and so is everything that
  ///     needs it.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  ///   - worker: The work. The report records an error that it throws.
  /// - Returns: The registration. Releasing it does not end it.
  /// - Complexity: Amortized O(1) before the launch.
  @discardableResult
  public func callAsFunction(
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
  ) -> LaunchRegistration {
    let work = LaunchWork(AsynchronousClosure((), worker))
    return loader.add(id, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers launch work that is declared as a type.
  ///
  /// - Parameters:
  ///   - type: The type of the worker. It provides the name, the dependencies and the phase. The loader
  ///     creates one instance and runs it once.
  ///   - timeout: The time limit, measured on the loader's clock. When it is reached, the worker is
  ///     cancelled and the launch continues without it.
  ///   - condition: A closure that decides whether the work runs, called once when its turn comes. If
  ///     it returns `false`, the work is skipped.
  ///   - fileID: The file shown in the report.
  ///   - line: The line shown in the report.
  /// - Returns: The registration. Releasing it does not end it.
  /// - Complexity: Amortized O(1) before the launch.
  @discardableResult
  public func callAsFunction<Worker: LaunchWorker>(
    _ type: Worker.Type,
    timeout: Duration? = nil,
    when condition: (@Sendable (LaunchOptions) -> Bool)? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> LaunchRegistration {
    let (id, after, phase) = (type.id, type.dependencies, type.phase)
    let work = LaunchWork(WorkerType<Worker>(), undo: { await $0.undo() })
    return loader.add(id, after, [], phase, timeout, condition, fileID, line, work)
  }
}

extension LaunchLoader {
  /// Registers launch work; see ``LaunchRegistrar``.
  public var register: LaunchRegistrar { LaunchRegistrar(loader: self) }

  /// Registers launch work with the process-wide loader; see ``LaunchRegistrar``.
  ///
  /// May be used before `main`, where it only stores the closure.
  public static var register: LaunchRegistrar { shared.register }
}

/// A function that the operating system's loader calls before `main`.
///
/// Put the constant into the section of constructors, in the file of its feature. The feature then
/// needs no entry in any list:
///
/// ```swift
/// #if objectFormat(MachO)
/// @section("__DATA,__mod_init_func,mod_init_funcs") @used
/// #else
/// @section(".init_array") @used
/// #endif
/// private let entry: LaunchEntry = {
///   LaunchLoader.register("analytics") { options in print("analytics: \(options.arguments)") }
/// }
/// ```
///
/// Before `main` there are no tasks, no command-line arguments and no reliable clocks: only register,
/// and leave everything else to the worker. The linker determines the order in which the entries of
/// different files are called.
public typealias LaunchEntry = @convention(c) () -> Void
