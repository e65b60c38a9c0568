import CairnControl
import CairnStore

/// The operation on settings of this device. It writes them into `cairn.conf`, and puts them into
/// effect.
struct SettingsOperations: Operations {
  let home: Home
  let traffic: Traffic
  let notices: DesktopNotices
  let events: EventLog

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Settings.self) { request, _ in try settings(request) }
  }

  private func settings(_ request: Control.Settings) throws -> Control.SettingsReply {
    var limits = traffic.limits
    var changes: [ConfigurationEdit.Change] = []
    if let rate = request.uploadLimit {
      limits.upload = try Self.limit(rate)
      changes.append(.init("network", "upload-limit", limits.upload.map { .number($0) }))
    }
    if let rate = request.downloadLimit {
      limits.download = try Self.limit(rate)
      changes.append(.init("network", "download-limit", limits.download.map { .number($0) }))
    }
    if let texts = request.limitWhen {
      limits.times = try Self.times(texts)
      let list = limits.times.texts.map { ConfigurationText.Value.text($0) }
      changes.append(.init("network", "limit-when", list.isEmpty ? nil : .list(list)))
    }
    if let isOn = request.notifications {
      changes.append(.init("desktop", "notices", isOn ? nil : .truth(false)))
    }
    if !changes.isEmpty { try ConfigurationEdit.write(changes, to: home.configuration) }
    traffic.set(limits)
    if let isOn = request.notifications { notices.set(isOn, events) }
    return Control.SettingsReply(
      notifications: notices.isOn, uploadLimit: limits.upload, downloadLimit: limits.download,
      limitWhen: limits.times.texts,
      file: Control.Path(home.configuration))
  }

  private static func times(_ texts: [String]) throws(ControlError) -> LimitTimes {
    guard let times = LimitTimes(texts) else {
      throw ControlError(
        .invalidArguments, "The limits have a time that is neither hours of the day nor metered.",
        remedy: "Write hours as in 08:00-18:00.")
    }
    return times
  }

  private static func limit(_ rate: Int64) throws(ControlError) -> Int64? {
    guard rate != 0 else { return nil }
    guard TokenBucket.rates.contains(rate) else {
      throw ControlError(
        .invalidArguments, "A limit of \(rate) bytes a second isn't possible.",
        remedy: "Give one from \(TokenBucket.rates.lowerBound) to "
          + "\(TokenBucket.rates.upperBound) bytes a second, or 0 for none.")
    }
    return rate
  }
}
