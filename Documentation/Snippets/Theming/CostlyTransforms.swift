// A transform whose costly results views share.

import Theming

extension ThemeKeys {
  static let accent = ThemeKey("color.accent", default: RGBA(red: 0, green: 122, blue: 255))
}

/// A picture that takes a while to draw.
final class Picture {
  let caption: String

  init(of color: RGBA) { caption = color.hex }
}

@MainActor
final class Pictures {
  private var known: [RGBA: Picture] = [:]

  func picture(of color: RGBA) -> Picture {
    if let picture = known[color] { return picture }
    let picture = Picture(of: color)
    known[color] = picture
    return picture
  }
}

@MainActor
final class Cell {
  var picture: Picture?
  @Themed var themeMap: ThemeMap<Cell>?
}

let pictures = Pictures()
let cells = (0..<1_000).map { _ in Cell() }
for cell in cells { cell.themeMap = [.set(\.picture, .accent) { pictures.picture(of: $0) }] }
print(cells[0].picture === cells[999].picture)  // true: drawn once

// snippet.hide
precondition(cells[0].picture === cells[999].picture && cells[0].picture?.caption == "#007aff")
