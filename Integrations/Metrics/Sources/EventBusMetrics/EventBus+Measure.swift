public import CoreMetrics
public import EventBus

extension EventBus {
  /// Counts and times the posts and deliveries of the bus, until a token ends.
  ///
  /// ```swift
  /// import EventBus
  /// import EventBusMetrics
  ///
  /// let measurements = EventBus.default.startMeasuring(prefix: "shop")
  /// ```
  ///
  /// | metric | kind | dimensions |
  /// | --- | --- | --- |
  /// | `<prefix>.posts` | counter | `event` |
  /// | `<prefix>.deliveries` | counter: handlers that have returned or thrown, and events that consumers have taken from streams | `event` |
  /// | `<prefix>.errors` | counter: handlers that have thrown | `event` |
  /// | `<prefix>.drops` | counter: deliveries that a full buffer dropped, or whose owner was gone | `event` |
  /// | `<prefix>.unhandled` | counter: posts that reached no handler | `event` |
  /// | `<prefix>.handler.duration` | timer of what `deliveries` counts, with the posts that the handler makes | `event` |
  /// | `<prefix>.observers` | gauge | `event` |
  /// | `<prefix>.observers.dropped` | gauge: events dropped by the buffers of the present observers | `event` |
  /// | `<prefix>.mailbox.depth` | gauge: events that wait for handlers on actors | |
  ///
  /// A trace does not tell how long the consumer of a stream works on an event. Such a delivery has a duration near
  /// zero: where an event has both handlers and streams, the mean and the percentiles of the timer are too low.
  ///
  /// The only dimension is the name of the event, so that the number of time series is bounded by the number
  /// of names. A bus with a label adds the dimension `bus`; measure buses with and without a label under different
  /// prefixes, because swift-prometheus refuses a metric with a dimension in one place and without in another.
  /// Metrics are made when their event first occurs.
  ///
  /// - Parameters:
  ///   - prefix: The beginning of every label.
  ///   - factory: The factory of the metrics; by default `MetricsSystem.factory` at the time of the call. As
  ///     long as the program has bootstrapped none, that is `NOOPMetricsHandler`: then nothing is measured, at
  ///     no cost, until the next call.
  ///   - interval: The time between two readings of the gauges. The first is one interval after the call.
  ///   - clock: The clock that measures the interval.
  /// - Returns: The token. Dropping it ends the measurement, and with it all costs. It does not keep the bus.
  /// - Complexity: O(*n*) in the number of hooks of the bus. A reading of the gauges is O(*m*) in the number of
  ///   its observers.
  public func startMeasuring(
    prefix: String = "eventbus",
    factory: (any MetricsFactory)? = nil,
    interval: Duration = .seconds(10),
    clock: any Clock<Duration> = ContinuousClock()
  ) -> Token {
    let label = self.label
    let factory = factory ?? MetricsSystem.factory
    // Without a backend, the measurement adds no cost to posts.
    if factory is NOOPMetricsHandler { return Token {} }
    let metrics = Metrics(
      prefix: prefix,
      dimensions: label.isEmpty ? [] : [("bus", label)],
      factory: factory
    )
    let meter = BusMeter(metrics)
    let gauges = BusGauges(metrics)
    let tokens = TokenBag()
    addHooks(
      EventHooks(onUnhandled: { meter.unhandled($0) }, onTrace: { meter.note($0) })
    ).store(in: tokens)
    every(interval, clock: clock) { [weak self, weak tokens] _ in
      guard let self else {
        tokens?.end()
        return
      }
      gauges.read(snapshot())
    }.store(in: tokens)
    return Token { tokens.end() }
  }
}
