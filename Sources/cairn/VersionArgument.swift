import ArgumentParser
import CairnControl

/// A version on the command line, as `cairn history` numbers them.
struct VersionArgument: ExpressibleByArgument {
  /// The number, the former zone that it counts in, and the item.
  let name: Control.VersionName

  /// Reads `12`, `12.3fa2c81b0042` or `3fa2c81b0042:12`; nil for anything else.
  init?(argument: String) {
    guard let name = Control.VersionName(argument) else { return nil }
    self.name = name
  }
}
