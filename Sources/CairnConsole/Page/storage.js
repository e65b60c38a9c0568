// Storage: what uses space and what frees it, limits, and checks of what is stored.

import { ask } from "./control.js";
import {
  answer, button, confirm, dialog, el, field, form, renew, said, say, show, table, tell, terms,
} from "./elements.js";
import { keeping } from "./past.js";
import { repair } from "./trouble.js";
import { count, sentence, size, time, visible } from "./words.js";

export const title = "Storage";

const packs = (one) => `${count(one.packs, "pack", "packs")}, ${size(one.bytes)}`;

export async function open(place, context, state) {
  const [space, result] = [el("div", {}), el("div", {})];
  const checks = {
    doctor: button("Check this device", () => answer(result, doctor)),
    verify: button("Check everything stored", () => answer(result, verify)),
  };
  show(place, space, el("section", { class: "card" }, el("h2", {}, "Check and repair"),
    el("div", { class: "row" }, Object.values(checks), button("See what can be repaired", repair)),
    result));

  async function look() {
    if (space.contains(document.activeElement)) return;
    const reply = await ask("quota");
    renew(space, used(reply, context, look));
  }

  await look();
  checks[state.act]?.click();
  return { changed: look };
}

/** The space in use, and what frees some of it. */
function used(reply, context, look) {
  const sum = (of) => reply.items.reduce((all, zone) => all + of(zone), 0);
  const versions = (zone) => Math.max(0, zone.history - zone.deleted);
  const expired = sum((zone) => zone.expired);
  const again = async () => {
    document.activeElement?.blur();
    await look();
  };
  const mountOf = (zone) => context.status.mounts.find((mount) => mount.zone === zone.id)
    ?? { zone: zone.id, title: zone.title, role: "owner" };
  return [
    el("section", { class: "card" }, el("h2", {}, "What you store"),
      terms([["In the container", reply.stored === undefined ? "not known while it can't be reached"
        : size(reply.stored)], ["Current files", size(sum((zone) => zone.used))],
      ["Earlier versions", size(sum(versions))], ["Deleted files", size(sum((zone) => zone.deleted))],
      ["Published", reply.publicFiles && size(reply.publicFiles.used)]]),
      reply.items.filter((zone) => zone.expiring > 0).map((zone) => el("p", {}, `From ${time(zone.formerUntil)} `
        + `on, ${size(zone.expiring)} of `, said(zone.title), " are no longer kept. The storage is free eight days "
        + "later at the latest.")),
      el("p", {}, expired > 0 ? `The policies of your folders no longer keep ${size(expired)}. The storage is free `
        + "in eight days at the latest." : sum((zone) => zone.expiring) === 0 && "The policies of your folders keep "
          + "all of it. To free space, press Policy… beside a folder, and keep fewer versions."),
      button("Free space now…", () => free(again))),
    reply.items.length > 0 && table("Your folders", [["Folder"], ["Current", "number"],
      ["Versions", "number"], ["Deleted", "number"], ["Kept"], ["Limit", "number"], ["Actions", "act"]],
    reply.items.map((zone) => [said(zone.title), size(zone.used), size(versions(zone)),
      size(zone.deleted), [zone.keepsAll ? "all versions" : "by policy",
        zone.formerUntil && `; nothing is deleted before ${time(zone.formerUntil)}`],
      zone.limit === undefined ? "none" : size(zone.limit), [
        button("Policy…", async () => {
          await keeping(mountOf(zone));
          await again();
        }, { "aria-label": "History policy of " + visible(zone.title) }),
        button("Limit…", async () => {
          await limit(zone);
          await again();
        }, { "aria-label": "Change the limit of " + visible(zone.title) })]])),
  ];
}

/** Says how many bytes the files of a zone may have together. */
async function limit(zone) {
  const most = el("input", { type: "number", min: "0", step: "any",
    value: zone.limit === undefined ? "" : zone.limit / 1e6 });
  await dialog(["A limit for ", said(zone.title)], (close) => [
    el("p", {}, `Its files use ${size(zone.used)}. At the limit, changes that need more wait on `
      + "the device of their author, and are sent when there is room."),
    form([field("Megabytes at most; empty for no limit", most)], "Set", async () => {
      await ask("quota", { share: { id: zone.id },
        limit: most.value === "" ? 0 : Math.max(1, Math.round(Number(most.value) * 1e6)) });
      close();
    }),
    el("div", { class: "row" }, el("button", { type: "button", onclick: () => close() }, "Cancel")),
  ]);
}

/** Shows what would be deleted, and deletes it. */
async function free(again) {
  const plan = await ask("gc", { isTrial: true });
  const bytes = plan.unnamed.bytes + plan.unneeded.bytes;
  const later = plan.waiting.packs > 0 && [`${size(plan.waiting.bytes)} more can be deleted`,
    plan.next ? ` from ${time(plan.next)} on.` : " later."];
  if (bytes === 0) {
    return tell("Nothing can be deleted now", el("p", {}, "Everything that is stored is a current "
      + "file, or a version that a policy keeps."), later && el("p", {}, later),
    el("p", {}, "To free space, press Policy… beside a folder, and keep fewer versions. You see at once how "
      + "much that frees, and when."));
  }
  const isMeant = await confirm("Free space?", [`${size(bytes)} that no folder needs any more is deleted `
    + "from the container.", later], "Delete");
  if (!isMeant) return;
  const done = await ask("gc", { isTrial: false });
  say(`Deleted: ${packs(done.deleted)}.`);
  await again();
}

async function doctor(place) {
  const { checks } = await ask("doctor");
  const [kinds, words] = [["good", "warn", "bad"], ["ok: ", "note: ", "not ok: "]];
  show(place, table("Checks", [["Check"], ["Result"]], checks.map((check) => {
    const state = check.code ? 2 : check.remedy ? 1 : 0;
    return [visible(check.name), [el("span", { class: kinds[state] }, words[state]),
      sentence(check.message), " ", sentence(check.remedy)]];
  })));
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
