import ArgumentParser
import CairnControl

/// A share on the command line: a folder, or the id of a share. An existing path, and a text that
/// begins with a slash or a dot, is a path. Six or more hexadecimal digits are an id.
struct ShareArgument: ExpressibleByArgument {
  private let argument: PathArgument

  static var defaultCompletionKind: CompletionKind { Suggestions.shares.completion }

  init?(argument: String) {
    guard let path = PathArgument(argument: argument) else { return nil }
    self.argument = path
  }

  /// Returns the reference. Throws like `PathArgument.absolute`.
  func reference() throws(ControlError) -> Control.ShareReference {
    if !argument.exists, argument.given.count >= 6,
      let text = String(validating: argument.given, as: UTF8.self),
      text.allSatisfy({ $0.isHexDigit || $0 == "-" })
    {
      return .id(text.lowercased())
    }
    return .path(try argument.absolute())
  }
}
