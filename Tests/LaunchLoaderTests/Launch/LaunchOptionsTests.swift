import LaunchLoader
import Testing

@Suite("Launch options")
struct LaunchOptionsTests {
  private enum DeepLink: LaunchOptionKey { typealias Value = String }
  private enum Attempts: LaunchOptionKey { typealias Value = Int }

  @Test("New options are empty")
  func defaults() {
    let options = LaunchOptions()
    #expect(options.arguments.isEmpty)
    #expect(options.environment.isEmpty)
  }

  @Test("The current options are the process's command line and environment")
  func current() {
    let options = LaunchOptions.current
    #expect(options.arguments == CommandLine.arguments)
    #expect(options.environment["PATH"]?.contains("/") == true)
    #expect(options.environment.keys.allSatisfy { !$0.contains("=") })
  }

  @Test("Each key has a value of the key's type, which can be set and removed")
  func keys() {
    var options = LaunchOptions()
    #expect(options[DeepLink.self] == nil)
    options[DeepLink.self] = "mail/inbox"
    options[Attempts.self] = 3
    let copy = options
    options[DeepLink.self] = nil
    #expect(options[DeepLink.self] == nil)
    #expect(options[Attempts.self] == 3)
    #expect(copy[DeepLink.self] == "mail/inbox")
  }
}
