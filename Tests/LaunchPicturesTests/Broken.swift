/// An error whose description is a word.
struct Broken: Error, CustomStringConvertible {
  let description = "broken"
}
