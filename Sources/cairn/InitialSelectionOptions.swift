import ArgumentParser
import CairnControl

/// The options for the part of something that this device gets from the beginning.
struct InitialSelectionOptions: ParsableArguments {
  @Option(
    name: .long, parsing: .upToNextOption,
    help: ArgumentHelp("Have these files and directories, and nothing else.", valueName: "path"))
  var only: [PathArgument] = []

  @Option(
    name: .long, parsing: .upToNextOption,
    help: ArgumentHelp("Don't have these files and directories.", valueName: "path"))
  var without: [PathArgument] = []

  func validate() throws {
    guard only.isEmpty || without.isEmpty else {
      throw ValidationError("Give one of --only and --without.")
    }
  }

  /// Returns the selection; nil for everything. The paths are those of the share: the working
  /// folder doesn't matter.
  func selection(addsNew: Bool? = nil) -> Control.InitialSelection? {
    guard !only.isEmpty || !without.isEmpty else { return nil }
    let slash = UInt8(ascii: "/")
    let paths = (only + without).map { path in
      // A shell completes a directory with a slash.
      Control.Path(path.given.last == slash ? Array(path.given.dropLast()) : path.given)
    }
    return Control.InitialSelection(
      change: only.isEmpty ? .without : .only, paths: paths, addsNew: addsNew)
  }
}
