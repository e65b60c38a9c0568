import CairnControl
import CairnIdentity
import CairnPlan
import CairnZone
import Glibc

extension ConflictLabel {
  /// Creates the label of a version of a file.
  /// - Parameters:
  ///   - author: The person and the device that made the version.
  ///   - time: The time of the version. The label has it in the local time zone.
  ///   - authors: The source of the names.
  init(_ author: Author, at time: Control.Time, _ authors: Authors) {
    var (seconds, parts) = (time_t(time.seconds), tm())
    localtime_r(&seconds, &parts)
    self.init(
      who: authors.told(author.user).handle ?? author.user.digits,
      host: authors.device(author) ?? author.device.digits,
      year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday),
      hour: Int(parts.tm_hour), minute: Int(parts.tm_min))
  }
}
