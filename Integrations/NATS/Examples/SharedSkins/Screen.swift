import Foundation
import Theming

/// The picture in the terminal: the skins, the nodes, and the node that chose last.
///
/// Without a terminal it is one line for each change.
@MainActor
final class Screen: Themeable {
  let themeSlot = ThemeSlot()
  var paper = ThemeKeys.paper.defaultValue
  var ink = ThemeKeys.ink.defaultValue
  var accent = ThemeKeys.accent.defaultValue
  private let manager: ThemeManager
  private let node: String
  /// The names of the other nodes.
  var others: Set<String> = []
  private var invitation = ""
  private let isTerminal = isatty(STDOUT_FILENO) == 1

  init(_ manager: ThemeManager, node: String) {
    (self.manager, self.node) = (manager, node)
    themeMap = ThemeMap([.set(\.paper, .paper), .set(\.ink, .ink), .set(\.accent, .accent)])
      .scoped(manager)
  }

  /// Shows the command for another terminal, now and below each picture.
  func invite(_ command: String) {
    invitation = "In another terminal: \(command)"
    if isTerminal { draw("") } else { draw(invitation) }
  }

  /// Shows the picture.
  func draw(_ happened: String) {
    guard isTerminal else { return write("\(happened)\n") }
    var lines = ["", "  \(node)", ""]
    for (index, skin) in skins.enumerated() {
      let mark = skin.name == manager.theme.name ? "▸" : " "
      lines.append("  \(mark) \(index + 1)  \(skin.name)")
    }
    lines.append("")
    let list = others.isEmpty ? "no other terminal yet" : others.sorted().joined(separator: ", ")
    lines.append("  with " + list)
    lines.append("  \(happened)")
    lines.append("")
    var text = "\u{1B}[2J\u{1B}[H"
    for (index, line) in lines.enumerated() {
      let color = index == 1 || line.hasPrefix("  ▸") ? accent : ink
      text += "\u{1B}[48;2;\(code(paper))m\u{1B}[38;2;\(code(color))m"
      text += line.padding(toLength: 60, withPad: " ", startingAt: 0) + "\u{1B}[0m\n"
    }
    write(text + "\n\(invitation)\n\nA number and return chooses a skin, q ends: ")
  }

  private func code(_ color: RGBA) -> String { "\(color.red);\(color.green);\(color.blue)" }

  private func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
