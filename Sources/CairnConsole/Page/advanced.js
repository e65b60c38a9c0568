// Advanced: zones, records, change tokens and logs, and what the container's host sees.

import { ask } from "./control.js";
import {
  answer, button, copyable, el, field, form, name, paged, said, show, table, terms, who,
} from "./elements.js";
import { scopes, sentence, size, time, visible } from "./words.js";

export const title = "Advanced";

export async function open(place, context) {
  const [zones, detail, result] = [el("div", {}), el("div", {}), el("div", {})];
  show(place, el("p", { class: "soft" }, "For developers, and for a look behind the scenes. Nothing here "
    + "changes anything."), zones, detail,
  el("section", { class: "card" }, el("h2", {}, "The host of the storage"),
    button("What the host sees", () => answer(result, inspect)), result));

  async function look() {
    if (place.contains(document.activeElement)) return;
    const { items } = await ask("zones", {});
    const { account, container, daemon } = context.status;
    show(zones, terms([["Container", [el("code", {}, container.id), " at ", name(container.path),
      ` (${visible(container.fileSystem)})`]],
    ["You", account && [who(account), " ", el("code", {}, account.user)]],
    ["Device", account && [said(account.deviceName), " ", el("code", {}, account.device)]],
    ["Daemon", `${daemon.version}, process ${daemon.pid}, since ${time(daemon.startedAt)}`]]),
    table("Zones", [["Zone"], ["Database"], ["Owner"], ["Log", "number"], ["Epoch", "number"],
      ["Actions", "act"]], items.map((zone) => [
      [said(zone.title ?? zone.name), el("br"), el("code", {}, zone.zone.slice(0, 12)),
        zone.path && [el("br"), name(zone.path)]],
      scopes[zone.scope] ?? zone.scope, who(zone.owner), String(zone.sequence),
      String(zone.epoch), [
        button("Schema", () => answer(detail, schema, zone), { "aria-label":
          "Schema of " + visible(zone.title ?? zone.name) }),
        zone.path && button("Records", () => answer(detail, records, zone), { "aria-label":
          "Records of " + visible(zone.title ?? zone.name) }),
        zone.path && button("Log", () => answer(detail, log, zone), { "aria-label":
          "Log of " + visible(zone.title ?? zone.name) })]])));
  }

  await look();
  return { changed: look };
}

async function records(place, zone, since) {
  const reply = await ask("changes", { path: zone.path, since });
  const token = el("input", { size: "40", value: reply.token });
  show(place, el("section", { class: "card" },
    el("h2", { tabindex: "-1" }, since ? "Records that changed in " : "Records of ",
      said(zone.title ?? zone.name)),
    el("p", {}, "By type: ", Object.entries(Object.groupBy(reply.items, (record) =>
      record.deleted ? "deleted" : record.type)).map(([type, some], index) =>
      [index > 0 && ", ", said(type), ` ${some.length.toLocaleString("en")}`])),
    paged("Records", [["Record"], ["Type"], ["Path"], ["Entry", "number"], ["Changed by"],
      ["Actions", "act"]], reply.items, (record) => [
      el("code", {}, record.record), record.deleted ? "deleted" : visible(record.type),
      record.path ? name(record.path) : "", String(record.sequence ?? ""),
      record.changedBy ? who(record.changedBy) : "",
      record.path && button("Fields", async (element) => {
        const path = typeof record.path === "string" && typeof zone.path === "string"
          ? `${zone.path}/${record.path}`.replace(/\/+/g, "/") : record.path;
        const { items } = await ask("stat", { paths: [path], onlyShared: false });
        const one = items[0] ?? {};
        element.replaceWith(terms([["Change tag", one.changeTag], ["Created by", one.createdBy
          && who(one.createdBy)], ["Changed by", one.changedBy && who(one.changedBy)],
        ["Share", one.share?.slice(0, 12)], ["State", one.state]]));
      }, { "aria-label": "Fields of " + record.record }),
    ], "Nothing has changed."),
    copyable("The change token after them", reply.token),
    form([field("What changed since a token", token)], "Ask", () =>
      answer(place, records, zone, token.value.trim()))));
}

async function schema(place, zone) {
  const { items } = await ask("schema", { zone: { id: zone.zone } });
  const rows = items.flatMap((type) => [
    [[el("strong", {}, said(type.type)), !type.builtIn && " (a program's own)"], "", "",
      type.records.toLocaleString("en")],
    ...type.fields.map((field) => ["", said(field.name),
      field.list ? `list${field.kind ? " of " + field.kind : ""}` : field.kind,
      field.records.toLocaleString("en")])]);
  show(place, el("section", { class: "card" },
    el("h2", { tabindex: "-1" }, "The schema of ", said(zone.title ?? zone.name)),
    el("p", { class: "soft" }, "Types and their fields, as seen in the zone's records."),
    paged("Types and fields", [["Type"], ["Field"], ["Kind"], ["Records", "number"]], rows,
      (row) => row, "The zone has no records.")));
}

async function log(place, zone) {
  const reply = await ask("log", { path: zone.path, limit: 1000 });
  show(place, el("section", { class: "card" },
    el("h2", { tabindex: "-1" }, "The log of ", said(zone.title ?? zone.name)),
    paged("Entries", [["Entry", "number"], ["When"], ["Author"], ["Changes"]], reply.items,
      (entry) => [String(entry.sequence), time(entry.time), [who(entry.author),
        entry.device && [" on ", said(entry.device)]],
      [entry.problem && el("p", { class: "bad" }, sentence(entry.problem)),
        entry.changes.slice(0, 20).map((change) => el("div", {}, visible(change.what), ": ",
          sentence(change.text))),
        entry.changes.length > 20 && `and ${entry.changes.length - 20} more`]])));
}

async function inspect(place) {
  const reply = await ask("inspect");
  show(place, el("p", {}, "The owner of the storage sees this without a key, and no name, title or content."),
  terms([["Container", el("code", {}, reply.container)], ["Format", String(reply.format)],
    ["Created", time(reply.created)], ["Its note", reply.note && said(reply.note)]]),
  table("People, as the host sees them", [["Person"], ["Entries", "number"], ["Messages", "number"],
    ["Packs", "number"], ["Bytes", "number"]], reply.users.map((user) => [el("code", {}, user.user),
    String(user.entries), String(user.messages), String(user.packs), size(user.bytes)])),
  table("Zones, as the host sees them", [["Zone"], ["Entries", "number"], ["Bytes", "number"]],
    reply.zones.map((zone) => [el("code", {}, zone.zone), String(zone.entries), size(zone.bytes)])));
}
