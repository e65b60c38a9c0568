// Folders: what needs the person, and the state of each folder.

import { ask, standing } from "./control.js";
import { button, confirm, el, name, renew, said, say, show, terms } from "./elements.js";
import { invitation, shareFolder } from "./people.js";
import { pick } from "./picker.js";
import { ofFolder, pausingAll, traffic } from "./traffic.js";
import { burst, conflicting, held, problem, rescued as aside } from "./trouble.js";
import {
  count, isSame, permissions, phases, roles, scopes, sentence, size, span, time, visible,
} from "./words.js";

export const title = "Folders";

export async function open(place, context) {
  const { left } = context;
  const [overview, cards, start] = [el("div", {}), el("div", {}), el("div", {})];
  const kept = new Map();
  show(place, overview, start, cards);

  function draw() {
    const { mounts, problems, rescued, ended, bursts, container } = context.status;
    const { path, reachable } = container;
    const { invitations, requests } = context.status;
    const troubled = mounts.filter((mount) => needs(mount) > 0);
    keep(overview, [mounts.length, problems, rescued, ended, bursts, path, reachable, container.traffic, invitations,
      requests, troubled.map((mount) => [mount.id, mount.title]), work(mounts)], () => [
      truth(context, troubled),
      invitations.length > 0 && el("section", { class: "card alert" },
        el("h2", {}, "Invitations for you"), invitations.map((one) =>
          invitation(one, context, async () => {}))),
      requests > 0 && el("section", { class: "card alert row spread" },
        count(requests, "person asks", "people ask") + " for access to your shares.",
        button("Show requests", () => context.go("people"), { class: "main" })),
      traffic(container.traffic),
      !reachable && !container.traffic?.paused && el("p", { class: "card alert" },
        "The storage ", name(path), " can't be reached. Your changes are kept here, and are sent "
          + "when it is back."),
      problems.map((value) => problem(value, context)),
      bursts.map((value) => burst(value, context)),
      rescued.length > 0 && aside(rescued.length, "from folders that ended here", context),
      ended.map((event) => el("p", { class: "soft" }, time(event.time), ": ", sentence(event.text))),
    ]);
    const wanted = new Set(mounts.map((mount) => mount.id));
    for (const [id, card] of kept) if (!wanted.has(id)) { card.remove(); kept.delete(id); }
    for (const mount of sorted(mounts)) {
      let card = kept.get(mount.id);
      if (!card) {
        card = el("section", { class: "card", "data-mount": mount.id },
          Array.from({ length: 4 }, () => el("div", {})));
        kept.set(mount.id, card);
        cards.append(card);
      }
      folder(card.children, mount, context);
    }
    order();
    const isPaused = Boolean(container.traffic?.paused);
    keep(start, [mounts.length === 0, isPaused], () => mounts.length === 0
      ? el("section", { class: "card empty" }, el("p", {}, "No folder is synced yet. Share one with other people, "
        + "or accept an invitation."), beginning(context)) : beginning(context, !isPaused));
  }

  /** Sorts the cards, unless one of them has the focus: then nothing moves. */
  function order() {
    if (cards.contains(document.activeElement)) return;
    const wanted = sorted(context.status.mounts).map((mount) => kept.get(mount.id));
    const isSorted = wanted.every((card, index) => cards.children[index] === card);
    if (!isSorted) cards.append(...wanted);
  }

  draw();
  standing((status) => { context.status = status; draw(); }, left);
  // The status follows by itself.
  return {};
}

/** Whether a problem only says that a name is never synced. */
const isNote = (value) => value.code === "invalidArguments" && value.path;

/** The number of things in a folder that need the person. */
function needs({ problems, conflicts }) {
  const urgent = problems.filter((value) => !isNote(value) && value.code !== "networkUnavailable");
  return urgent.length + (conflicts.length > 0 ? 1 : 0);
}

/** The folders that need the person first, then those at work, then by name. */
function sorted(mounts) {
  const rank = (mount) => needs(mount) > 0 ? 0 : mount.phase === "idle" ? 2 : 1;
  return [...mounts].sort((left, right) => rank(left) - rank(right)
    || visible(left.title).localeCompare(visible(right.title)));
}

/** The number of folders that are at work. */
const work = (mounts) => mounts.filter((mount) => mount.phase !== "idle").length;

/** How everything is, in one line, with a button for each folder that needs the person. */
function truth(context, troubled) {
  const { mounts, problems, bursts, invitations, requests, container } = context.status;
  const isPaused = Boolean(container.traffic?.paused);
  const number = problems.length + bursts.length + invitations.length + (requests > 0 ? 1 : 0)
    + (!container.reachable && !isPaused ? 1 : 0) + troubled.length;
  const [text, kind] = number > 0 ? [count(number, "thing needs you", "things need you"), "warn"]
    : isPaused ? ["Everything is paused", "warn"]
      : mounts.length === 0 ? ["Cairn is ready", "good"] : work(mounts) > 0 ? [`Syncing ${count(work(mounts), "folder", "folders")}`, ""]
        : ["Everything is up to date", "good"];
  return el("div", { class: "row truth" }, el("p", { class: kind, role: "status" }, text),
    troubled.slice(0, 5).map((mount) => button("Show " + visible(mount.title), () => {
      const card = document.querySelector(`[data-mount="${mount.id}"]`);
      card?.scrollIntoView();
      card?.querySelector("h2").focus();
    })));
}

/** Fills an element anew if what it shows has changed, and leaves the focus where it was. */
function keep(element, shown, make) {
  const state = JSON.stringify(shown);
  if (element.state === state) return;
  element.state = state;
  renew(element, make());
}

/** What rules keep out of a folder. */
function leftOut(ignored) {
  const rules = ignored.rules.slice(0, 3).map((rule) => `${visible(rule.pattern)} ${rule.names}`);
  return `${count(ignored.names, "name", "names")}: ${rules.join(", ")}`
    + (ignored.rules.length > 3 ? ", …" : "");
}

/** A folder in four parts: what changes many times a second while much goes and comes takes no button
    away from under a finger. */
function folder([head, state, content, rest], mount, context) {
  const { work, phase, problems } = mount;
  const pending = work.pendingLocal + work.pendingRemote;
  const open = [[problems.filter((value) => !isNote(value)).length, "problem", "problems"],
    [mount.conflicts.length, "conflict", "conflicts"]].filter(([number]) => number > 0);
  const isGood = phase === "idle" && open.length === 0;
  keep(head, mount.title, () => el("h2", { tabindex: "-1" }, said(mount.title)));
  keep(state, [work, phase, mount.state, open], () => [
    el("p", { class: isGood ? "good" : phase === "idle" ? "warn" : "" },
      !isGood && phase === "idle" ? open.map((one) => count(...one)).join(", ") : phases[phase] ?? phase,
      mount.state && ` (${visible(mount.state)})`,
      pending > 0 && `: ${work.pendingLocal.toLocaleString("en")} to send, `
        + `${work.pendingRemote.toLocaleString("en")} to receive`),
    el("div", { class: "progress" }, progress(work, mount.title)),
  ]);
  keep(content, [mount.path, mount.files, mount.directories, mount.bytes, mount.role,
    mount.permission, mount.scope, mount.ignored, mount.watching.note], () => terms([
    ["Folder", name(mount.path)],
    ["Content", `${count(mount.files, "file", "files")}, ${count(mount.directories, "folder",
      "folders")}, ${size(mount.bytes)}`],
    ["You", mount.role === "owner" ? "owner" : `${roles[mount.role] ?? mount.role}, `
      + `${permissions[mount.permission]} (${scopes[mount.scope] ?? mount.scope})`],
    ["Ignored", mount.ignored.names > 0 ? leftOut(mount.ignored) : undefined],
    ["Watched", mount.watching.note ? sentence(mount.watching.note) : undefined],
  ]));
  const bounds = context.status.container.traffic;
  keep(rest, [mount.path, mount.title, mount.held, problems, mount.conflicts.length,
    mount.rescued.length, bounds, mount.role], () => [
    mount.held && held(mount.held, mount.path, context),
    // Deletions that wait are told above, with numbers.
    problems.filter((value) => !(mount.held && value.path && isSame(value.path, mount.path)
      && value.remedy.includes("cairn held"))).map((value) => problem(value, context)),
    mount.conflicts.length > 0 && conflicting(mount.conflicts.length, context),
    mount.rescued.length > 0 && aside(mount.rescued.length, "in this folder", context),
    el("div", { class: "row" },
      button("Files", () => context.go("files", { path: mount.path }),
        { "aria-label": "Files of " + visible(mount.title) }),
      button("People", () => context.go("people", { path: mount.path }),
        { "aria-label": "People of " + visible(mount.title) }),
      button("Activity", () => context.go("activity", { path: mount.path }),
        { "aria-label": "Activity in " + visible(mount.title) }),
      ofFolder(mount, bounds),
      button("Stop syncing…", () => remove(mount.path, context),
        { "aria-label": "Stop syncing " + visible(mount.title) })),
  ]);
}

/** How far a folder is that is at work: what is done of what there is, how fast, and how long yet. */
function progress(work, title) {
  const ways = [["sent", work.sending], ["received", work.receiving]].filter(([, way]) => way);
  const rest = [
    work.bytesPerSecond > 0 && `${size(work.bytesPerSecond)} a second`,
    work.secondsLeft > 0 && `about ${span(work.secondsLeft)} left`,
  ].filter(Boolean);
  return [
    work.looked > 0 && el("p", {}, `${count(work.looked, "name", "names")} scanned so far`),
    ways.map(([what, way], index) => {
      const [done, all] = way.allBytes > 0 ? [way.bytes, way.allBytes] : [way.names, way.allNames];
      return el("p", {}, el("progress", { max: all, value: done,
        "aria-label": `How much is ${what} of ${visible(title)}` }), " ",
      [`${way.names.toLocaleString("en")} of ${count(way.allNames, "name", "names")} ${what}`,
        way.allBytes > 0 && `${size(way.bytes)} of ${size(way.allBytes)}`,
        // What comes and goes is one stream of work.
        ...index === ways.length - 1 ? rest : []].filter(Boolean).join(", "));
    }),
  ];
}

async function remove(path, context) {
  const mount = context.status.mounts.find((one) => isSame(one.path, path));
  const isMeant = await confirm("Stop syncing?", [
    ["The folder ", name(mount.path), " stays on this machine with all its files, and is an "
      + "ordinary folder from then on."],
    "Nothing is deleted for others. Their changes no longer arrive here.",
    mount.work.pendingLocal > 0
      && `${count(mount.work.pendingLocal, "change", "changes")} of yours were not sent `
      + "yet, and won't be.",
  ], "Stop syncing");
  if (!isMeant) return;
  await ask("remove", { path: mount.path });
  say("The folder is no longer synced.");
  context.go("folders");
}

/** The ways to begin with a folder of this machine. */
const beginning = (context, mayPause) => el("div", { class: "row" },
  button("Share a folder…", () => shareFolder(context), { class: "main" }),
  button("Add a folder for yourself…", () => add(context)), mayPause && pausingAll());

/** Syncs a folder with this person's other devices. */
async function add(context) {
  const path = await pick("Add a folder", "Add", context);
  if (!path) return;
  const plan = await ask("add", { path, dryRun: true });
  const isMeant = await confirm("Sync this folder?", [
    [name(plan.path), `: ${count(plan.files, "file", "files")}, `,
      `${count(plan.directories, "folder", "folders")}, ${size(plan.bytes)}; `,
      `${count(plan.ignored, "name is", "names are")} ignored by rules.`],
    "It is stored in your container, encrypted. Your devices sync it, and nobody else can read it.",
    plan.skipped.length > 0 && `${count(plan.skipped.length, "name", "names")} can't be synced.`,
    plan.namesakes?.length > 0 && "A folder of that name is in your account already.",
  ], "Add", "main");
  if (!isMeant) return;
  const request = { path, dryRun: false };
  try { await ask("add", request); } catch (error) {
    if (error.confirm !== "sensitive" || !await confirm("Add it although it holds secrets?",
      [sentence(error.message)], "Add it")) throw error;
    await ask("add", { ...request, sensitive: true });
  }
  say("The folder is synced now.");
  context.go("folders");
}
