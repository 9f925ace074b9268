/// The phases that a system reports by other means than a signal.
extension Application {
  /// Reports that the program is visible but loses its activity, for example to a dialogue of the system.
  ///
  /// From ``AppState/active``, the application becomes ``AppState/inactive`` and stays so until
  /// ``becomeActive(isolation:)``. In the background, it becomes inactive with the next
  /// ``enterForeground(isolation:)``.
  ///
  /// This call and its siblings are for systems that report phases: scenes of UIKit, a window manager.
  ///
  /// ```swift
  /// let app = Application()
  ///
  /// func sceneWillResignActive() { app.resignActive() }  // .inactive
  /// func sceneDidEnterBackground() { app.enterBackground() }  // .background
  /// func sceneWillEnterForeground() { app.enterForeground() }  // .inactive
  /// func sceneDidBecomeActive() { app.becomeActive() }  // .active
  /// ```
  ///
  /// All four are legal from any thread and in every state, pass all states in between, and report each edge
  /// in order:
  ///
  /// - Before services have started, a call is remembered: the services start in the background after
  ///   ``enterBackground(isolation:)``, and the application stays inactive after this call.
  /// - While another edge is being reported, the edges of the call follow it.
  /// - A call that changes nothing reports no edge, like every call after services have begun to stop.
  ///
  /// When a call returns, its edges have been delivered in the isolation of the caller, unless another call
  /// is delivering or a method of the delegate has suspended; ``waitUntil(_:)`` then waits for the state.
  ///
  /// - Parameter isolation: The isolation of the caller.
  public func resignActive(isolation: isolated (any Actor)? = #isolation) {
    change(.resign)
  }

  /// Reports that the program gains activity.
  ///
  /// The application becomes ``AppState/active``, from ``AppState/background`` by way of
  /// ``AppState/inactive``. See ``resignActive(isolation:)`` for what holds for every phase.
  ///
  /// - Parameter isolation: The isolation of the caller.
  public func becomeActive(isolation: isolated (any Actor)? = #isolation) {
    change(.activate)
  }

  /// Reports that the program goes to the background.
  ///
  /// The application becomes ``AppState/background``, from ``AppState/active`` by way of
  /// ``AppState/inactive``. See ``resignActive(isolation:)`` for what holds for every phase.
  ///
  /// - Parameter isolation: The isolation of the caller.
  public func enterBackground(isolation: isolated (any Actor)? = #isolation) {
    change(.background)
  }

  /// Reports that the program returns to the foreground.
  ///
  /// From ``AppState/background``, the application becomes ``AppState/inactive``. It also becomes active,
  /// unless ``resignActive(isolation:)`` was called after the last ``becomeActive(isolation:)``.
  /// See ``resignActive(isolation:)`` for what holds for every phase.
  ///
  /// - Parameter isolation: The isolation of the caller.
  public func enterForeground(isolation: isolated (any Actor)? = #isolation) {
    change(.foreground)
  }
}
