import EventBus
import LaunchLoader
import Theming

/// A message.
struct Message: Sendable {
  let number: Int
  let subject: String
}

extension EventNames {
  static let mailArrived = EventName<Message>("mail.arrived")
  static let mailIndexed = EventName<Int>("mail.indexed")
  static let unreadChanged = EventName<Int>("unread.changed")
  static let syncWanted = EventName<Void>("sync.wanted")
  static let connectionLost = EventName<String>("connection.lost")
  static let cursorMoved = EventName<Int>("cursor.moved")
}

extension ThemeKeys {
  static let paper = ThemeKey<RGBA>("color.paper", default: RGBA(red: 255, green: 255, blue: 255))
  static let ink = ThemeKey<RGBA>("color.ink", default: RGBA(red: 20, green: 22, blue: 26))
  static let brand = ThemeKey<RGBA>("color.brand", default: RGBA(red: 59, green: 91, blue: 219))
  static let badge = ThemeKey<RGBA>("color.badge", default: RGBA(red: 214, green: 48, blue: 63))
  static let corner = ThemeKey<Int>("radius.corner", default: 6)
}

/// The parts of the program.
enum Mail {
  /// The text for the payloads that may be shown.
  static func describe(_ event: AnyEvent) -> String? {
    switch event.payload {
    case let message as Message: "Message \(message.number): \(message.subject)"
    case let number as Int: "\(number)"
    case let text as String: text
    default: nil
    }
  }

  /// The themes.
  @MainActor static let themes: [Theme] = {
    let day = Theme("Day", appearance: .light) {
      $0[alias: .badge] = .brand
    }
    let night = Theme("Night", appearance: .dark) {
      $0[.paper] = RGBA(red: 16, green: 18, blue: 21)
      $0[.ink] = RGBA(red: 230, green: 232, blue: 235)
      $0[.brand] = RGBA(red: 138, green: 164, blue: 255)
      $0[alias: .badge] = .brand
    }
    let ember = night.deriving("Ember") {
      $0[.brand] = RGBA(red: 255, green: 120, blue: 60)
      $0[.corner] = 2
    }
    return [day, night, ember]
  }()

  static func registerLaunchWork(in loader: LaunchLoader) {
    loader.register("settings") { _ in try await Task.sleep(for: .milliseconds(12)) }
    loader.register("keychain", after: ["settings"]) { _ in
      try await Task.sleep(for: .milliseconds(31))
    }
    loader.register("accounts", after: ["keychain"]) { _ in
      try await Task.sleep(for: .milliseconds(58))
    }
    loader.register("fonts") { _ in try await Task.sleep(for: .milliseconds(22)) }
    loader.register("themes", after: ["settings"], afterIfPresent: ["fonts"]) { _ in
      try await Task.sleep(for: .milliseconds(9))
    }
    loader.register("address book", after: ["accounts"], phase: .late) { _ in
      try await Task.sleep(for: .milliseconds(17))
    }
    loader.register("spell checker", phase: .late) { _ in
      throw MailError(text: "there is no dictionary for \"tlh\"")
    }
    loader.register("grammar checker", after: ["spell checker"], phase: .late) { _ in }
  }
}

/// A service that needs a moment until it is ready.
struct Database: AppService {
  let serviceName = "database"

  func run(_ context: AppServiceContext) async throws {
    try await Task.sleep(for: .milliseconds(180))
    context.markReady()
    try await context.waitUntilShutdown()
    try await Task.sleep(for: .milliseconds(60))
  }
}
