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
    /// How many bytes of files are done, if files come and go.
    public var bytes: Int64?
    /// How many bytes there are in all, if files come and go.
    public var allBytes: Int64?
    /// How many bytes a second come and go, if that is known.
    public var bytesPerSecond: Int64?
    /// In how many seconds it is done if that goes on, if that is known.
    public var secondsLeft: Int64?

    /// Joins the parts.
    public init(
      done: Int64, total: Int64? = nil, unit: String, what: String, bytes: Int64? = nil,
      allBytes: Int64? = nil, bytesPerSecond: Int64? = nil, secondsLeft: Int64? = nil
    ) {
      self.bytes = bytes
      self.allBytes = allBytes
      self.bytesPerSecond = bytesPerSecond
      self.secondsLeft = secondsLeft
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
    /// How everything stands (only for `statusWatch`).
    case status(StatusReply)
    /// A portion of the reply's list, which stands beside this (`ControlUpdate.items`).
    case items
  }

  /// One line of a response, a JSON object with exactly one member. The last is a reply or an
  /// error; `Reply` is the operation's.
  public enum Line<Reply: Codable & Sendable>: Sendable {
    /// `{"progress": …}`, `{"event": …}`, `{"status": …}` or `{"items": […]}`.
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
    case status
    case items
    case reply
    case error
  }

  /// Throws `DecodingError` unless one of the six members is there.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if container.contains(.progress) {
      self = .update(.progress(try container.decode(Control.Progress.self, forKey: .progress)))
    } else if container.contains(.event) {
      self = .update(.event(try container.decode(Control.Event.self, forKey: .event)))
    } else if container.contains(.status) {
      self = .update(.status(try container.decode(Control.StatusReply.self, forKey: .status)))
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
    case .update(.status(let status)): try container.encode(status, forKey: .status)
    // Who sends a portion writes it as it is, `ResponseStream.items`.
    case .update(.items): try container.encode([Int](), forKey: .items)
    case .reply(let reply): try container.encode(reply, forKey: .reply)
    case .error(let error): try container.encode(error, forKey: .error)
    }
  }
}
