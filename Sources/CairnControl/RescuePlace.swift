import FoundationEssentials

/// The names of folders in the home's rescue folder, and the notes beside them.
public enum RescuePlace {
  /// The former place of the files in a folder, and the reason for their rescue; saved beside the
  /// folder as JSON.
  public struct Origin: Codable, Sendable {
    /// The path of the folder or view in which the files were.
    public var path: Control.Path
    /// The reason as a clause.
    public var reason: String
  }

  /// The ending of the name of a note.
  public static let suffix = ".origin.json"

  /// Returns the name of the folder of a share, which no other share has: its title as at most 200
  /// bytes, and a part of the id of its zone.
  public static func name(_ title: String, zone: String) -> String {
    let kept = title.unicodeScalars.filter {
      $0 != "/" && $0.properties.generalCategory != .control
    }
    var text = String(String.UnicodeScalarView(kept))
    while text.utf8.count > 200 { text.removeLast() }
    if text.hasPrefix(".") || text.isEmpty { text = "Share" + text }
    return "\(text)-\(zone.prefix(8))"
  }

  /// Notes the former place of the files in a folder. Throws `EncodingError`, or `CocoaError` if
  /// the note can't be written.
  public static func note(
    _ path: Control.Path, reason: String, beside folder: String
  ) throws {
    let bytes = try ControlJSON.encode(Origin(path: path, reason: reason))
    try Data(bytes).write(to: URL(filePath: folder + suffix), options: .atomic)
  }
}
