import EventBus

// Mistakes in a module without upcoming features.

/// Without `NonisolatedNonsendingByDefault`, its method has another type than the one that is required.
// expected-warning@+1 {{deprecated default implementation is used to satisfy instance method 'run' required by protocol 'EventInterceptor': also write the asynchronous run, as EventInterceptor shows}}
struct PlainInterceptor: EventInterceptor {
  func capture(_ event: AnyEvent) -> Int { 1 }
  func run(_ context: Int, _ body: () -> Void) { body() }
  func run(_ context: Int, _ body: () async -> Void) async { await body() }
}
