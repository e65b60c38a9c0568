/// A place that breaks a rule of the house, with a message for people.
struct Violation: Equatable, CustomStringConvertible {
  let path: String
  let line: Int
  let message: String

  init(_ path: String, _ line: Int, _ message: String) {
    self.path = path
    self.line = line
    self.message = message
  }

  var description: String { "\(path):\(line): \(message)" }
}
