import LaunchLoader
import TestSupport
import Testing

@Suite("The default meanings of signals")
struct SignalMeaningTests {
  #if os(Linux) || os(macOS)
  @Test("The default meanings are those of the documentation")
  func table() {
    let expected: [UnixSignal: UnixSignal.Meaning] = [
      .terminate: .shutdown, .interrupt: .shutdown, .hangup: .reload, .terminalStop: .background,
      .resume: .foreground,
    ]
    #if os(Linux)
    #expect(UnixSignal.Meaning.standard == expected)
    #else
    // The program that runs the tests may be a part of an app.
    #expect(UnixSignal.Meaning.standard.isEmpty || UnixSignal.Meaning.standard == expected)
    #endif
  }
  #endif

  @Test(
    "A program in the bundle of an app or an extension is recognized by its path",
    arguments: [
      "/Applications/Mail.app/Contents/MacOS/Mail", "/Applications/Mail.app/Contents/Helpers/tool",
      "Mail.app/Contents/MacOS/Mail", "/Users/me/MAIL.APP/Contents/MacOS/Mail",
      "/Applications/Mail.app/Contents/PlugIns/Share.appex/Contents/MacOS/Share",
      "/System/Library/Share.appex/Contents/MacOS/Share",
    ]
  )
  func bundles(_ path: String) { #expect(UnixSignal.Meaning.isInBundle(path)) }

  @Test(
    "A program outside bundles is in none, whatever its own name",
    arguments: [
      "/usr/local/bin/server", "server", "", "/", "/opt/mail.app", "/opt/apps/server",
      "/Users/me/my.application/server", "/Users/me/app/server",
      "/tmp/Tests.xctest/Contents/MacOS/Tests",
    ]
  )
  func tools(_ path: String) { #expect(!UnixSignal.Meaning.isInBundle(path)) }

  @Test("A configuration has the default meanings unless others are given")
  func configuration() {
    #expect(AppHost.Configuration().signals == UnixSignal.Meaning.standard)
    #expect(AppHost.Configuration(signals: [:]).signals.isEmpty)
    #expect(AppHost.Configuration(signals: [.user1: .reload]).signals == [.user1: .reload])
  }
}
