// Folders: which there are, how each stands, what is in trouble.

import { ask, standing } from "./control.js";
import { button, confirm, el, field, form, name, renew, said, say, show, terms } from "./elements.js";
import { ofFolder, traffic } from "./traffic.js";
import { burst, conflicting, held, problem, rescued as aside } from "./trouble.js";
import {
  count, isSame, permissions, phases, roles, scopes, sentence, size, span, time, visible,
} from "./words.js";

export const title = "Folders";

export async function open(place, context) {
  const { left } = context;
  const overview = el("div", {});
  const cards = el("div", {});
  const kept = new Map();
  show(place, overview, cards, adding(context));

  function draw() {
    const { mounts, problems, rescued, ended, bursts, container } = context.status;
    const { path, reachable } = container;
    keep(overview, [problems, rescued, ended, bursts, path, reachable, container.traffic], () => [
      traffic(container.traffic),
      !reachable && !container.traffic?.paused && el("p", { class: "card alert" },
        "The container ", name(path), " can't be reached. What you change is kept here "
          + "and goes out when it is back."),
      problems.map((value) => problem(value, context)),
      bursts.map((value) => burst(value, context)),
      rescued.length > 0 && aside(rescued.length, "when a folder here ended", context),
      ended.map((event) => el("p", { class: "soft" }, time(event.time), ": ", sentence(event.text))),
    ]);
    const wanted = new Set(mounts.map((mount) => mount.id));
    for (const [id, card] of kept) if (!wanted.has(id)) { card.remove(); kept.delete(id); }
    for (const mount of mounts) {
      let card = kept.get(mount.id);
      if (!card) {
        card = el("section", { class: "card" }, Array.from({ length: 4 }, () => el("div", {})));
        kept.set(mount.id, card);
        cards.append(card);
      }
      folder(card.children, mount, context);
    }
    const none = cards.querySelector(":scope > p");
    if (mounts.length > 0) none?.remove();
    else if (!none) cards.append(el("p", {}, "No folder is mirrored yet."));
  }

  draw();
  standing((status) => { context.status = status; draw(); }, left);
  // What stands here comes by itself.
  return {};
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
  const isGood = phase === "idle" && problems.length === 0;
  keep(head, mount.title, () => el("h2", { tabindex: "-1" }, said(mount.title)));
  keep(state, [work, phase, mount.state, problems.length], () => [
    el("p", { class: isGood ? "good" : phase === "idle" ? "warn" : "" },
      problems.length > 0 && phase === "idle" ? "in step, but for what is told below"
        : phases[phase] ?? phase,
      mount.state && ` (${visible(mount.state)})`,
      pending > 0 && `: ${work.pendingLocal.toLocaleString("en")} to send, `
        + `${work.pendingRemote.toLocaleString("en")} to come`),
    el("div", { class: "progress" }, progress(work, mount.title)),
  ]);
  keep(content, [mount.path, mount.files, mount.directories, mount.bytes, mount.role,
    mount.permission, mount.scope, mount.ignored, mount.watching.note], () => terms([
    ["Folder", name(mount.path)],
    ["Content", `${count(mount.files, "file", "files")}, ${count(mount.directories, "folder",
      "folders")}, ${size(mount.bytes)}`],
    ["You", `${roles[mount.role] ?? mount.role}, ${permissions[mount.permission]}`
      + ` (${scopes[mount.scope] ?? mount.scope})`],
    ["Left out", mount.ignored.names > 0 ? leftOut(mount.ignored) : undefined],
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
    mount.rescued.length > 0 && aside(mount.rescued.length, "here", context),
    el("div", { class: "row" },
      button("Files", () => context.go("files", { path: mount.path }),
        { "aria-label": "Files of " + visible(mount.title) }),
      button("People", () => context.go("people", { path: mount.path }),
        { "aria-label": "People of " + visible(mount.title) }),
      button("Activity", () => context.go("activity", { path: mount.path }),
        { "aria-label": "Activity in " + visible(mount.title) }),
      ofFolder(mount, bounds),
      button("Stop mirroring…", () => remove(mount.path, context),
        { "aria-label": "Stop mirroring " + visible(mount.title) })),
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
    work.looked > 0 && el("p", {}, `${count(work.looked, "name", "names")} looked at so far`),
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
  const isMeant = await confirm("Stop mirroring?", [
    ["The folder ", name(mount.path), " stays on this machine with all its files, and is an "
      + "ordinary folder from then on."],
    "Nothing is deleted for anybody. What others change doesn't come here any more.",
    mount.work.pendingLocal > 0
      && `${count(mount.work.pendingLocal, "change", "changes")} of yours did not go `
      + "out yet, and won't.",
  ], "Stop mirroring");
  if (!isMeant) return;
  await ask("remove", { path: mount.path });
  say("It isn't mirrored any more.");
  context.go("folders");
}

function adding(context) {
  const path = el("input", { required: true, size: "40", placeholder: "/home/me/Documents" });
  return el("section", { class: "card" }, el("h2", {}, "Mirror a folder of this machine"),
    form([field("Its path", path)], "See what it is", async () => {
      const plan = await ask("add", { path: path.value, dryRun: true });
      const isMeant = await confirm("Mirror this folder?", [
        [name(plan.path), `: ${count(plan.files, "file", "files")}, `,
          `${count(plan.directories, "folder", "folders")}, ${size(plan.bytes)}; `,
          `${count(plan.ignored, "name is", "names are")} left out by rules.`],
        "It goes to your container, sealed: only you can read it, until you share it.",
        plan.skipped.length > 0 && `${count(plan.skipped.length, "name", "names")} can't be mirrored.`,
        plan.namesakes?.length > 0 && "A folder of that name is in your account already.",
      ], "Mirror it");
      if (!isMeant) return;
      const request = { path: path.value, dryRun: false };
      try { await ask("add", request); } catch (error) {
        if (error.confirm !== "sensitive" || !await confirm("Mirror it although it holds secrets?",
          [sentence(error.message)], "Mirror it")) throw error;
        await ask("add", { ...request, sensitive: true });
      }
      path.value = "";
      say("It is mirrored from now on.");
      context.go("folders");
    }));
}
