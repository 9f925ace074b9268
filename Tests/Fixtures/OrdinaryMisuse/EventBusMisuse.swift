import EventBus

// Mistakes in a module without upcoming features.

/// Without `NonisolatedNonsendingByDefault`, its method has another type than the one that is required.
// expected-error@+2 {{type 'PlainInterceptor' does not conform to protocol 'EventInterceptor'}}
// expected-note@+1 {{add stubs for conformance}}
struct PlainInterceptor: EventInterceptor {
  func capture(_ event: AnyEvent) -> Int { 1 }
  // expected-note@+1 {{candidate has non-matching type '(Int, () -> Void) -> ()' [with Context = Int]}}
  func run(_ context: Int, _ body: () -> Void) { body() }
  // expected-note@+1 {{candidate has non-matching type '(Int, () async -> Void) async -> ()' [with Context = Int]}}
  func run(_ context: Int, _ body: () async -> Void) async { await body() }
}
