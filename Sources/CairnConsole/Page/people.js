// People: who is in which share and what they may do; invitations, links, requests; who somebody is.

import { ask, ControlError } from "./control.js";
import {
  apart, button, choice, confirm, copyable, dialog, el, failure, field, form, name, renew, said,
  say, show, table, tell, terms, who,
} from "./elements.js";
import {
  count, isInside, isSame, permissions, person, roles, sentence, size, sureness, time, visible,
} from "./words.js";

export const title = "People";

const granted = [["read-write", "read and write"], ["read-only", "read"]];

export async function open(place, context, state) {
  const parts = Array.from({ length: 5 }, () => el("div", {}));
  const [invitations, requests, shares, begun, everybody] = parts;
  show(place, parts);
  let users = [];
  const touched = new Set();
  for (const part of parts) part.addEventListener("input", () => touched.add(part));
  /** What somebody has begun to write in a part stays, until they have sent it. */
  const update = (part, ...children) => touched.has(part) || renew(part, ...children);

  async function look(isOwn) {
    const [invited, asking, list, known] = await Promise.all([
      ask("shareInvitations"), ask("shareRequests"), ask("shareList"), ask("userList")]);
    users = known.items;
    if (isOwn) touched.clear();
    const again = () => look(true);
    update(invitations, invited.items.length > 0 && el("section", { class: "card alert" },
      el("h2", {}, "Invitations for you"), invited.items.map((one) => invitation(one, context, again))));
    update(requests, asking.items.length > 0 && el("section", { class: "card alert" },
      el("h2", {}, "Requests for access"), asking.items.map((one) => request(one, again))));
    const wanted = list.items.filter((share) => state.path && share.path
      && isInside(state.path, share.path));
    const shown = wanted.length > 0 ? wanted : list.items;
    const around = wanted.find((share) => !isSame(share.path, state.path));
    update(shares,
      around && el("p", { class: "warn" }, name(state.path), " is inside ", name(around.path),
        ". The people below see all of that folder."),
      wanted.length > 0 && list.items.length > wanted.length && el("p", {}, button("Show all shares",
        () => context.go("people"))),
      shown.map((one) => share(one, users, again, context)),
      list.items.length === 0 && el("p", {}, "Nothing is shared yet."));
    update(everybody, el("section", { class: "card" }, el("h2", {}, "Everybody in this container"),
      known.isRecalled && el("p", { class: "warn" },
        "The container can't be reached: this is who this device has read before."),
      table("People", [["Person"], ["Devices", "number"], ["Sureness"], ["Act", "act"]],
        users.map((user) => [[who(user), user.isMe && " (you)",
          el("br"), el("code", {}, user.user.slice(0, 12))], String(user.devices), sureness(user),
        !user.isMe && button("Verify…", () => verify(user, again),
          { "aria-label": "Verify " + person(user) })]))));
  }

  show(begun, sharing(context, () => look(true), state), byLink(context));
  await look(true);
  return { changed: () => look(false) };
}

// MARK: One share

function share(value, users, again, context) {
  const mayManage = ["owner", "administrator"].includes(value.me.role);
  const isOwner = value.me.role === "owner";
  const reference = { id: value.id };
  const isOpen = value.publicPermission !== "none";
  const done = async (text) => { say(text); await again(); };
  return el("section", { class: "card" },
    el("h2", { tabindex: "-1" }, said(value.title)),
    terms([
      ["Folder", value.path ? name(value.path) : "not on this device"],
      ["Owner", isOwner ? "you" : who(value.owner)],
      ["You", `${roles[value.me.role]}, ${permissions[value.me.permission]}`],
      ["Anybody with the link", permissions[value.publicPermission]],
    ]),
    participants(value, users, mayManage, isOwner, done),
    value.links.length > 0 && table("Links that wait for one person", [["Link"], ["May"], ["Until"],
      ["Act", "act"]], value.links.map((link) => [el("code", {}, link.id.slice(0, 8)),
      permissions[link.permission], link.expires ? time(link.expires) : "taken back",
      button("Take back", async () => {
        await ask("shareUninvite", { share: reference, invited: link.id });
        await done("The link lets nobody in any more.");
      }, { "aria-label": "Take back the link " + link.id.slice(0, 8) })])),
    mayManage && !isOpen && [inviting(reference, users, again), linking(reference, again)],
    mayManage && opening(value, done),
    el("div", { class: "row" },
      button("Who may do what", () => ways(value, isOwner)),
      mayManage && button(value.takesRequests ? "Take no more requests" : "Take requests for access",
        async () => {
          await ask("shareSetRequests", { share: reference, allowed: !value.takesRequests });
          await done(value.takesRequests ? "Nobody can ask any more." : "Who has the link may ask.");
        }),
      isOwner ? button("Stop sharing…", async () => {
        const isMeant = await confirm("Stop sharing?", [[said(value.title), ": everybody else loses "
          + "the folder, and has to be invited anew if you share it again."],
        "You keep everything where it is."], "Stop sharing");
        if (!isMeant) return;
        await ask("shareStop", { share: reference });
        await done("It isn't shared any more.");
      }, { class: "danger", "aria-label": "Stop sharing " + visible(value.title) })
        : button("Leave…", () => leave(value, done), { class: "danger",
          "aria-label": "Leave " + visible(value.title) })),
    value.blocked.length > 0 && el("div", {}, el("h3", {}, "Blocked"), value.blocked.map((one) =>
      el("p", { class: "row" }, who(one), mayManage && button("Unblock", async () => {
        await ask("shareUnblock", { share: reference, person: one.user });
        await done("They may ask again.");
      }, { "aria-label": "Unblock " + person(one) })))));
}

function participants(value, users, mayManage, isOwner, done) {
  const reference = { id: value.id };
  const accepted = { pending: "invited", accepted: "takes part", removed: "removed", unknown: "" };
  return table("People in this share", [["Person"], ["Role"], ["May"], ["State"], ["Act", "act"]],
    value.participants.map((one) => {
      const isMe = users.some((user) => user.isMe && user.user === one.user);
      const label = person(one);
      const id = one.user ?? one.link ?? one.handle;
      const isOther = mayManage && !isMe && one.role !== "owner" && one.role !== "by-link";
      const change = (operation, member, text) => async (event) => {
        try {
          await ask(operation, { share: reference, person: id, [member]: event.target.value });
          await done(text);
        } catch (error) {
          event.target.value = one[member];
          event.target.after(failure(error));
        }
      };
      return [[apart(label), isMe && " (you)"],
        isOther && isOwner && one.acceptance === "accepted"
          ? choice([["participant", "participant"], ["administrator", "administrator"]], one.role,
            { "aria-label": "Role of " + label, onchange: change("shareSetRole", "role",
              "The role is changed.") })
          : roles[one.role] ?? one.role,
        isOther ? choice(granted, one.permission, { "aria-label": "Permission of " + label,
          onchange: change("shareSetPermission", "permission", "In force at once.") })
          : permissions[one.permission],
        [accepted[one.acceptance], sureness(one) && `, ${sureness(one)}`],
        isOther && [one.acceptance === "pending"
          ? button("Take back", async () => {
            await ask("shareUninvite", { share: reference, invited: id });
            await done("The invitation is taken back.");
          }, { "aria-label": "Take back the invitation of " + label })
          : button("Remove…", () => removing(value, one, label, done),
            { class: "danger", "aria-label": "Remove " + label }),
        isOwner && one.acceptance === "accepted" && button("Make owner…", async () => {
          const isMeant = await confirm("Make them the owner?", [[apart(label), " owns ",
            said(value.title), " from then on, its limit and its people included, and only they can "
              + "give it back. You stay as a participant who may write."]], "Make owner");
          if (!isMeant) return;
          await ask("shareTransfer", { share: reference, person: id });
          await done("They own it now.");
        }, { "aria-label": "Make " + label + " the owner" })]];
    }));
}

async function removing(value, one, label, done) {
  const isMeant = await confirm(["Remove ", apart(label), "?"], [
    [apart(label), " loses ", said(value.title), ": the folder goes from their devices within a moment."
      + " Edits of theirs that were not sent yet are kept for them."],
    "What is written from now on they can't read, whatever they kept. What they have read before, they"
      + " may have copied.",
    value.links.length > 0 && "Links for anyone stop working; make a new one.",
  ], "Remove");
  if (!isMeant) return;
  await ask("shareRemove", { share: { id: value.id }, person: one.user ?? one.handle });
  await done(`${label} isn't in it any more.`);
}

async function leave(value, done) {
  const keepCopy = await dialog("Leave this share?", (close) => [
    el("p", {}, "Your part in ", said(value.title), " ends, on all devices of yours. Only who may "
      + "invite can let you in again."),
    el("div", { class: "row" },
      el("button", { type: "button", autofocus: true, onclick: () => close() }, "Cancel"),
      el("button", { type: "button", onclick: () => close(true) }, "Leave, and keep the files"),
      el("button", { type: "button", class: "danger", onclick: () => close(false) },
        "Leave; the folder goes")),
  ]);
  if (keepCopy === undefined) return;
  const left = await ask("shareLeave", { share: { id: value.id }, keepCopy });
  await done(left.kept ? "You left; the files stay." : "You left.");
}

async function ways(value, isOwner) {
  const policy = await ask("sharePolicy", { share: { id: value.id } });
  const access = { any: "named people, or anybody with the link", anyone: "anybody with the link",
    named: "named people only" };
  await tell("Who may do what", el("dl", {}, value.participants.map((one) => [
    el("dt", {}, who(one)),
    el("dd", {}, `${permissions[one.permission]}; sees everything in the folder, and who is in it`,
      ["owner", "administrator"].includes(one.role) && "; invites, removes and sets permissions"),
  ])), el("p", {}, `This share lets in ${access[policy.access] ?? policy.access}. Participants `,
    policy.participantsInvite ? "may invite others." : "may not invite others."),
  isOwner && form([
    field("Lets in", choice(Object.entries(access), policy.access, { name: "access" })),
    el("label", { class: "inline" }, el("input", { type: "checkbox", name: "invite",
      checked: policy.participantsInvite }), "Participants may invite"),
  ], "Change", async (element) => {
    await ask("sharePolicy", { share: { id: value.id }, access: element.elements.access.value,
      participantsInvite: element.elements.invite.checked });
    say("Changed.");
  }));
}

// MARK: Letting people in

/** Asks once more where somebody may not be who they seem to be. */
async function sure(act) {
  try { return await act(false); } catch (error) {
    if (!(error instanceof ControlError) || error.code !== "participantMayNeedVerification") throw error;
    const isMeant = await confirm("Are you sure who that is?", [sentence(error.message),
      "Compare numbers with them first, if you can: Verify, in the list of everybody."],
    "Go on all the same");
    return isMeant ? act(true) : undefined;
  }
}

const pastOf = (past) => past && (past.versions > 0 || past.deleted > 0) && el("p", {},
  `They also get the past: ${count(past.versions, "earlier version", "earlier versions")}, and `
  + `${count(past.deleted, "deleted file", "deleted files")}.`);

function inviting(reference, users, again) {
  const list = "people-" + reference.id;
  const handle = el("input", { required: true, list, autocomplete: "off" });
  const permission = choice(granted, "read-write");
  return form([
    field("Handle of somebody in the container", handle),
    el("datalist", { id: list }, users.filter((user) => !user.isMe).map((user) =>
      el("option", { value: user.handle }, visible(user.name)))),
    field("They may", permission),
  ], "Invite", async () => {
    const people = handle.value.trim().split(/[\s,]+/);
    const reply = await sure((unverified) => ask("shareInvite", {
      share: reference, people, permission: permission.value, unverified }));
    if (!reply) return;
    handle.value = "";
    await tell("Invited",
      el("p", {}, reply.invited.map((one, index) => [index > 0 && ", ", who(one)]), ": ",
        permissions[permission.value], ". ", reply.delivered && "The invitation also lies in the "
          + "container for them."),
      reply.warning && el("p", { class: "warn" }, sentence(reply.warning)), pastOf(reply.past),
      copyable("The link, to send to them", reply.link));
    await again();
  });
}

const days = [["", "taken back"], ["1", "a day has gone"], ["7", "a week has gone"],
  ["30", "30 days have gone"]];
const inDays = (text) => text && new Date(Date.now() + Number(text) * 86400000).toISOString();

function linking(reference, again) {
  const permission = choice(granted, "read-write");
  const until = choice(days, "7");
  return form([field("Whoever uses a link first may", permission), field("Until", until)],
    "Make a link for one person", async () => {
      const reply = await ask("shareInviteLink", { share: reference, permission: permission.value,
        expires: inDays(until.value) || undefined });
      await tell("A link for one person", el("p", {}, "Whoever uses it first is in. Then it lets in "
        + "nobody else."), pastOf(reply.past), copyable("The link", reply.link));
      await again();
    });
}

/** What anybody with the link may do. */
function opening(value, done) {
  const reference = { id: value.id };
  const permission = choice([["none", "do nothing: named people only"], ["read-only", "read"],
    ["read-write", "read and write"]], value.publicPermission);
  return [form([field("Anybody with the link may", permission)], "Set", async () => {
    const request = { share: reference, permission: permission.value };
    try { await ask("shareSetPublic", { ...request, confirmed: false }); } catch (error) {
      if (!(error instanceof ControlError)) throw error;
      const isMeant = await confirm("Do it although people lose something?",
        [sentence(error.message), sentence(error.remedy)], "Do it");
      if (!isMeant) return;
      await ask("shareSetPublic", { ...request, confirmed: true });
    }
    await done("Set.");
  }), value.publicPermission !== "none" && button("Show the link for anybody", async () => {
    const reply = await ask("shareLink", { share: reference });
    await tell("The link for anybody", copyable("The link", reply.link));
  })];
}

function sharing(context, again, state) {
  const path = el("input", { required: true, size: "40", list: "mirrored",
    value: typeof state.path === "string" ? state.path : "" });
  const call = el("input", {});
  return el("section", { class: "card" }, el("h2", {}, "Share a folder"),
    el("datalist", { id: "mirrored" }, context.status.mounts.map((mount) =>
      typeof mount.path === "string" && el("option", { value: mount.path }))),
    form([field("Its path on this machine", path), field("Title, if not its name", call)], "Share",
      async () => {
        const request = { paths: [path.value.replace(/(.)\/+$/, "$1")],
          title: call.value || undefined };
        const reply = await ask("shareCreate", request).catch(async (error) => {
          if (error.confirm !== "sensitive" || !await confirm("Share it although it holds secrets?",
            [sentence(error.message)], "Share it")) throw error;
          return ask("shareCreate", { ...request, sensitive: true });
        });
        [path.value, call.value] = ["", ""];
        say(`${visible(reply.share.title)} is shared. Now invite people.`);
        await again();
      }));
}

// MARK: Being let in

async function accept(text, context) {
  const offer = await ask("shareOffer", { invitation: text });
  const at = el("input", { size: "40", placeholder: visible(offer.at) });
  const isMeant = await dialog(offer.isAccepted ? "You have this" : "Accept this?", (close) => [
    terms([["Title", said(offer.title)], ["From", [who(offer.from), sureness(offer.from)
      && `, ${sureness(offer.from)}`]], ["Owner", who(offer.owner)],
    ["You", permissions[offer.permission]], ["Content", `${count(offer.amount.files, "file", "files")}, `
      + `${count(offer.amount.directories, "folder", "folders")}, ${size(offer.amount.bytes)}`],
    [offer.isAccepted ? "Is at" : "Goes to", name(offer.at)]]),
    offer.warning && el("p", { class: "warn", role: "alert" }, sentence(offer.warning)),
    !offer.isAccepted && field("Another folder, absent or empty", at),
    el("div", { class: "row" },
      el("button", { type: "button", onclick: () => close(false) }, "Cancel"),
      !offer.isAccepted && el("button", { type: "button", class: offer.warning ? "danger" : "main",
        autofocus: true, onclick: () => close(true) },
      offer.warning ? "Accept all the same" : "Accept")),
  ]);
  if (!isMeant) return;
  const reply = await ask("shareAccept", { invitation: text, at: at.value || undefined, wait: false,
    unverified: Boolean(offer.warning) });
  say(`${visible(reply.share.title)} is at ${visible(reply.mount.path)}; its files are coming.`);
  context.go("folders");
}

const invitation = (value, context, again) => el("p", { class: "row spread" },
  el("span", {}, who(value.from), " invites you to ", said(value.title), `: you `
    + `${permissions[value.permission]}. ${time(value.time)}`),
  el("span", { class: "row" }, button("Look…", () => accept(value.id, context), { class: "main",
    "aria-label": "Look at the invitation to " + visible(value.title) }),
  button("Decline", async () => {
    await ask("shareDecline", { invitation: value.id });
    say(`You declined ${visible(value.title)}. They can invite you again.`);
    await again();
  }, { "aria-label": "Decline the invitation to " + visible(value.title) })));

function byLink(context) {
  const link = el("input", { required: true, size: "40", autocomplete: "off" });
  const words = el("input", { size: "40" });
  return el("section", { class: "card" }, el("h2", {}, "You have a link"),
    form([field("The link that you were sent", link)], "Look", async () => {
      await accept(link.value.trim(), context);
    }),
    el("p", {}, "It lets you in no more? Its owner may do so all the same, if they take requests."),
    el("div", { class: "row end" }, field("A word to its owner", words),
    button("Ask its owner for access", async () => {
      const reply = await ask("shareRequest", { links: [link.value.trim()], message: words.value });
      const error = reply.outcomes[0]?.error;
      if (error) throw new ControlError(error);
      words.value = "";
      say("Asked. You get an invitation if they agree.");
    })));
}

function request(value, again) {
  const permission = choice(granted, "read-only", { "aria-label": "They may" });
  const act = (operation, text) => async () => {
    await ask(operation, { share: { id: value.share }, person: value.from.user });
    say(text);
    await again();
  };
  const asking = person(value.from);
  return el("div", { class: "row" }, el("span", {}, apart(asking), " asks for ", said(value.title),
    `, ${time(value.time)}`, value.text && [": ", said(value.text)]), permission,
  button("Approve", async () => {
    const reply = await sure((unverified) => ask("shareApprove", { share: { id: value.share },
      person: value.from.user, permission: permission.value, unverified }));
    if (reply) { say("Invited."); await again(); }
  }, { class: "main", "aria-label": "Approve " + asking }),
  button("Deny", act("shareDeny", "Denied."), { "aria-label": "Deny " + asking }),
  button("Block", act("shareBlock", "They can't ask any more."), { "aria-label": "Block " + asking }));
}

// MARK: Who somebody is

async function verify(user, again) {
  const reply = await ask("userVerify", { user: user.user, act: "show" });
  const digits = el("input", { required: true, inputmode: "numeric", size: "40" });
  await dialog(["Is it really ", who(user), "?"], (close) => [
    el("p", {}, "Both of you see this number, if nobody stands between you. Compare it on the phone, "
      + "not through the container."),
    el("p", { class: "number60" }, reply.number),
    form([field("The number that they read to you", digits)], "It is the same", async () => {
      await ask("userVerify", { user: user.user, act: "match", number: digits.value });
      say("Verified.");
      close();
      await again();
    }),
    el("div", { class: "row" },
      user.verification === "changed" && button("I know of the change", async () => {
        await ask("userVerify", { user: user.user, act: "acknowledge" });
        close();
        await again();
      }),
      user.verification === "verified" && button("Not verified any more", async () => {
        await ask("userVerify", { user: user.user, act: "forget" });
        close();
        await again();
      }),
      el("button", { type: "button", onclick: () => close() }, "Close")),
  ]);
}
