// Successors: who may take a share over if its owner is gone, and their claims.

import { ask } from "./control.js";
import { button, confirm, dialog, el, field, form, moment, said, who } from "./elements.js";
import { count, person, visible } from "./words.js";

const listed = (items) => items.map((item, index) => [index > 0 && ", ", item]);

/** A step of the owner, or of a successor, with a sentence about its result. */
const step = (value, word, done, text, people) => async () => {
  await ask("shareSuccessor", { share: { id: value.id }, step: word, people });
  await done(text);
};

/** The successors of a share's owner, for everybody in it, with what this person may do. */
export function successors(value, users, isOwner, done) {
  const succession = value.succession;
  const title = visible(value.title);
  if (!succession) {
    return isOwner && value.participants.some((one) => one.acceptance === "accepted" && one.role !== "owner")
      && el("p", { class: "row" }, "Nobody may take the share over if you are gone",
        button("Name successors…", () => naming(value, done),
          { "aria-label": "Name successors for " + title }));
  }
  const me = users.find((user) => user.isMe)?.user;
  const { people, needed, claims } = succession;
  const isMine = people.some((one) => one.user === me);
  const mine = claims.find((claim) => claim.person.user === me);
  return el("div", {}, el("p", { class: "row" },
    [isOwner ? "If you are gone, may take the share over: " : "If the owner is gone, may take the share over: ",
      listed(people.map(who)), needed > people.length ? ` (too few: ${needed} must agree)`
        : needed > 1 && ` (${needed} of them must agree)`],
    isOwner && button("Change…", () => naming(value, done), { "aria-label": "Change the successors for " + title }),
    isOwner && button("Name nobody", step(value, "name", done, "Nobody is a successor now.", []),
      { "aria-label": "Name nobody for " + title }),
    isMine && !mine && button("Claim…", async () => {
      const isMeant = await confirm("Claim the ownership?", [["Everybody in ", said(value.title),
        " sees that you want to own it. The owner can refuse until you have taken it over."]], "Claim");
      if (isMeant) await step(value, "claim", done, "You claim the ownership.")();
    }, { "aria-label": "Claim the ownership of " + title })),
  claims.map((claim) => el("p", { class: "row" },
    [claim.person.user === me ? "You claim" : [who(claim.person), " claims"], " the ownership: possible ",
      moment(claim.due), claim.confirmedBy.length > 1 && [", confirmed by ", listed(claim.confirmedBy
        .filter((one) => one.user !== claim.person.user).map(who))],
      !claim.isConfirmed && ", needs more confirmations"],
    isMine && claim !== mine && !mine && !claim.confirmedBy.some((one) => one.user === me)
      && button("Confirm", step(value, "confirm", done, "You confirm the claim.", [claim.person.user]),
        { "aria-label": "Confirm the claim of " + person(claim.person) }),
    claim === mine && claim.isConfirmed && Date.parse(claim.due) <= Date.now()
      && button("Take over", step(value, "take-over", done, "You own it now."),
        { class: "main", "aria-label": "Take over " + title }),
    isMine && claim.confirmedBy.some((one) => one.user === me)
      && button("Withdraw", step(value, "withdraw", done, "Withdrawn."),
        { "aria-label": "Withdraw from the claim of " + person(claim.person) }))),
  isOwner && claims.length > 0 && el("p", {}, button(claims.length > 1 ? "Refuse the claims" : "Refuse the claim",
    step(value, "refuse", done, "Refused."), { class: "main", "aria-label": "Refuse the claims to " + title })));
}

/** Lets the owner choose successors. */
async function naming(value, done) {
  const known = value.succession?.people.map((one) => one.user) ?? [];
  const candidates = value.participants.filter((one) => one.user && one.acceptance === "accepted"
    && one.role !== "owner" && one.begins === undefined);
  const boxes = candidates.map((one) => el("input", { type: "checkbox", value: one.user,
    checked: known.includes(one.user) }));
  const days = el("input", { type: "number", min: "0", max: "3650", required: true,
    value: String(Math.round((value.succession?.waitSeconds ?? 14 * 86400) / 86400)) });
  const isNamed = await dialog("Who may take the share over?", (close) => [
    el("p", {}, "One person alone can take it over, after a claim that you don't refuse. Of several people, "
      + "more than half must agree. Everybody in the share sees it."),
    form([candidates.map((one, index) => el("label", { class: "inline" }, boxes[index], who(one))),
      field("Days between a claim and the change", days)], "Name", async () => {
      const people = boxes.filter((box) => box.checked).map((box) => box.value);
      await ask("shareSuccessor", { share: { id: value.id }, step: "name", people,
        waitSeconds: people.length > 0 ? Number(days.value) * 86400 : undefined });
      close(people.length);
    }),
    el("div", { class: "row" }, el("button", { type: "button", onclick: () => close() }, "Cancel"))]);
  if (isNamed === undefined) return;
  await done(isNamed === 0 ? "Nobody is a successor now." : `${count(isNamed, "successor", "successors")} named.`);
}
