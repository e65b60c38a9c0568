// Stopping the traffic with the container for a while: `pause`, `resume`, and their answers.

extension Control {
  /// Stops all traffic with the container, or that of one folder's zone. What changes in the
  /// folders meanwhile is noted, and goes afterwards.
  public struct Pause: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.PauseReply
    /// `POST /v1/pause`.
    public static let name = "pause"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole

    /// The folder or share whose traffic stops; nil: everything.
    public var share: Control.ShareReference?
    /// For how many seconds from now; nil: until `resume`.
    public var seconds: Int64?

    /// Joins the parts.
    public init(share: Control.ShareReference? = nil, seconds: Int64? = nil) {
      self.share = share
      self.seconds = seconds
    }
  }

  /// Since when traffic is stopped, and until when.
  public struct Paused: Codable, Hashable, Sendable {
    /// Since when.
    public var since: Control.Time
    /// Until when; nil: until `resume`.
    public var until: Control.Time?

    /// Joins the parts.
    public init(since: Control.Time, until: Control.Time? = nil) {
      self.since = since
      self.until = until
    }
  }

  /// The answer of `pause`.
  public struct PauseReply: Codable, Hashable, Sendable {
    /// Since when it is paused, and until when.
    public var paused: Control.Paused
    /// The folders that it is about, absolute.
    public var paths: [Control.Path]

    /// Joins the parts.
    public init(paused: Control.Paused, paths: [Control.Path]) {
      self.paused = paused
      self.paths = paths
    }
  }

  /// Lets the traffic go on: of one folder's zone, or of everything that is paused.
  public struct Resume: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.ResumeReply
    /// `POST /v1/resume`.
    public static let name = "resume"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole

    /// The folder or share whose traffic goes on; nil: everything.
    public var share: Control.ShareReference?

    /// Joins the parts.
    public init(share: Control.ShareReference? = nil) { self.share = share }
  }

  /// The answer of `resume`.
  public struct ResumeReply: Codable, Hashable, Sendable {
    /// A Boolean value that indicates whether there was a pause.
    public var resumed: Bool
    /// The folders that it is about, absolute.
    public var paths: [Control.Path]

    /// Joins the parts.
    public init(resumed: Bool, paths: [Control.Path]) {
      self.resumed = resumed
      self.paths = paths
    }
  }

  /// The pauses and limits of the traffic with the container.
  public struct Traffic: Codable, Hashable, Sendable {
    /// Since when all of it is stopped; nil if it isn't.
    public var paused: Control.Paused?
    /// The folders whose traffic is stopped by itself, absolute, and since when.
    public var folders: [Control.PausedFolder]
    /// The limits of the rates; nil for none.
    public var limits: Control.Limits?

    /// Joins the parts.
    public init(
      paused: Control.Paused? = nil, folders: [Control.PausedFolder] = [],
      limits: Control.Limits? = nil
    ) {
      self.paused = paused
      self.folders = folders
      self.limits = limits
    }
  }

  /// A folder whose traffic is stopped.
  public struct PausedFolder: Codable, Hashable, Sendable {
    /// The folder, absolute.
    public var path: Control.Path
    /// Since when, and until when.
    public var paused: Control.Paused

    /// Joins the two.
    public init(path: Control.Path, paused: Control.Paused) {
      self.path = path
      self.paused = paused
    }
  }

  /// Bytes a second at most; nil: as many as can be.
  public struct Limits: Codable, Hashable, Sendable {
    /// To the container.
    public var upload: Int64?
    /// From the container.
    public var download: Int64?

    /// Joins the parts.
    public init(upload: Int64? = nil, download: Int64? = nil) {
      self.upload = upload
      self.download = download
    }
  }
}
