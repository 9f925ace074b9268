import LaunchLoader
import TestSupport
import Testing

@Suite("The default meanings of signals")
struct SignalMeaningTests {
  private func handles(_ system: SignalMeaning.System, _ executable: String) -> Bool {
    !SignalMeaning.usual(on: system, executable: executable).isEmpty
  }

  @Test("They are those of the documentation")
  func table() {
    let expected: [UnixSignal: SignalMeaning] = [
      .terminate: .graceful, .interrupt: .graceful, .hangup: .reload, .stop: .background,
      .resume: .foreground, .windowChanged: .resize,
    ]
    #expect(SignalMeaning.usual(on: .linux, executable: "/usr/bin/server") == expected)
    #expect(SignalMeaning.usual(on: .macOS, executable: "/usr/local/bin/server") == expected)
    #expect(SignalMeaning.usual(on: .other, executable: "/usr/local/bin/server").isEmpty)
  }

  @Test(
    "On macOS a program in the bundle of an app or an extension handles none",
    arguments: [
      "/Applications/Mail.app/Contents/MacOS/Mail", "/Applications/Mail.app/Contents/Helpers/tool",
      "Mail.app/Contents/MacOS/Mail", "/Users/me/MAIL.APP/Contents/MacOS/Mail",
      "/Applications/Mail.app/Contents/PlugIns/Share.appex/Contents/MacOS/Share",
      "/System/Library/Share.appex/Contents/MacOS/Share",
    ]
  )
  func bundles(_ path: String) {
    #expect(!handles(.macOS, path))
    // Linux has no bundles, and a folder may have any name.
    #expect(handles(.linux, path))
  }

  @Test(
    "On macOS a program outside bundles handles them, whatever its own name",
    arguments: [
      "/usr/local/bin/server", "server", "", "/", "/opt/mail.app", "/opt/apps/server",
      "/Users/me/my.application/server", "/Users/me/app/server",
      "/tmp/Tests.xctest/Contents/MacOS/Tests",
    ]
  )
  func tools(_ path: String) { #expect(handles(.macOS, path)) }

  @Test("A configuration has them unless it is given others")
  func configuration() {
    #expect(Application.Configuration().signals == SignalMeaning.usual)
    #if os(Linux)
    #expect(SignalMeaning.usual == SignalMeaning.usual(on: .linux, executable: ""))
    #endif
    #expect(Application.Configuration(signals: [:]).signals.isEmpty)
    #expect(Application.Configuration(signals: [.user1: .reload]).signals == [.user1: .reload])
  }
}
