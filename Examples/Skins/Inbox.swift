import LaunchLoader
import Theming

/// A row of the inbox: two colours and a corner that follow the skin.
///
/// There is no `deinit`, and nothing else that manages a subscription.
@MainActor
final class Row {
  var paper = RGBA(red: 0, green: 0, blue: 0) { didSet { touched.append("paper") } }
  var ink = RGBA(red: 0, green: 0, blue: 0) { didSet { touched.append("ink") } }
  var corner = 0 { didSet { touched.append("corner") } }

  @Themed var themeMap: ThemeMap<Row>?

  /// The properties that were set, in that order.
  private(set) var touched: [String] = []

  /// Sets the map that all rows have.
  func follow() {
    themeMap = [.set(\.paper, .paper), .set(\.ink, .ink), .set(\.corner, .corner)]
  }

  /// The properties that were set since this was last asked.
  func takeTouched() -> [String] {
    defer { touched = [] }
    return touched
  }
}

// Work with a type of its own.
private struct OpenInbox: LaunchWorker {
  static let id: LaunchID = "inbox"

  func launch(_ options: LaunchOptions) async throws { Diary.shared.note("inbox") }
}

#if objectFormat(MachO)
@section("__DATA,__mod_init_func,mod_init_funcs") @used
#else
@section(".init_array") @used
#endif
private let entry: LaunchEntry = { LaunchLoader.register(OpenInbox.self) }
