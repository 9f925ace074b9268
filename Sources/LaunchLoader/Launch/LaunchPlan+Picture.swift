extension LaunchPlan {
  /// The place of a worker in the picture.
  private typealias Box = (x: Int, y: Int, width: Int)

  private static let margin = 16
  private static let boxHeight = 26
  private static let rowHeight = 40
  private static let columnGap = 64
  private static let top = 56

  /// The graph as a picture: the text of an SVG file that needs no other file.
  ///
  /// Each layer is a column, first to last from left to right, on a ground for its phase. An arrow leads
  /// from each worker to each of its dependencies, dashed if the dependency is optional. The same plan
  /// always gives the same text.
  ///
  /// - Complexity: O(*n* + *e*) in the numbers of workers and of dependencies.
  public var svg: String {
    let rowCount = layers.map(\.count).max() ?? 0
    let bottom = Self.top + max(1, rowCount) * Self.rowHeight
    var boxes: [LaunchID: Box] = [:]
    var columns: [(x: Int, width: Int)] = []
    var x = 2 * Self.margin
    for layer in layers {
      let width = Self.width(of: layer)
      let offset = (rowCount - layer.count) * Self.rowHeight / 2
      for (row, id) in layer.enumerated() {
        boxes[id] = (x, Self.top + offset + row * Self.rowHeight, width)
      }
      columns.append((x, width))
      x += width + Self.columnGap
    }
    let right = columns.last.map { $0.x + $0.width + Self.margin } ?? 10 * Self.columnGap
    var picture = LaunchPicture()
    addGrounds(to: &picture, columns, bottom)
    for edge in edges {
      guard let source = boxes[edge.source], let target = boxes[edge.target] else { continue }
      Self.addArrow(to: &picture, from: source, to: target, isDashed: !edge.isHard)
    }
    for layer in layers {
      for id in layer {
        guard let box = boxes[id] else { continue }
        Self.add(id, to: &picture, in: box)
      }
    }
    let count = boxes.count
    let title = "\(count) launch \(count == 1 ? "worker" : "workers")"
    picture.addText(title, x: Self.margin, y: 20, isBold: true)
    return picture.text(width: right + Self.margin, height: bottom + Self.margin, title: title)
  }

  /// Adds a ground for each phase, with its name.
  private func addGrounds(
    to picture: inout LaunchPicture,
    _ columns: [(x: Int, width: Int)],
    _ bottom: Int
  ) {
    for phase in LaunchPhase.allCases {
      guard let first = phases.firstIndex(of: phase), let last = phases.lastIndex(of: phase) else {
        continue
      }
      let x = columns[first].x - Self.margin
      picture.addRectangle(
        x: x,
        y: 28,
        width: columns[last].x + columns[last].width + Self.margin - x,
        height: bottom - 28,
        fill: "#f3f4f6"
      )
      picture.addText("\(phase)", x: x + 8, y: 44, fill: LaunchPicture.grey)
    }
  }

  /// Adds an arrow from the left edge of a box to the right edge of one before it.
  private static func addArrow(
    to picture: inout LaunchPicture,
    from source: Box,
    to target: Box,
    isDashed: Bool
  ) {
    let (x, y) = (source.x, source.y + boxHeight / 2)
    let (endX, endY) = (target.x + target.width, target.y + boxHeight / 2)
    let bend = columnGap / 2
    picture.addLine(
      "M \(x) \(y) C \(x - bend) \(y) \(endX + 7 + bend) \(endY) \(endX + 7) \(endY)",
      isDashed: isDashed
    )
    picture.addArrowHead(x: endX, y: endY)
  }

  private static func add(_ id: LaunchID, to picture: inout LaunchPicture, in box: Box) {
    picture.addRectangle(
      x: box.x,
      y: box.y,
      width: box.width,
      height: boxHeight,
      fill: "#ffffff",
      stroke: LaunchPicture.ink,
      note: id.rawValue
    )
    picture.addText(LaunchPicture.shortened(id.rawValue), x: box.x + 8, y: box.y + 17)
  }

  /// Returns a width that has room for every name of a layer.
  private static func width(of layer: [LaunchID]) -> Int {
    let lengths = layer.map { LaunchPicture.shortened($0.rawValue).count }
    return max(4, lengths.max() ?? 0) * LaunchPicture.characterWidth + 16
  }
}
