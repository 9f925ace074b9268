extension LaunchPlan {
  private static let margin = 16
  private static let groundTop = 48
  /// The width of what stands before a line of the legend.
  private static let sampleWidth = 60
  private static let top = 72

  /// The graph as a picture: the text of an SVG file that needs no other file.
  ///
  /// Time runs from left to right: each layer is a column, on a ground for its phase, and an arrow leads from
  /// work to the work that waits for it, dashed if the dependency is optional. A legend explains them. Names
  /// that are too long are shortened at their start; pointing at a box shows the whole name.
  ///
  /// A picture shows at most 16 layers, 40 workers of each and 1,000 arrows, and counts the others. The same
  /// plan always gives the same text.
  ///
  /// - Complexity: O(*n* log *n* + *e*) in the numbers of workers and of dependencies.
  public var svg: String {
    let layout = LaunchPlanLayout(self, left: 2 * Self.margin, top: Self.top)
    var picture = LaunchPicture()
    let right = layout.columns.last.map { $0.x + $0.width + Self.margin } ?? Self.margin
    let legend = legend(layout)
    let legendWidth =
      legend.map { $0.text.cellCount * LaunchPicture.cell + Self.sampleWidth + 16 }.max() ?? 0
    let heading = heading
    let width =
      max(right, heading.cellCount * 10 + Self.margin, legendWidth + Self.margin) + Self.margin
    picture.addHeading(heading, x: Self.margin, y: 32, width: width - 2 * Self.margin)
    addGrounds(to: &picture, layout)
    for arrow in layout.arrows { Self.add(arrow, to: &picture) }
    for box in layout.boxes { Self.add(box, to: &picture) }
    var y = layout.bottom + (layout.columns.isEmpty ? 0 : 20)
    for (sample, text) in legend {
      y += 20
      Self.add(sample, to: &picture, y: y)
      picture.addText(text, x: Self.margin + Self.sampleWidth + 16, y: y, fill: LaunchPicture.grey)
    }
    return picture.text(
      width: width,
      height: y + Self.margin,
      title: heading,
      description: description
    )
  }

  private var heading: String {
    let count = layers.reduce(0) { $0 + $1.count }
    let workers = "\(count.grouped) \(count == 1 ? "worker" : "workers")"
    return count == 0
      ? "Launch plan: no workers"
      : "Launch plan: \(workers) in \(layers.count.grouped)"
        + (layers.count == 1 ? " step" : " steps, from left to right")
  }

  /// What stands before a line of the legend.
  private enum Sample {
    case arrow(isRequired: Bool)
    case ground
    case nothing
  }

  /// The legend: what is in the picture, and what is not.
  private func legend(_ layout: LaunchPlanLayout) -> [(sample: Sample, text: String)] {
    var lines: [(Sample, String)] = []
    if edges.contains(where: \.isRequired) {
      lines.append((.arrow(isRequired: true), "B needs A: B begins when A has finished"))
    }
    if edges.contains(where: { !$0.isRequired }) {
      let text = "B follows A if both are registered, even if A fails"
      lines.append((.arrow(isRequired: false), text))
    }
    if !layers.isEmpty {
      lines.append((.ground, "phase: begins when the one on its left has ended"))
    }
    if phases.contains(.idle) {
      lines.append((.nothing, "idle: after the launch, which does not wait for it"))
    }
    if layout.hiddenLayers > 0 {
      let steps = "\(layout.hiddenLayers.grouped) more steps"
      lines.append((.nothing, "not shown: \(steps) with \(layout.hiddenInLayers.grouped) workers"))
    }
    if layout.hiddenArrows > 0 {
      lines.append((.nothing, "not shown: \(layout.hiddenArrows.grouped) more arrows"))
    }
    return lines
  }

  private static func add(_ sample: Sample, to picture: inout LaunchPicture, y: Int) {
    switch sample {
    case .arrow(let isRequired):
      picture.addText("A", x: margin, y: y)
      picture.addLine("M \(margin + 12) \(y - 4) H \(margin + 42)", isDashed: !isRequired)
      picture.addArrowHead(x: margin + 48, y: y - 4)
      picture.addText("B", x: margin + sampleWidth - 8, y: y)
    case .ground:
      picture.addRectangle(x: margin, y: y - 12, width: sampleWidth, height: 16, fill: groundFill)
    case .nothing: break
    }
  }

  private static let groundFill = "#eef2f7"

  /// Adds a ground for each phase, with its name.
  private func addGrounds(to picture: inout LaunchPicture, _ layout: LaunchPlanLayout) {
    for phase in LaunchPhase.allCases {
      let columns = layout.columns.filter { $0.phase == phase }
      guard let first = columns.first, let last = columns.last else { continue }
      let x = first.x - Self.margin
      picture.addRectangle(
        x: x,
        y: Self.groundTop,
        width: last.x + last.width + Self.margin - x,
        height: layout.bottom + 8 - Self.groundTop,
        fill: Self.groundFill
      )
      let y = Self.groundTop + 18
      picture.addText("\(phase)", x: x + 8, y: y, fill: LaunchPicture.grey, isBold: true)
    }
    for column in layout.columns where column.hiddenCount > 0 {
      picture.addText(
        "and \(column.hiddenCount.grouped) more",
        x: column.x + 8,
        y: layout.bottom - 8,
        fill: LaunchPicture.grey
      )
    }
  }

  private static func add(_ arrow: LaunchPlanLayout.Arrow, to picture: inout LaunchPicture) {
    guard let start = arrow.points.first, let end = arrow.points.last else { return }
    var path = "M \(start.x) \(start.y)"
    var last = start
    for index in arrow.points.indices.dropFirst() {
      let point = arrow.points[index]
      // Every other part leads through a lane; the last part ends at the head of the arrow.
      let x = index == arrow.points.count - 1 ? point.x - 7 : point.x
      if index.isMultiple(of: 2) {
        path += " H \(x)"
      } else {
        let bend = (x - last.x) / 2
        path += " C \(last.x + bend) \(last.y) \(x - bend) \(point.y) \(x) \(point.y)"
      }
      last = point
    }
    picture.addLine(path, isDashed: !arrow.isRequired)
    picture.addArrowHead(x: end.x, y: end.y)
  }

  private static func add(_ box: LaunchPlanLayout.Box, to picture: inout LaunchPicture) {
    picture.addRectangle(
      x: box.x,
      y: box.y,
      width: box.width,
      height: LaunchPlanLayout.boxHeight,
      fill: "#ffffff",
      stroke: LaunchPicture.ink,
      note: box.id.rawValue
    )
    let name = box.id.rawValue.shortened(to: LaunchPlanLayout.nameCells)
    picture.addText(name, x: box.x + 8, y: box.y + 17)
  }
}
