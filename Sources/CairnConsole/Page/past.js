// What is kept of a folder's past: shown to everybody who has it, changed by its owner.

import { ask, ControlError } from "./control.js";
import { choice, dialog, el, field, form, renew, said, say } from "./elements.js";
import { count, kept, time } from "./words.js";

const day = 86400;
const spans = [day, 7 * day, 30 * day, 90 * day, 365 * day];

/** A choice of how long; what is in force is among them, whoever said it by a command. */
function howLong(chosen, ...more) {
  const offered = [...new Set([...spans, ...chosen ? [chosen] : []])].sort((left, right) => left - right);
  return [["", "not by its age"], ...offered.map((one) => [String(one), "for " + kept(one)]), ...more];
}

/** What is in force, as sentences. */
function sentences({ policy, formerUntil }) {
  const lines = [
    policy.forever && "Every version is kept for ever.",
    policy.all && `Each version is kept for ${kept(policy.all)}.`,
    policy.daily && `The last version of each day is kept for ${kept(policy.daily)}.`,
    policy.versions !== undefined && policy.versions !== null
      && `${count(policy.versions, "past version of each file is", "past versions of each file are")} kept.`,
  ].filter(Boolean);
  return [...lines.length > 0 ? lines : ["Only the present is kept."],
    formerUntil && `Until ${time(formerUntil)}, what was kept before is kept as well.`];
}

/** Shows what is kept of a folder's past, and lets its owner change it. */
export async function keeping(mount) {
  const share = { id: mount.zone };
  const first = await ask("historyPolicy", { share });
  await dialog(["What is kept of ", said(mount.title)], (close) => {
    const place = el("div", {});
    const fill = (reply) => renew(place,
      sentences(reply).map((line) => line && el("p", {}, line)),
      mount.role === "owner" && change(share, reply.policy, fill));
    fill(first);
    return [place, el("div", { class: "row" },
      el("button", { type: "button", autofocus: true, onclick: () => close() }, "Close"))];
  });
}

function change(share, policy, fill) {
  const all = choice(howLong(policy.all, ["forever", "for ever"]),
    policy.forever ? "forever" : String(policy.all ?? ""));
  const daily = choice(howLong(policy.daily), String(policy.daily ?? ""));
  const versions = el("input", { type: "number", min: "0", max: "1000000",
    value: policy.versions ?? "" });
  return el("div", {}, el("p", { class: "soft" }, "A past version is kept if any of these says so; the "
    + "others go with the garbage, not sooner than seven days after a change. What the files are now is "
    + "always kept."),
  form([field("Each version", all), field("The last one of each day", daily),
    field("So many of each file", versions)], "Change", async () => {
    const forever = all.value === "forever";
    const wanted = forever ? { forever } : { forever,
      all: Number(all.value) || undefined, daily: Number(daily.value) || undefined,
      versions: versions.value === "" ? undefined : Number(versions.value) };
    if (!forever && Object.values(wanted).every((one) => !one && one !== 0)) {
      throw new ControlError({ code: "invalidArguments", message: "Say what is to be kept.",
        remedy: "To keep only the present, keep 0 of each file." });
    }
    fill(await ask("historyPolicy", { share, policy: wanted }));
    say("Changed.");
  }));
}
