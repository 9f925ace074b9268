import EventBus
import Inspector
import LaunchLoader

/// Adds the inspector to the demo, whose own sources call this function in this build only.
///
/// The page is served before the screen appears, and its address printed, where the terminal shows it again
/// after the demo.
///
/// - Returns: A closure that returns a text with the address.
func inspect(_ app: AppHost) throws -> @Sendable () -> String? {
  let inspector = Inspector(app.bus, app: app, describing: { "\($0.payload)" })
  try app.add(inspector, options: AppServiceOptions(reportsReadiness: true))
  return { [weak inspector] in
    inspector?.url.map { url in
      "Open \(url) in a browser to see each post and each switch. The key i shows this again."
    }
  }
}
