internal import Synchronization

/// Static forms of the registration methods, for ``LaunchLoader/shared``.
extension LaunchLoader {
  /// Configures the process-wide loader, until it launches.
  ///
  /// Only what is given changes. May be called before `main`.
  ///
  /// - Parameters:
  ///   - policy: The effect of a failing worker on the others; at first ``FailurePolicy/continue``.
  ///   - timeout: The time limit of the launch, and of each clean-up during a rollback; at first none.
  ///   - width: The number of asynchronous workers that may run at once, at least one; at first it is
  ///     not limited.
  ///   - clock: The clock for time limits and for the report; at first a `ContinuousClock`.
  /// - Throws: ``LaunchError`` with the code `launched` once the launch has begun, or `stopped` if the
  ///   loader was stopped before; nothing has changed then.
  public static func configure(
    onFailure policy: FailurePolicy? = nil,
    timeout: Duration? = nil,
    width: Int? = nil,
    clock: (any Clock<Duration>)? = nil
  ) throws(LaunchError) {
    try shared.configure(onFailure: policy, timeout: timeout, width: width, clock: clock)
  }

  /// Registers launch work with the process-wide loader.
  ///
  /// The closure runs once, in the isolation in which it was written. Before `main`, this call only
  /// stores the closure.
  ///
  /// - Parameters:
  ///   - id: The name of the work. Without one, the work is named after its file and line. Only the
  ///     first registration of a name counts.
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
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
    let work = LaunchWork.synchronous(LaunchCall(body: worker))
    return shared.add(id, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers asynchronous launch work with the process-wide loader.
  ///
  /// The closure runs once, in a task, in the isolation in which it was written. Before `main`, this
  /// call only stores the closure.
  ///
  /// - Parameters:
  ///   - id: The name of the work. Without one, the work is named after its file and line. Only the
  ///     first registration of a name counts.
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
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
    let work = LaunchWork.asynchronous(worker)
    return shared.add(id, dependencies, others, phase, timeout, condition, fileID, line, work)
  }

  /// Registers launch work that is a type of its own with the process-wide loader.
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
  /// - Returns: A token for the registration. Releasing it does not end the registration.
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
///   LaunchLoader.register("analytics") { options in print("analytics: \(options.reason)") }
/// }
/// ```
///
/// Before `main` there are no tasks, no command-line arguments and no reliable clocks: only register,
/// and leave everything else to the worker. The linker determines the order in which the entries of
/// different files are called.
public typealias LaunchEntry = @convention(c) () -> Void

extension LaunchLoader {
  private static let hasLookedForCopies = Atomic(false)

  /// Reports, once, that the process holds another copy of this library, whose registrations never run.
  ///
  /// Looked at when the process-wide loader launches, because before `main` there is no hook to report to.
  ///
  /// - Parameter report: Receives the message.
  func reportOtherCopies(_ report: (String) -> Void) {
    guard self === LaunchLoader.shared,
      !Self.hasLookedForCopies.exchange(true, ordering: .relaxed),
      unsafe ServiceProcess.hasAnotherCopy(addressName, than: sharedAddress())  // Reason: compared.
    else { return }
    report(
      """
      this process contains LaunchLoader more than once, and what another copy has registered does not run. \
      Link it once: make it a dynamic library, or let one framework contain it for all
      """
    )
  }
}

private let addressName = "launchloader_shared_address"

/// Returns the address of this copy's process-wide loader, to the other copies in the process.
@_cdecl("launchloader_shared_address")
@usableFromInline
func sharedAddress() -> UnsafeRawPointer {
  let loader = unsafe Unmanaged.passUnretained(LaunchLoader.shared)  // Reason: immortal.
  return unsafe UnsafeRawPointer(loader.toOpaque())  // Reason: immortal.
}
