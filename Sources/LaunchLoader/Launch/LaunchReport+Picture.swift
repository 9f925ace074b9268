extension LaunchReport {
  /// A bar chart as a picture: the text of an SVG file that needs no other file.
  ///
  /// The heading says how long the launch took and how many workers ended how. Below it is a row for each
  /// worker, in the order in which they began, with a bar from its start to its end, its outcome, and the
  /// reason if it failed or did not run. The longest chain of dependencies is outlined and named, and so are
  /// faults in the dependencies. Pointing at a bar shows the source site and the whole error.
  ///
  /// A picture has at most 100 rows: those of failures, of the chain, and of the work that took longest; a
  /// last line counts the others. The same report always gives the same text.
  ///
  /// - Complexity: O(*n* log *n* + *e*) in the numbers of entries and of their dependencies.
  public var svg: String { LaunchChart(self).svg }
}
