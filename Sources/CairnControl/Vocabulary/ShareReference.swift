extension Control {
  /// A reference to a share, by a folder or by its id. In JSON `{"path": …}` or `{"id": …}`.
  public enum ShareReference: Hashable, Sendable {
    /// The share whose mounted folder is, or contains, this absolute path.
    case path(Path)
    /// The share with this id (hexadecimal), or a unique beginning of it.
    case id(String)
  }
}

extension Control.ShareReference: Codable {
  private enum Key: String, CodingKey {
    case path
    case id
  }

  /// Throws `DecodingError` without one of the two members, and `ControlError` for a relative path.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if let path = try container.decodeIfPresent(Control.Path.self, forKey: .path) {
      self = .path(try path.requiringAbsolute())
    } else {
      self = .id(try container.decode(String.self, forKey: .id))
    }
  }

  /// Writes the member.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .path(let path): try container.encode(path, forKey: .path)
    case .id(let id): try container.encode(id, forKey: .id)
    }
  }
}
