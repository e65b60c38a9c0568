// Problems, each with what to do about it: the commands that the daemon names become buttons.

import { ask } from "./control.js";
import { button, confirm, dialog, el, name, paged, said, say, show, who } from "./elements.js";
import { resuming } from "./traffic.js";
import { below, count, isSame, sentence, time, visible } from "./words.js";

/** What follows from a command in a remedy, if the console can do it. */
function acts(problem, context) {
  const text = problem.remedy;
  const found = [];
  const has = (command) => text.includes("`cairn " + command);
  if (problem.path && has("held ")) found.push(heldActs(problem.path, context));
  if (has("conflicts")) found.push(toFiles("Compare the versions", "conflicts", context));
  if (has("rescue")) found.push(toFiles("Show recovered files", "rescued", context));
  if (has("user ") || has("share ")) found.push(button("Go to people", () => context.go("people")));
  if (has("resume")) found.push(resuming(problem.path && { path: problem.path }, problem.path ? visible(problem.path) : "all traffic"));
  if (has("quota")) found.push(button("Show storage", () => context.go("storage")));
  if (has("verify")) found.push(toStorage("Check everything stored", "verify", context));
  if (has("doctor")) found.push(toStorage("Check this device", "doctor", context));
  if (has("history") && problem.path) {
    found.push(button("Show the history", () => context.go("files", { open: problem.path })));
  }
  if (has("repair")) found.push(button("See what can be repaired", repair));
  if (has("add ")) found.push(button("Go to folders", () => context.go("folders")));
  return found;
}

const toStorage = (label, act, context) => button(label, () => context.go("storage", { act }));
const toFiles = (label, tab, context) => button(label, () => context.go("files", { tab }));

/** What can be done about deletions that wait. */
const heldActs = (path, context) => [
  button("Restore the files", () => settleHeld(path, "heldUndo", context)),
  button("Delete for everyone…", () => settleHeld(path, "heldConfirm", context)),
  toFiles("Show them", "held", context),
];

/** Something to know, with what can be done about it. */
const notice = (told, ...actions) => el("div", { class: "card alert" }, el("p", {}, told),
  el("div", { class: "row" }, actions));

/** Deletions that wait for a word. */
export const held = (value, path, context) => notice(
  `${count(value.files, "file", "files")} of ${value.of.toLocaleString("en")} were deleted here at once. `
    + "The deletions are pending, and others still have the files.", heldActs(path, context));

/** Files that have two versions. */
export const conflicting = (number, context) => notice(
  `${count(number, "file has", "files have")} two versions, since two people changed it.`,
  toFiles("Compare the versions", "conflicts", context));

/** Versions in a rescue folder. */
export const rescued = (number, where, context) => el("div", { class: "row" }, el("span", { class: "soft" },
  `${count(number, "recovered file", "recovered files")} ${where}.`),
toFiles("Show recovered files", "rescued", context));

/** A problem, for people. */
export const problem = (value, context) => el("div", { class: "card alert" },
  el("p", {}, value.path && [name(value.path), ": "], sentence(value.message)),
  value.remedy && el("p", { class: "soft" }, sentence(value.remedy)),
  el("div", { class: "row" }, acts(value, context)));

/** Confirms or undoes deletions that wait. */
export async function settleHeld(path, operation, context) {
  if (operation === "heldConfirm") {
    const held = await ask("heldList", { path, limit: 5 });
    const amount = held.items[0]?.held;
    const isMeant = await confirm("Delete them for everyone?", [
      `${count(amount?.files, "file", "files")} and `
        + `${count(amount?.directories, "folder", "folders")} are deleted for all participants.`,
      "They stay in the history as long as it is kept.",
    ], "Delete for everyone");
    if (!isMeant) return;
  }
  await ask(operation, { path });
  say(operation === "heldConfirm" ? "Deleted for everyone." : "The files come back.");
  context.go("folders");
}

/** What a device did that is unusually much. */
export const burst = (value, context) => el("div", { class: "card alert" },
  el("p", {}, who(value.author), ` on ${visible(value.device ?? "a device")}: `,
    `${value.changed} changed and ${value.deleted} deleted of `,
    `${count(value.all, "file", "files")} in `, name(value.path), `, ${time(value.time)}.`),
  el("div", { class: "row" }, button("Revert…", () =>
    rewind(value.path, { place: value.before }, { device: value.id }, context))));

/** Shows what going back would do, and does it. */
export async function rewind(path, to, only, context) {
  const request = { path, to, ...only };
  const plan = await ask("rewind", { ...request, dryRun: true });
  const words = { "brought-back": "comes back", changed: "changes", moved: "moves", removed: "is deleted" };
  const isMeant = await dialog("Revert?", (close) => [
    el("p", {}, "In ", name(path), `, ${count(plan.total, "item goes", "items go")} back to version `,
      `${plan.to.place}${plan.to.time ? ", of " + time(plan.to.time) : ""}. Nothing leaves the history, so `,
      "this can be reverted, too."),
    plan.problems.map((value) => el("p", { class: "warn" }, sentence(value.message))),
    el("div", { class: "scroll" }, paged("What would be done", [["Path"], ["What"]], plan.items, (item) =>
      [name(isSame(item.path, path) ? path : below(item.path, path)), words[item.what] ?? visible(item.what)],
    "Nothing has to be done.")),
    el("div", { class: "row" },
      el("button", { type: "button", autofocus: true, onclick: () => close(false) }, "Cancel"),
      plan.total > 0 && el("button", { type: "button", class: "danger", onclick: () => close(true) },
        "Revert")),
  ]);
  if (!isMeant) return;
  const done = await ask("rewind", { ...request, dryRun: false });
  say(`Done: ${count(done.total, "path", "paths")}.`);
  context.go("activity", { path });
}

/** What can be repaired in the container, and doing it. */
export async function repair() {
  const plan = await ask("repair", { dryRun: true, unread: false });
  await dialog("What can be repaired", (close) => {
    const place = el("div", {}, plan.steps.length === 0
      ? el("p", {}, "There is nothing to repair from this device.")
      : el("ul", {}, plan.steps.map((step) => el("li", {}, said(step.title), ": ",
        sentence(step.what), step.possible ? "" : ". " + sentence(step.remedy)))));
    return [place, el("div", { class: "row" },
      el("button", { type: "button", onclick: () => close() }, "Close"),
      plan.steps.some((step) => step.possible) && button("Repair", async () => {
        const done = await ask("repair", { dryRun: false, unread: false });
        show(place, el("p", {}, `Done: ${count(done.steps.length, "step", "steps")}.`));
      }, { class: "main" }))];
  });
}

