/// What the user says about colours on the command line.
package enum ColourOption: String, CaseIterable, Sendable {
  /// As the environment says.
  case auto
  /// Colours, as many as the environment speaks of, whatever else it says.
  case always
  /// No colours.
  case never
  /// The sixteen named ones.
  case named = "16"
  /// The palette of xterm.
  case palette = "256"
  /// All.
  case trueColour = "truecolor"
}
