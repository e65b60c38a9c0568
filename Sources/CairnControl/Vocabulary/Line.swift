extension Control {
  /// How far long work has come.
  public struct Progress: Codable, Hashable, Sendable {
    /// How many units are done.
    public var done: Int64
    /// How many there are, once that is known.
    public var total: Int64?
    /// What is counted: `files`, `bytes`, `objects`.
    public var unit: String
    /// What is being done, as in "Reading packs".
    public var what: String

    /// Joins the parts.
    public init(done: Int64, total: Int64? = nil, unit: String, what: String) {
      self.done = done
      self.total = total
      self.unit = unit
      self.what = what
    }
  }

  /// What comes before the last line of a response.
  public enum Update: Hashable, Sendable {
    /// How far the work has come.
    case progress(Progress)
    /// Something that happened (only for `events`).
    case event(Event)
    /// A portion of the reply's list, which stands beside this (`ControlUpdate.items`).
    case items
  }

  /// One line of a response, a JSON object with exactly one member. The last is a reply or an
  /// error; `Reply` is the operation's.
  public enum Line<Reply: Codable & Sendable>: Sendable {
    /// `{"progress": …}`, `{"event": …}` or `{"items": […]}`.
    case update(Update)
    /// `{"reply": …}`: the operation succeeded.
    case reply(Reply)
    /// `{"error": …}`: the operation failed.
    case error(ControlError)
  }
}

extension Control.Line: Codable {
  private enum Key: String, CodingKey {
    case progress
    case event
    case items
    case reply
    case error
  }

  /// Throws `DecodingError` unless one of the five members is there.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if container.contains(.progress) {
      self = .update(.progress(try container.decode(Control.Progress.self, forKey: .progress)))
    } else if container.contains(.event) {
      self = .update(.event(try container.decode(Control.Event.self, forKey: .event)))
    } else if container.contains(.items) {
      self = .update(.items)
    } else if container.contains(.error) {
      self = .error(try container.decode(ControlError.self, forKey: .error))
    } else {
      self = .reply(try container.decode(Reply.self, forKey: .reply))
    }
  }

  /// Writes the one member.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .update(.progress(let progress)): try container.encode(progress, forKey: .progress)
    case .update(.event(let event)): try container.encode(event, forKey: .event)
    // Who sends a portion writes it as it is, `ResponseStream.items`.
    case .update(.items): try container.encode([Int](), forKey: .items)
    case .reply(let reply): try container.encode(reply, forKey: .reply)
    case .error(let error): try container.encode(error, forKey: .error)
    }
  }
}
