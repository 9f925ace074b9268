import ArgumentParser

/// The arguments of the command line.
struct Arguments: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "daemon")

  @Option(help: "The file with the settings.") var settings = "/etc/daemon/settings.json"
}
