/// A pump whose work is set after its creation.
final class LazyPump: @unchecked Sendable {  // Reason: the work is set before the first wake.
  private var pump: Pump?
  private let label: String

  init(_ label: String) { self.label = label }

  var work: @Sendable () -> Void {
    get { {} }
    set { pump = Pump(label, work: newValue) }
  }

  func wake() { pump?.wake() }

  /// Runs a closure on the queue after a time.
  func enqueue(after pause: Duration, _ body: @escaping @Sendable () -> Void) {
    pump?.enqueue(after: pause, body)
  }

  /// Waits until the requested work is done.
  func finish() async {
    pump?.wake()
    await pump?.pass()
  }
}
