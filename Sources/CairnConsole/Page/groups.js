// Groups: people who are invited by one name.

import { ask } from "./control.js";
import {
  button, confirm, dialog, el, failure, field, form, said, say, show, table, who,
} from "./elements.js";
import { count, person, visible } from "./words.js";

const listed = (items) => items.map((item, index) => [index > 0 && ", ", item]);

/** Says what a change did, and what it couldn't do. */
const told = (reply, text) => say(reply.missed.length > 0
  ? `${text} ${count(reply.missed.length, "share", "shares")} can't be changed now: repeat it later.` : text);

/** The groups, and a form that creates one or adds people to it. */
export function groups(all, again) {
  const label = el("input", { required: true, autocomplete: "off", maxlength: "64" });
  const people = el("input", { required: true, autocomplete: "off" });
  return el("section", { class: "card" }, el("h2", {}, "Groups"),
    el("p", { class: "soft" }, "Invite several people by one name, as in @team. New members get the shares of "
      + "their group, and people who leave it lose them."),
    all.length > 0 && table("Your groups", [["Group"], ["Members"], ["Shares"], ["Actions", "act"]],
      all.map((group) => [["@", said(group.name)], listed(group.members.map(who)),
        group.shares.length > 0 ? listed(group.shares.map((share) => said(share.title))) : "none",
        [button("Members…", () => members(group, again), { "aria-label": "Members of " + visible(group.name) }),
          button("Delete…", async () => {
            const isMeant = await confirm("Delete the group?", [["@", said(group.name),
              " ends. Its members lose the shares that they have by it."]], "Delete");
            if (!isMeant) return;
            told(await ask("group", { act: "delete", name: group.name }), "The group is deleted.");
            await again();
          }, { class: "danger", "aria-label": "Delete " + visible(group.name) })]])),
    form([field("Group", label), field("People (handles)", people)], "Add to group", async () => {
      const name = label.value.trim().replace(/^@/, "");
      const isKnown = all.some((group) => group.name === name);
      const reply = await ask("group", { act: isKnown ? "add" : "create", name,
        people: people.value.trim().split(/[\s,]+/) });
      told(reply, isKnown ? "Added." : "The group is created.");
      await again();
    }));
}

/** The members of a group, each with a button that removes them. */
async function members(group, again) {
  await dialog(["Members of @", said(group.name)], (close) => {
    const place = el("div", {});
    const fill = (all) => show(place, all.length === 0 ? el("p", {}, "The group is empty.")
      : table("Members", [["Person"], ["Actions", "act"]], all.map((one) => [who(one),
        button("Remove", async (element) => {
          try {
            const reply = await ask("group", { act: "remove", name: group.name, people: [one.user] });
            told(reply, "Removed.");
            fill(reply.groups[0]?.members ?? []);
          } catch (error) { element.after(failure(error)); }
        }, { "aria-label": "Remove " + person(one) })])));
    fill(group.members);
    return [place, el("div", { class: "row" },
      el("button", { type: "button", autofocus: true, onclick: () => close() }, "Close"))];
  });
  await again();
}
