import ArgumentParser
import CairnControl

/// A share on the command line: a folder, or the id of a share. What exists as a path, or has a
/// slash or a dot at its beginning, is a path; six or more hexadecimal digits are an id.
struct ShareArgument: ExpressibleByArgument {
  private let argument: PathArgument

  static var defaultCompletionKind: CompletionKind { Suggestions.shares.completion }

  init?(argument: String) {
    guard let path = PathArgument(argument: argument) else { return nil }
    self.argument = path
  }

  /// Which share is meant. Throws as `PathArgument.absolute` does.
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
