public import Tracing

/// The current trace as fields of text, such as `traceparent`, for events that leave the process.
///
/// A bridge to other processes sends the fields with an event, and posts a received event inside `run(_:with:_:)`: the
/// span of that post, which `EventBus.startTracing(with:)` makes, is then a child of the span of the original post.
/// With the bridge over NATS:
///
/// ```
/// configuration.propagation = EventPropagation {
///   TraceFields.current()
/// } restore: { fields, post in
///   TraceFields.run(fields, post)
/// } restoreWhileHandling: { fields, post in
///   await TraceFields.run(fields, post)
/// }
/// ```
///
/// The instrument that the program has bootstrapped chooses the fields.
///
/// ## Thread safety
///
/// Every member may be called on any thread; closures are called at once, on the same one or in the same task.
public enum TraceFields: Sendable {
  /// The fields of the current `ServiceContext`; none if there is no context.
  ///
  /// - Parameter instrument: The instrument that writes them; `nil` means the instrument of the program.
  /// - Returns: The fields by their names.
  public static func current(_ instrument: (any Instrument)? = nil) -> [String: String] {
    guard let context = ServiceContext.current else { return [:] }
    var fields: [String: String] = [:]
    (instrument ?? InstrumentationSystem.instrument).inject(context, into: &fields, using: Fields())
    return fields
  }

  /// Calls a closure with the context of fields as the current one.
  ///
  /// - Parameters:
  ///   - fields: The received fields.
  ///   - instrument: The instrument that reads them; `nil` means the instrument of the program.
  ///   - body: The closure, called once.
  public static func run(
    _ fields: [String: String],
    with instrument: (any Instrument)? = nil,
    _ body: () -> Void
  ) {
    ServiceContext.withValue(context(fields, instrument), operation: body)
  }

  /// Calls an asynchronous closure with the context of fields as the current one.
  ///
  /// - Parameters:
  ///   - fields: The received fields.
  ///   - instrument: The instrument that reads them; `nil` means the instrument of the program.
  ///   - body: The closure, called once.
  public static func run(
    _ fields: [String: String],
    with instrument: (any Instrument)? = nil,
    _ body: () async -> Void
  ) async {
    await ServiceContext.withValue(context(fields, instrument), operation: body)
  }

  private static func context(
    _ fields: [String: String],
    _ instrument: (any Instrument)?
  ) -> ServiceContext {
    var context = ServiceContext.current ?? .topLevel
    let instrument = instrument ?? InstrumentationSystem.instrument
    instrument.extract(fields, into: &context, using: Fields())
    return context
  }
}

/// Fields as a carrier.
private struct Fields: Injector, Extractor {
  func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
    carrier[key] = value
  }

  func extract(key: String, from carrier: [String: String]) -> String? {
    carrier[key] ?? carrier[key.lowercased()]
  }
}
