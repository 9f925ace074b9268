// Errors, unhandled events, traces, a table of the registrations, and values that travel.

import EventBus

extension EventNames {
  static let didSave = EventName<String>("document.didSave")
}

let hooks = EventHooks(
  onError: { failure in print(failure) },
  onUnhandled: { event in print("unhandled: \(event.name), posted at \(event.site)") }
)

let bus = EventBus(label: "documents", hooks: hooks)
let tracing = bus.addHooks(EventHooks(onTrace: { step in print(step) }))

// snippet.hide
struct DiskIsFull: Error {}

let index = bus.observe(.didSave) { _ in }
let backup = bus.observe(.didSave) { _ in throw DiskIsFull() }
let pdf = bus.observe(.didSave, where: { $0.hasSuffix(".pdf") }) { _ in }
precondition(bus.post(.didSave, "letter.txt") == 2)
tracing.cancel()
// snippet.show
print(bus.snapshot())

// snippet.hide
for token in [index, backup, pdf] { token.cancel() }
// snippet.show
struct RequestInterceptor: EventInterceptor {
  @TaskLocal static var id = "none"

  func capture(_ event: AnyEvent) -> String { Self.id }
  func run(_ id: String, _ body: () -> Void) { Self.$id.withValue(id) { body() } }
  nonisolated(nonsending) func run(
    _ id: String,
    _ body: nonisolated(nonsending) () async -> Void
  ) async {
    await Self.$id.withValue(id) { await body() }
  }
}

let requests = bus.addHooks(EventHooks(interceptor: RequestInterceptor()))
let audit = bus.observe(.didSave) { name in
  await Task.yield()
  print("\(name) in request \(RequestInterceptor.id)")
}
await RequestInterceptor.$id.withValue("17") { _ = await bus.postAndWait(.didSave, "memo.txt") }
// snippet.hide
audit.cancel()
requests.cancel()
precondition(bus.post(.didSave, "letter.txt") == 0)
