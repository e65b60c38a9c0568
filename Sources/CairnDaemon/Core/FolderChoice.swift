import CairnControl
import CairnFolders
import CairnReplica

/// The folders of a person's other devices that appear on this device, by their names, and the part
/// of each. `device join` and `cairn.conf` say it.
struct FolderChoice: Equatable, Sendable {
  /// The part of a folder.
  enum Part: Equatable {
    /// All of it.
    case everything
    /// It doesn't appear.
    case nothing
    /// These paths in it, or all but these.
    case selection(Control.SelectionChange, [String])
  }

  /// Either `only` or `without`.
  let change: Control.SelectionChange
  /// A path begins with the name of a folder.
  let paths: [String]

  /// Returns the part of the folder with a name.
  func part(of name: String) -> Part {
    let inside = paths.compactMap { path -> String? in
      if path == name { return "" }
      return path.hasPrefix(name + "/") ? String(path.dropFirst(name.count + 1)) : nil
    }
    let isOnly = change == .only
    if inside.isEmpty { return isOnly ? .nothing : .everything }
    if inside.contains("") { return isOnly ? .everything : .nothing }
    return .selection(change, inside)
  }
}

extension FolderChoice {
  /// Reads what a request of `device join` asks for.
  /// - Throws: `ControlError` for paths that name nothing.
  init(_ request: Control.InitialSelection) throws {
    _ = try request.request()
    change = request.change
    paths = try request.paths.map { path in
      guard let text = path.text else {
        throw ControlError(
          .invalidArguments, "\(path) isn't in UTF-8.",
          remedy: "Join without it, and use `cairn select` then.")
      }
      return text.split(separator: "/").joined(separator: "/")
    }
  }
}

extension Control.InitialSelection {
  /// Returns the change of a selection.
  /// - Throws: `ControlError` if there is no path, or one that leads out of the folder.
  func request() throws -> SelectionRequest {
    guard !paths.isEmpty, change == .only || change == .without else {
      throw ControlError(
        .invalidArguments, "A selection at the beginning names paths, with --only or --without.",
        remedy: "Name at least one path.")
    }
    let slash = UInt8(ascii: "/")
    let dots = [[], [UInt8(ascii: ".")], [UInt8(ascii: "."), UInt8(ascii: ".")]]
    let names = try paths.map { path in
      let names = path.bytes.split(separator: slash, omittingEmptySubsequences: false).map(
        Array.init)
      guard !names.contains(where: { dots.contains($0) }) else {
        throw ControlError(
          .invalidArguments, "\(path) isn't a path in the share.",
          remedy: "Write it without a slash at the beginning or the end, as in Documents/2026.",
          path: path)
      }
      return path.bytes
    }
    return change == .only
      ? .only(names, addsNew: addsNew ?? false) : .without(names, addsNew: addsNew ?? true)
  }

  /// Returns the selection that a request makes of a zone.
  /// - Throws: `ControlError` with `.unknownItem` if the zone doesn't have one of the paths.
  static func make(_ request: SelectionRequest, of zone: Zone) throws -> SyncSelection {
    do { return try CairnFolders.InitialSelection.make(request, of: zone) } catch let error
      as FolderError where error.code == .notFound
    { throw missing(error.path) }
  }

  /// Returns the error for a path that the share doesn't have.
  static func missing(_ path: [UInt8]) -> ControlError {
    ControlError(
      .unknownItem, "\(Control.Path(path)) isn't in the share. Nothing was selected.",
      remedy: "Leave it out, or see with `cairn ls` what the share has once you have accepted it.",
      path: Control.Path(path))
  }
}
