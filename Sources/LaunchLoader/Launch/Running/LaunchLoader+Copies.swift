internal import Synchronization

/// The search for other copies of this library in the process.
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
