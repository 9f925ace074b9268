public import EventBus
private import Foundation
public import LaunchLoader
internal import _EventBusLocks
internal import Theming

/// Shows what happens on a bus and in an application, on a page in a browser.
///
/// ```swift
/// import EventBus
/// import Inspector
/// import LaunchLoader
///
/// let app = AppHost()
/// try app.add(Inspector(.default, app: app))
/// ```
///
/// When the application has started, a line on standard error gives the address of the page: a timeline of posts
/// and deliveries, the observers, the launch, the services and the switches of themes. Nothing on the page changes
/// the program.
///
/// The recording begins with the initializer and keeps the last 100,000 steps. It ends when the inspector is
/// released, which removes everything from the bus. An application releases its services when it is released
/// itself. While there is an inspector, each post costs what a trace costs, and what the README states for
/// recording it.
///
/// Only programs on this machine that know the address can read the page: it is served on the loopback interface,
/// under a path that is random in each run. Payloads are not recorded unless `describing` asks for them.
///
/// ## Thread safety
///
/// Every member may be called from any thread. `describing` is called by posting code, on its
/// thread.
public final class Inspector: AppService {
  /// The beginning of the `fileID` of this module's own observers, which are not shown.
  static let ownFiles = "Inspector/"

  /// The name of the service, which is `inspector`.
  public let serviceName = "inspector"

  let model: InspectorModel
  private let bus: EventBus
  private weak let app: AppHost?
  private let port: Int
  private let onServing: @Sendable (String) -> Void
  private let tokens = TokenBag()
  private let address = Locked<String?>(nil)

  /// Creates an inspector, which records from now on.
  ///
  /// To see the launch, create it before the application runs.
  ///
  /// - Parameters:
  ///   - bus: The bus to inspect, which is retained.
  ///   - app: The application whose launch and services are shown; not retained.
  ///   - port: The port of the page; zero lets the system choose.
  ///   - capacity: The number of steps to keep. A post with one handler has four.
  ///   - describing: Returns the text to show for the payload of an event, or `nil` to show none. Without this
  ///     closure no payload is read. Texts are cut off after 2,000 characters.
  ///   - onServing: Called with the address of the page when it is served. The default writes it to standard error.
  public init(
    _ bus: EventBus = .default,
    app: AppHost? = nil,
    port: Int = 0,
    capacity: Int = 100_000,
    describing: (@Sendable (AnyEvent) -> String?)? = nil,
    onServing: (@Sendable (String) -> Void)? = nil
  ) {
    self.bus = bus
    self.app = app
    self.port = port
    self.onServing =
      onServing ?? { url in
        try? FileHandle.standardError.write(contentsOf: Data("Inspector: \(url)\n".utf8))
      }
    let model = InspectorModel(label: bus.label, capacity: capacity)
    self.model = model
    bus.addHooks(
      EventHooks(
        onTrace: { model.recorder.note($0) },
        interceptor: describing.map { PayloadInterceptor(model.recorder, describing: $0) }
      )
    ).store(in: tokens)
    bus.observe(.themeDidChange) { change in
      let change = ThemeHistory.describe(change, at: model.recorder.now)
      model.update { $0.themes.note(change) }
    }.store(in: tokens)
    if let app { observe(app) }
  }

  private func observe(_ app: AppHost) {
    let (model, loader, tokens) = (model, app.loader, tokens)
    let state = app.state
    model.update { $0.services.note(state, at: model.recorder.now) }
    app.bus.observe(.appStateDidChange) { [weak app] state in
      let (services, time) = (app?.services, model.recorder.now)
      model.update { views in
        views.services.note(state, at: time)
        if let services { views.services.note(services, at: time) }
      }
    }.store(in: tokens)
    app.bus.observe(.appServiceStateDidChange) { [weak app] change in
      let (services, time) = (app?.services, model.recorder.now)
      let error = change.error.map { "\($0)".shortened(to: 2_000) }
      model.update { views in
        views.services.note(change.service, change.state, error, attempt: change.attempt, at: time)
        if let services { views.services.note(services, at: time) }
      }
    }.store(in: tokens)
    // After that, the observers of the program end, and a file saved at the end would show none.
    app.bus.observe(.willTerminate) { [weak self] in self?.sample() }.store(in: tokens)
    app.bus.observe(.willFinishLaunching, priority: Priority(.max)) { _ in
      // The plan is gone when the launch has begun.
      do throws(LaunchError) {
        let plan = try loader.plan()
        model.update { $0.launch.plan = plan }
      } catch {
        let problem = error.description
        model.update { $0.launch.problem = problem }
      }
    }.store(in: tokens)
    app.bus.observe(.didFinishLaunching) { _ async throws in
      let report = try await loader.report()
      model.update { $0.launch.report = report }
    }.store(in: tokens)
  }

  /// The address of the page while it is served, otherwise `nil`.
  public var url: String? { address.withLock { $0 } }

  /// Serves the page until the service is asked to stop.
  ///
  /// - Parameter context: The context of the service.
  /// - Throws: ``InspectorError`` with the code `cannotServe` if the port cannot be used.
  public func run(_ context: AppServiceContext) async throws {
    guard 0...65_535 ~= port else {
      throw InspectorError(code: .cannotServe(port: port), reason: "there is no such port")
    }
    let server = PageServer(model, port: port) { [weak self] url in
      self?.address.withLock { $0 = url }
      self?.onServing(url)
      context.markReady()
    }
    defer { address.withLock { $0 = nil } }
    let sampling = Task { [weak self] in
      while !Task.isCancelled {
        // With very many observers less often, for a twentieth of the time at most.
        let duration = ContinuousClock().measure { self?.sample() }
        try await Task.sleep(for: max(InspectorModel.samplingInterval, duration * 19))
      }
    }
    defer { sampling.cancel() }
    do {
      try await server.run(until: context)
    } catch {
      // An error while the page was served is another matter.
      if url != nil || error is CancellationError { throw error }
      throw InspectorError(code: .cannotServe(port: port), reason: "\(error)")
    }
  }

  /// Takes a snapshot of the observers and of the services.
  func sample() {
    let (services, time) = (app?.services, model.recorder.now)
    // Outside the lock: with many observers it takes a while.
    var observers = model.current.observers
    observers.sample(bus.snapshot())
    model.update { views in
      views.observers = observers
      if let services { views.services.note(services, at: time) }
    }
  }

  /// Writes the page with everything that is recorded into one file, which a browser opens without a server.
  ///
  /// After the application has ended, the file shows the observers that there were when it was about to end.
  ///
  /// - Parameter path: The path of the file, which is replaced.
  /// - Throws: ``InspectorError`` with the code `cannotWrite` if the file cannot be written.
  /// - Complexity: O(*n*) in the number of recorded steps: about a second for 100,000.
  public func save(to path: String) throws(InspectorError) {
    if app?.state != .terminated { sample() }
    try Self.write(Page.file(model.saved), to: path)
  }

  /// Writes the timeline in the trace event format of Chrome, which Perfetto reads.
  ///
  /// - Parameter path: The path of the file, which is replaced.
  /// - Throws: ``InspectorError`` with the code `cannotWrite` if the file cannot be written.
  /// - Complexity: O(*n* log *n*) in the number of recorded steps.
  public func saveTrace(to path: String) throws(InspectorError) {
    try Self.write(ChromeTrace(Timeline(model.recorder.all)).text, to: path)
  }

  private static func write(_ text: String, to path: String) throws(InspectorError) {
    do {
      try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
    } catch {
      let reason = path.isEmpty ? "there is no such file" : error.localizedDescription
      throw InspectorError(code: .cannotWrite(path: path), reason: reason)
    }
  }
}
