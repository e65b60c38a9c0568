// Folders: which there are, how each stands, what is in trouble.

import { ask, ControlError } from "./control.js";
import { button, confirm, el, field, form, name, renew, said, say, show, terms } from "./elements.js";
import { burst, conflicting, held, problem, rescued as aside } from "./trouble.js";
import {
  count, isSame, permissions, phases, roles, scopes, sentence, size, span, time, visible,
} from "./words.js";

export const title = "Folders";

export async function open(place, context) {
  const overview = el("div", {});
  const cards = el("div", {});
  const kept = new Map();
  const runs = new Map();
  show(place, overview, cards, adding(context));

  function changed() {
    const { mounts, problems, rescued, ended, bursts, container } = context.status;
    keep(overview, JSON.stringify([problems, rescued, ended, bursts, container]), () => [
      !container.reachable && el("p", { class: "card alert" },
        "The container ", name(container.path), " can't be reached. What you change is kept here "
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
        card = el("section", { class: "card" });
        kept.set(mount.id, card);
        cards.append(card);
      }
      keep(card, JSON.stringify(mount), () => folder(mount, context));
      const { work } = mount;
      if (work.pendingLocal + work.pendingRemote > 0 || mount.phase === "scanning") watch(mount);
    }
    const none = cards.querySelector(":scope > p");
    if (mounts.length > 0) none?.remove();
    else if (!none) cards.append(el("p", {}, "No folder is mirrored yet."));
  }

  /** Follows a folder that is at work, until it is in step. */
  async function watch(mount) {
    if (runs.has(mount.id)) return;
    runs.set(mount.id, true);
    try {
      await ask("wait", { path: mount.path, timeoutSeconds: 600 }, { onUpdate: ({ progress }) => {
        const line = kept.get(mount.id)?.querySelector(".progress");
        if (!line) return;
        const [done, total] = progress.allBytes > 0
          ? [progress.bytes, progress.allBytes] : [progress.done, progress.total];
        show(line, el("progress", { max: total ?? false, value: total ? done : undefined,
          "aria-label": "Progress" }),
        progress.done.toLocaleString("en"),
        progress.total && ` of ${progress.total.toLocaleString("en")}`,
        ` ${visible(progress.unit)}`,
        progress.allBytes > 0 && `, ${size(progress.bytes)} of ${size(progress.allBytes)}`,
        progress.bytesPerSecond > 0 && `, ${size(progress.bytesPerSecond)} a second`,
        progress.secondsLeft && `, about ${span(progress.secondsLeft)} left`);
      } });
    } catch (error) {
      if (!(error instanceof ControlError)) throw error;
    }
    runs.delete(mount.id);
    const line = kept.get(mount.id)?.querySelector(".progress");
    if (line) show(line);
  }

  changed();
  return { changed };
}

/** Fills an element anew if what it shows has changed, and leaves the focus where it was. */
function keep(element, state, make) {
  if (element.state === state) return;
  element.state = state;
  const progress = element.querySelector(".progress");
  renew(element, make());
  if (progress) element.querySelector(".progress")?.replaceWith(progress);
}

/** What rules keep out of a folder. */
function leftOut(ignored) {
  const rules = ignored.rules.slice(0, 3).map((rule) => `${visible(rule.pattern)} ${rule.names}`);
  return `${count(ignored.names, "name", "names")}: ${rules.join(", ")}`
    + (ignored.rules.length > 3 ? ", …" : "");
}

function folder(mount, context) {
  const pending = mount.work.pendingLocal + mount.work.pendingRemote;
  const isGood = mount.phase === "idle" && mount.problems.length === 0;
  return [
    el("h2", { tabindex: "-1" }, said(mount.title)),
    el("p", { class: isGood ? "good" : mount.phase === "idle" ? "warn" : "" },
      mount.problems.length > 0 && mount.phase === "idle" ? "in step, but for what is told below"
        : phases[mount.phase] ?? mount.phase,
      mount.state && ` (${visible(mount.state)})`,
      pending > 0 && `: ${mount.work.pendingLocal} to send, ${mount.work.pendingRemote} to come`),
    el("div", { class: "progress" }),
    terms([
      ["Folder", name(mount.path)],
      ["Content", `${count(mount.files, "file", "files")}, ${count(mount.directories, "folder",
        "folders")}, ${size(mount.bytes)}`],
      ["You", `${roles[mount.role] ?? mount.role}, ${permissions[mount.permission]}`
        + ` (${scopes[mount.scope] ?? mount.scope})`],
      ["Left out", mount.ignored.names > 0 ? leftOut(mount.ignored) : undefined],
      ["Watched", mount.watching.note ? sentence(mount.watching.note) : undefined],
    ]),
    mount.held && held(mount.held, mount.path, context),
    // Deletions that wait are told above, with numbers.
    mount.problems.filter((value) => !(mount.held && value.path && isSame(value.path, mount.path)
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
      button("Stop mirroring…", () => remove(mount, context),
        { "aria-label": "Stop mirroring " + visible(mount.title) })),
  ];
}

async function remove(mount, context) {
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
      await ask("add", { path: path.value, dryRun: false });
      path.value = "";
      say("It is mirrored from now on.");
      context.go("folders");
    }));
}
