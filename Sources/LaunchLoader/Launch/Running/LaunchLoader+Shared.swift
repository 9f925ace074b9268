internal import Synchronization

/// Static members for ``LaunchLoader/shared``.
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
