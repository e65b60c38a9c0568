import CairnControl

/// The operations that help to find out what the daemon does: its log levels, and a report that may
/// be shown to others.
struct DiagnosisOperations: Operations {
  let one: OpenContainer
  let status: StatusOperations
  let doctor: DoctorOperations
  let events: EventLog

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.LogLevel.self) { request, _ in try setLevels(request.levels) }
    routes.answer(Control.Report.self) { _, _ in try report() }
  }

  private func setLevels(_ text: String?) throws -> Control.LogLevelReply {
    if let text {
      do { try LogLevels.shared.set(text) } catch {
        throw ControlError(.invalidArguments, error.message, remedy: error.remedy)
      }
    }
    return Control.LogLevelReply(levels: LogLevels.shared.description)
  }

  private func report() throws -> Control.ReportReply {
    var report = DiagnosticReport()
    report.addVersions()
    report.add(one.configuration)
    report.add(try status.status(Control.Status()))
    report.add(doctor.doctor().checks)
    report.add(events.events(after: 0).suffix(DiagnosticReport.eventLimit))
    report.addLog(RecentLog.shared.lines, levels: LogLevels.shared.description)
    return Control.ReportReply(text: report.text, sections: report.sections)
  }
}
