// Records: what developers ask: zones, records, tokens, who stores how much, what the container's
// host sees, what a dry run would do.

import { ask } from "./control.js";
import {
  button, copyable, dialog, el, field, filling, form, name, paged, said, show, table, terms, who,
} from "./elements.js";
import { count, scopes, sentence, size, time, visible } from "./words.js";

export const title = "Records";

/** What can be asked without saying of what. */
const acts = {
  inspect: ["What the container's host sees", inspect], quota: ["Who stores how much", quota],
  gc: ["What garbage collection would do", garbage], doctor: ["Check this device", doctor],
  verify: ["Check everything stored", verify],
};

export async function open(place, context, state) {
  const [zones, detail] = [el("div", {}), el("div", {})];
  const result = el("div", {});
  const buttons = Object.fromEntries(Object.entries(acts).map(([act, [label, run]]) =>
    [act, button(label, () => answer(result, run))]));
  show(place, zones, detail, el("section", { class: "card" }, el("h2", {}, "Ask"),
    el("div", { class: "row" }, Object.values(buttons)), result));

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
      ["Act", "act"]], items.map((zone) => [
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
  buttons[state.act]?.click();
  return { changed: look };
}

/** Shows an answer in a place, unless another question was asked there meanwhile. */
async function answer(place, run, ...more) {
  const [isCurrent, page] = [filling(place), el("div", {})];
  // Long answers say how far they are.
  if (run === verify) show(place, page);
  await run(page, ...more);
  if (!isCurrent()) return;
  show(place, page);
  page.querySelector("h2[tabindex]")?.focus();
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
      ["Act", "act"]], reply.items, (record) => [
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

async function quota(place) {
  const reply = await ask("quota");
  show(place, reply.stored !== undefined && el("p", {}, `You store ${size(reply.stored)}.`),
    table("By zone", [["Zone"], ["Current", "number"], ["Versions", "number"], ["Deleted", "number"], ["Limit", "number"],
      ["Act", "act"]], reply.items.map((zone) => [said(zone.title), size(zone.used),
      size(Math.max(0, zone.history - zone.deleted)), size(zone.deleted),
      zone.limit === undefined ? "none" : size(zone.limit),
      button("Change the limit…", async () => {
        await limit(zone);
        await answer(place, quota);
      }, { "aria-label": "Change the limit of " + visible(zone.title) })])));
}

/** Says how many bytes the files of a zone may have together, whoever puts them there. */
async function limit(zone) {
  const most = el("input", { type: "number", min: "0", step: "any",
    value: zone.limit === undefined ? "" : zone.limit / 1e6 });
  await dialog(["A limit for ", said(zone.title)], (close) => [
    el("p", {}, `Its files have ${size(zone.used)}. At the limit, changes that need more wait on `
      + "the device of their author, and are sent when there is room."),
    form([field("Megabytes at most; empty: as many as there are", most)], "Set", async () => {
      await ask("quota", { share: { id: zone.id },
        limit: most.value === "" ? 0 : Math.max(1, Math.round(Number(most.value) * 1e6)) });
      close();
    }),
    el("div", { class: "row" }, el("button", { type: "button", onclick: () => close() }, "Cancel")),
  ]);
}

async function garbage(place) {
  const reply = await ask("gc", { isTrial: true });
  const packs = (one) => `${count(one.packs, "pack", "packs")}, ${size(one.bytes)}`;
  show(place, el("p", {}, "A dry run: nothing was deleted."), terms([["All of yours", packs(reply.all)],
    ["Versions and deleted files", size(reply.history)], ["Unused", packs(reply.unnamed)],
    ["No longer kept", packs(reply.unneeded)],
    ["Waiting", packs(reply.waiting)], ["Next", reply.next && time(reply.next)]]));
}

async function doctor(place) {
  const { checks } = await ask("doctor");
  show(place, table("Checks", [["Check"], ["Result"]], checks.map((check) => [visible(check.name),
    [el("span", { class: check.code ? "bad" : check.remedy ? "warn" : "good" }, check.code ? "not ok: " : check.remedy ? "note: " : "ok: "),
      sentence(check.message), " ", sentence(check.remedy)]])));
}

async function verify(place) {
  const line = el("p", { role: "status" }, "Reading all that is stored…");
  show(place, line);
  const reply = await ask("verify", {}, { onUpdate: ({ progress }) => {
    if (progress) line.textContent = `${progress.done.toLocaleString("en")} ${progress.unit}`;
  } });
  show(place, el("p", {}, `${count(reply.zones, "zone", "zones")}, ${count(reply.commits, "commit",
    "commits")}, ${count(reply.chunks, "chunk", "chunks")}, ${size(reply.bytes)}: `,
  reply.items.length === 0 ? "everything is ok." : `${count(reply.items.length, "damage", "damages")}.`),
  reply.items.map((damage) => el("p", { class: "bad" }, sentence(damage.message), " ",
    sentence(damage.remedy))), reply.notes.map((note) => el("p", { class: "soft" }, sentence(note))));
}
