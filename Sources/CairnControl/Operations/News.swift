// How a device hears of what others write.

extension Control {
  /// How a device hears of what others write into the container.
  public struct News: Codable, Hashable, Sendable {
    /// Whether the container tells; if not, it is asked.
    public var told: Bool
    /// How long after a change it may be heard of by now, in seconds, if no bell is lost.
    public var lateSeconds: Double
    /// The same when nobody has written for long.
    public var longestSeconds: Double
    /// Whether the container seemed to tell, and turned out not to.
    public var deaf: Bool

    /// Joins the parts.
    public init(told: Bool, lateSeconds: Double, longestSeconds: Double, deaf: Bool) {
      self.told = told
      self.lateSeconds = lateSeconds
      self.longestSeconds = longestSeconds
      self.deaf = deaf
    }
  }
}
