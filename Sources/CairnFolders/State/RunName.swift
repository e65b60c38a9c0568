/// The name of a run: the start of the machine, and the mountings of the file systems of the index
/// and of the folder. The index has it as one text.
struct RunName {
  /// The mark of an unknown mounting.
  private static let unknown = "-"

  private let start: Substring
  private let index: Substring
  private let folder: Substring

  /// Reads a name; nil unless it has all three parts.
  init?(_ text: String?) {
    let parts = text?.split(separator: " ") ?? []
    guard parts.count == 3 else { return nil }
    (start, index, folder) = (parts[0], parts[1], parts[2])
  }

  /// The text of a name.
  /// - Parameters:
  ///   - start: The start of the machine with the mounting of the index's file system, as
  ///     `MountSettings.boot` has it.
  ///   - folder: The mounting of the folder's file system; nil if it is unknown.
  /// - Returns: The text.
  static func text(_ start: String, _ folder: String?) -> String {
    "\(start) \(folder ?? unknown)"
  }

  /// Returns whether only the file system of the index was mounted again. An unknown mounting of
  /// the folder proves nothing: its file system may be above that of the index.
  func differsByIndex(from other: RunName?) -> Bool {
    guard let other else { return false }
    return start == other.start && folder == other.folder && folder != Self.unknown
      && index != other.index && index != Self.unknown && other.index != Self.unknown
  }
}
