// What is kept of a folder's past: shown to everybody who has it, changed by its owner.

import { ask, ControlError } from "./control.js";
import { choice, dialog, el, field, filling, form, renew, said, say, show } from "./elements.js";
import { kept, size, time } from "./words.js";

const day = 86400;
const spans = [day, 7 * day, 30 * day, 90 * day, 365 * day];

/** A choice of how long; what is in force is among them, whoever said it by a command. */
function howLong(chosen, ...more) {
  const offered = [...new Set([...spans, ...chosen ? [chosen] : []])].sort((left, right) => left - right);
  return [["", "not by its age"], ...offered.map((one) => [String(one), "for " + kept(one)]), ...more];
}

/** The day in so many days, as a person says it. */
const later = (days) => time(new Date(Date.now() + days * day * 1000).toISOString()).split(",")[0];

/** What is in force, as sentences. */
function sentences({ policy, formerUntil }) {
  const rules = [
    policy.all && `it is under ${kept(policy.all)} old`,
    policy.daily && `it is the last one of a day, and under ${kept(policy.daily)} old`,
    policy.versions !== undefined && policy.versions !== null
      && `it is one of the file's last ${policy.versions.toLocaleString("en")}`,
  ].filter(Boolean);
  return [policy.forever ? "All versions are kept."
    : rules.length > 0 ? `A version is kept if ${rules.join(", or ")}.`
      : "Earlier versions and deleted files are not kept.",
  formerUntil && `Nothing is deleted before ${time(formerUntil)}.`];
}

/** Shows what is kept of a folder's past, and lets its owner change it. */
export async function keeping(mount) {
  const share = { id: mount.zone };
  const first = await ask("historyPolicy", { share });
  await dialog(["History of ", said(mount.title)], (close) => {
    const place = el("div", {});
    const fill = (reply) => renew(place,
      sentences(reply).map((line) => line && el("p", {}, line)),
      mount.role === "owner" && change(share, reply.policy, fill));
    fill(first);
    return [place, el("div", { class: "row" },
      el("button", { type: "button", autofocus: true, onclick: () => close() }, "Close"))];
  });
}

/** The policy that was chosen; nothing if it would keep no version. */
function chosen(all, daily, versions) {
  if (all.value === "forever") return { forever: true };
  const wanted = { forever: false, all: Number(all.value) || undefined,
    daily: Number(daily.value) || undefined,
    versions: versions.value === "" ? undefined : Number(versions.value) };
  return Object.values(wanted).some((one) => one || one === 0) ? wanted : undefined;
}

function change(share, policy, fill) {
  const all = choice(howLong(policy.all, ["forever", "forever"]),
    policy.forever ? "forever" : String(policy.all ?? ""));
  const daily = choice(howLong(policy.daily), String(policy.daily ?? ""));
  const versions = el("input", { type: "number", min: "0", max: "1000000",
    value: policy.versions ?? "" });
  const preview = el("p", { role: "status" });
  /** Says what the chosen policy would free. */
  const look = async ({ target }) => {
    // A limit beside it has no effect while everything is kept.
    if (target !== all && all.value === "forever") all.value = "";
    const isCurrent = filling(preview);
    const wanted = chosen(all, daily, versions);
    const reply = wanted && await ask("historyPolicy", { share, policy: wanted, dryRun: true });
    if (!isCurrent()) return;
    show(preview, !reply ? "No version would be kept." : reply.frees > 0
      ? `This frees ${size(reply.frees)}. The versions are kept until ${later(7)}, and the storage is free by `
        + `${later(15)}.` : "This frees nothing now.");
  };
  return el("div", { oninput: look }, el("p", { class: "soft" }, "A version is kept if any of these "
    + "keeps it. Others are kept for seven more days after a change. Current files are always kept."),
  form([field("Each version", all), field("Last of each day", daily),
    field("Number per file", versions)], "Change", async () => {
    const wanted = chosen(all, daily, versions);
    if (!wanted) {
      throw new ControlError({ code: "invalidArguments", message: "No version would be kept.",
        remedy: "To keep only current files, keep 0 of each file." });
    }
    fill(await ask("historyPolicy", { share, policy: wanted }));
    say("Changed.");
  }), preview);
}
