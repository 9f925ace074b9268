import EventBus
import Foundation
import LaunchLoader

extension LaunchKeys {
  static let settings = LaunchKey<SettingsFile>("settings")
}

/// What an operator can change while the daemon runs.
struct Settings: Decodable, Sendable {
  /// The directory with the files to announce.
  var spool: String
  /// What precedes each line.
  var label: String
  /// The pause after each line, in seconds: from 0 to 3600.
  var pause: Double
}

extension Settings {
  /// Reads and checks a file.
  init(contentsOfFile path: String) throws(SettingsError) {
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: path)))
    } catch let error as DecodingError {
      throw SettingsError(description: "\(path): \(error)")
    } catch {
      throw SettingsError(description: "\(path): \(error.localizedDescription)")
    }
    guard (0...3600).contains(pause) else {
      throw SettingsError(description: "\(path): pause is \(pause), and must be from 0 to 3600")
    }
    guard FileManager.default.isWritableFile(atPath: spool) else {
      throw SettingsError(description: "\(path): spool is \(spool), where nothing can be written")
    }
  }
}

/// A mistake in the settings, with the file that contains it.
struct SettingsError: Error, CustomStringConvertible {
  let description: String
}

/// The settings in effect, which a reload replaces.
actor SettingsFile {
  private let path: String
  private(set) var current: Settings

  init(_ path: String, reloadedBy bus: EventBus) throws(SettingsError) {
    self.path = path
    current = try Settings(contentsOfFile: path)
    bus.observe(.appShouldReload, owner: self) { file, _ in file.reload() }
  }

  private func reload() {
    do {
      current = try Settings(contentsOfFile: path)
      log("new settings are in effect")
    } catch {
      log("the old settings stay in effect: \(error)")
    }
  }
}
