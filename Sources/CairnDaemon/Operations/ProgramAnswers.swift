import CairnContainer
import CairnControl
import CairnReplica
import CairnZone

/// The operations by which the person answers programs.
struct ProgramAnswers: Operations {
  let one: OpenContainer
  let shares: Shares
  let table: ProgramTable

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ProgramList.self) { _, _ in try reply(table.all) }
    routes.answer(Control.ProgramAllow.self) { request, _ in
      let zones = try request.zones.map {
        try shares.zone(ofID: $0).id.description
      }
      try table.allow(request.name, zones: zones)
      return try reply(table.all.filter { $0.name == request.name })
    }
    routes.answer(Control.ProgramRevoke.self) { request, _ in
      try table.revoke(request.name)
      return try reply(table.all.filter { $0.name == request.name })
    }
  }

  private func reply(_ entries: [ProgramTable.Entry]) throws -> Control.ProgramsReply {
    Control.ProgramsReply(programs: try entries.map { try program($0) })
  }

  private func program(_ entry: ProgramTable.Entry) throws -> Control.Program {
    let names = entry.allowed?.names ?? []
    let named = try names.compactMap { try one.container.privateDatabase.zone(ifNamed: $0)?.id }
    let others = try entry.zones.compactMap { ZoneID(hexadecimal: $0) }
      .filter { !named.contains($0) }
      .compactMap { try one.container.zone($0) }
    return Control.Program(
      name: entry.name, state: entry.state, zones: names,
      others: entry.allowed == nil ? [] : others.map { one.title(of: $0) }.sorted(),
      sharing: entry.allowed?.sharing ?? false, asks: entry.asks?.names,
      asksSharing: entry.asks?.sharing, time: Control.Time(nanoseconds: entry.time))
  }
}
