extension Control {
  /// A line before the last line of a response.
  public enum Update: Hashable, Sendable {
    /// The progress of the work.
    case progress(Progress)
    /// An event (only for `events`).
    case event(Event)
    /// The status (only for `statusWatch`).
    case status(StatusReply)
    /// A problem that keeps the operation waiting. Each one is sent once.
    case problem(Problem)
    /// A batch of the reply's list, which is beside this value (`ControlUpdate.items`).
    case items
  }

  /// One line of a response: a JSON object with exactly one member. The last line is a reply or an
  /// error; `Reply` is the operation's.
  public enum Line<Reply: Codable & Sendable>: Sendable {
    /// `{"progress": …}`, `{"event": …}`, `{"status": …}`, `{"problem": …}` or
    /// `{"items": […]}`.
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
    case problem
    case items
    case reply
    case error
  }

  /// Throws `DecodingError` unless one of the seven members is there.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if container.contains(.progress) {
      self = .update(.progress(try container.decode(Control.Progress.self, forKey: .progress)))
    } else if container.contains(.event) {
      self = .update(.event(try container.decode(Control.Event.self, forKey: .event)))
    } else if container.contains(.status) {
      self = .update(.status(try container.decode(Control.StatusReply.self, forKey: .status)))
    } else if container.contains(.problem) {
      self = .update(.problem(try container.decode(Control.Problem.self, forKey: .problem)))
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
    case .update(.problem(let problem)): try container.encode(problem, forKey: .problem)
    // The sender of a batch writes it unchanged, by `ResponseStream.items`.
    case .update(.items): try container.encode([Int](), forKey: .items)
    case .reply(let reply): try container.encode(reply, forKey: .reply)
    case .error(let error): try container.encode(error, forKey: .error)
    }
  }
}
