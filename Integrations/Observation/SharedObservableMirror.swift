public import EventBus
public import Observation

/// The value of a shared property on the main actor, for code that tracks what it reads: a SwiftUI view,
/// `withObservationTracking` or `Observations`.
///
/// ```swift
/// let progress = SharedObserved(0.0)
/// let mirror = SharedObservableMirror(of: progress)  // kept by the view, for example in a `@State`
/// print(mirror.value)  // in the `body` of the view, which then follows the property
/// progress.value = 0.5  // on any thread
/// ```
///
/// The mirror has its own value, which follows the property on the main actor: it does not change while a view is
/// evaluated, and may be older than that of the property. No change is lost between the creation of the mirror and
/// the first report. A change on the main actor reaches the mirror before `SharedObserved.update(isolation:_:)`
/// returns, unless another thread is delivering a change or a handler of the property makes it, and after an
/// assignment in a later job of the main actor.
///
/// Keep a strong reference for as long as readers follow the value. The property and the mirror do not keep each other:
/// without the property, the mirror keeps the last value that has arrived.
///
/// ## Thread safety
///
/// Isolated to the main actor. Any thread may change the property and release the mirror.
@MainActor
public final class SharedObservableMirror<Value: Sendable> {
  private nonisolated let registrar = ObservationRegistrar()
  private var current: Value
  private var token: Token?

  /// Creates a mirror of a shared property.
  ///
  /// Make one for each view, and keep it.
  ///
  /// - Parameter source: The property.
  /// - Complexity: Amortized O(1).
  public init(of source: some SharedObservedValue<Value>) {
    current = source.value
    token = source.bind(to: self, \.latest)
  }

  deinit { token?.cancel() }

  /// The value that has arrived on the main actor; tracked.
  ///
  /// - Complexity: O(1).
  public var value: Value {
    registrar.access(self, keyPath: \.value)
    return current
  }

  /// The value, as the property sets it.
  private var latest: Value {
    get { current }
    set {
      // Before the readers are invalidated, so that they read the new value from then on.
      current = newValue
      registrar.withMutation(of: self, keyPath: \.value) {}
    }
  }
}

extension SharedObservableMirror: nonisolated Observable {}
