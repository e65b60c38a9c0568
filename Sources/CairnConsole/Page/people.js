// People: who is in which share and what they may do; invitations, links, requests; who somebody is.

import { ask, ControlError } from "./control.js";
import {
  apart, button, choice, confirm, dialog, el, failure, field, filling, folded, form, link, moment,
  more, name, renew, said, say, show, table, tell, terms, who,
} from "./elements.js";
import { boxes } from "./drops.js";
import { groups as grouping } from "./groups.js";
import { pick } from "./picker.js";
import { successors } from "./successors.js";
import {
  count, isInside, isSame, lastName, permissions, person, roles, sentence, size, sureness, time, visible,
} from "./words.js";

export const title = "People";

const accepted = { pending: "invited", accepted: "accepted", removed: "removed", unknown: "" };

const granted = [["read-write", "can edit"], ["read-only", "can view"]];

export async function open(place, context, state) {
  const parts = Array.from({ length: 8 }, () => el("div", {}));
  const [invitations, requests, dropped, start, shares, begun, everybody, together] = parts;
  show(place, parts);
  let users = [];
  let groups = [];
  const touched = new Set();
  // What a person has opened or searched for stays when something new is shown.
  const opened = new Map();
  const stateOf = (id) => opened.get(id) ?? opened.set(id, {}).get(id);
  let words = "";
  const looking = el("div", {});
  for (const part of parts) part.addEventListener("input", () => touched.add(part));
  /** What somebody has begun to write in a part stays, until they have sent it. */
  const update = (part, ...children) => touched.has(part) || renew(part, ...children);

  async function look(isOwn) {
    if (isOwn) touched.clear();
    const isCurrent = filling(looking);
    const [invited, asking, list, known, own, drops] = await Promise.all([
      ask("shareInvitations"), ask("shareRequests"), ask("shareList"), ask("userList"),
      ask("group", { act: "show" }), ask("drops", { act: "show" })]);
    if (!isCurrent()) return;
    users = [...known.items].sort(byName);
    groups = own.groups;
    const again = () => look(true);
    update(invitations, invited.items.length > 0 && el("section", { class: "card alert" },
      el("h2", {}, "Invitations for you"), invited.items.map((one) => invitation(one, context, again))));
    update(requests, asking.items.length > 0 && el("section", { class: "card alert" },
      el("h2", {}, "Requests for access"), asking.items.map((one) => request(one, again))));
    update(dropped, boxes(drops, state.path, again));
    const wanted = list.items.filter((share) => state.path && share.path
      && isInside(state.path, share.path));
    const shown = wanted.length > 0 ? wanted : list.items;
    const around = wanted.find((share) => !isSame(share.path, state.path));
    update(shares,
      around && el("p", { class: "warn" }, name(state.path), " is inside ", name(around.path),
        ". The people below see all of that folder."),
      wanted.length > 0 && list.items.length > wanted.length && el("p", {}, button("Show all shares",
        () => context.go("people"))),
      [...shown].sort((left, right) => visible(left.title).localeCompare(visible(right.title)))
        .map((one) => share(one, users, groups, again, asking.items.filter((asked) => asked.share === one.id).length,
          stateOf(one.id))),
      list.items.length === 0 && el("p", {}, "Nothing is shared yet."));
    update(everybody, el("section", { class: "card" }, el("h2", {}, "People of this container"),
      known.isRecalled && el("p", { class: "warn" },
        "The container can't be reached: these are the people that this device knows."),
      everyone(again)));
    update(together, grouping(groups, again));
  }

  /** The people of the container, with a search if they are many. */
  function everyone(again) {
    const rows = el("div", {});
    const fill = () => show(rows, folded("People", [["Person"], ["Devices", "number"], ["Identity"],
      ["Actions", "act"]], users.filter((user) => matches(user, words)), (user) => [
      [who(user), user.isMe && " (you)", el("br"), el("code", {}, user.user.slice(0, 12))],
      String(user.devices), sureness(user),
      !user.isMe && [button("Access…", () => access(user, again),
        { "aria-label": "Access of " + person(user) }),
      button("Verify…", () => verify(user, again),
        { "aria-label": "Verify " + person(user) })]], stateOf("everyone")));
    fill();
    return [users.length > 10 && field("Find a person", el("input", { type: "search", value: words,
      oninput: (event) => {
        // A search isn't something to send.
        event.stopPropagation();
        words = event.target.value;
        fill();
      } })), rows];
  }

  show(start, el("p", {}, button("Share a folder…", () => shareFolder(context), { class: "main" })));
  show(begun, byLink(context));
  await look(true);
  return { changed: () => look(false) };
}

/** The order of people: by name, then by handle. */
const byName = (left, right) => person(left).localeCompare(person(right));

/** Whether a person's name, handle or id has these letters. */
const matches = (user, words) => [user.name, user.handle, user.user].some((text) =>
  (text ?? "").toLowerCase().includes(words.trim().toLowerCase()));

// MARK: One share

function share(value, users, groups, again, waiting, state) {
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
      ["You", !isOwner && `${roles[value.me.role]}, ${permissions[value.me.permission]}`],
    ]),
    value.offeredTo && offer(value, users, isOwner, done),
    successors(value, users, isOwner, done),
    mayManage && !isOpen && inviting(reference, users, groups, again),
    participants(value, users, mayManage, isOwner, done, state),
    links(value, mayManage, waiting, done),
    mayManage && more("More ways", "share " + visible(value.title),
      !isOpen && linking(reference, again), opening(value, done),
      button(value.takesRequests ? "Refuse requests" : "Accept requests", async () => {
        await ask("shareSetRequests", { share: reference, allowed: !value.takesRequests });
        await done(value.takesRequests ? "Requests are refused." : "People with the link can ask.");
      })),
    el("div", { class: "row" },
      button("Permissions", () => ways(value, isOwner),
        { "aria-label": "Permissions in " + visible(value.title) }),
      isOwner ? button("Stop sharing…", async () => {
        const isMeant = await confirm("Stop sharing?", [[said(value.title), ": all other participants lose "
          + "the folder, and need a new invitation if you share it again."],
        "You keep everything in place."], "Stop sharing");
        if (!isMeant) return;
        await ask("shareStop", { share: reference });
        await done("Sharing was stopped.");
      }, { class: "danger", "aria-label": "Stop sharing " + visible(value.title) })
        : button("Leave…", () => leave(value, done), { class: "danger",
          "aria-label": "Leave " + visible(value.title) })),
    value.blocked.length > 0 && el("div", {}, el("h3", {}, "Blocked"), value.blocked.map((one) =>
      el("p", { class: "row" }, who(one), mayManage && button("Unblock", async () => {
        await ask("shareUnblock", { share: reference, person: one.user });
        await done("They can ask again.");
      }, { "aria-label": "Unblock " + person(one) })))));
}

/** An offer of the ownership, for the owner and the person with the offer. */
function offer(value, users, isOwner, done) {
  const answer = (word, text) => async () => {
    await ask("shareTransfer", { share: { id: value.id }, answer: word });
    await done(text);
  };
  const title = visible(value.title);
  if (isOwner) {
    return el("p", { class: "row" }, ["The ownership is offered to ", who(value.offeredTo)],
      button("Withdraw", answer("decline", "The offer was withdrawn."),
        { "aria-label": "Withdraw the offer of " + title }));
  }
  const isMine = users.some((user) => user.isMe && user.user === value.offeredTo.user);
  return isMine && el("p", { class: "row" }, [who(value.owner), " offers you the ownership"],
    button("Accept", answer("accept", "You own it now."),
      { class: "main", "aria-label": "Accept the ownership of " + title }),
    button("Decline", answer("decline", "The offer was declined."),
      { "aria-label": "Decline the ownership of " + title }));
}

/** Every way to get into a share without being invited by name. */
function links(value, mayManage, waiting, done) {
  const reference = { id: value.id };
  const isOpen = value.publicPermission !== "none";
  const guests = value.participants.filter((one) => one.role === "by-link" && one.user);
  const rows = value.links.map((one) => [["One-time link ", el("code", {}, one.id.slice(0, 8))],
    permissions[one.permission], "once", one.expires ? time(one.expires) : "never", "nobody yet",
    button("Revoke", async () => {
      await ask("shareUninvite", { share: reference, invited: one.id });
      await done("The link was revoked.");
    }, { "aria-label": "Revoke the link " + one.id.slice(0, 8) })]);
  if (isOpen) {
    rows.push(["Link for anyone", permissions[value.publicPermission], "any number of times",
      "when you turn it off", guests.length === 0 ? "nobody yet"
        : guests.slice(0, 3).map((one, index) => [index > 0 && ", ", who(one)]).concat(
          guests.length > 3 ? `, and ${guests.length - 3} more` : []),
      button("Show the link", async () => {
        const reply = await ask("shareLink", { share: reference });
        await tell("Link for anyone", link("The link", reply.link));
      }, { "aria-label": "Show the link to " + visible(value.title) })]);
  }
  if (value.takesRequests) {
    rows.push(["Requests for access", "you decide", "anyone with a link", "when you refuse them",
      waiting > 0 ? count(waiting, "person waits", "people wait") : "nobody waits", ""]);
  }
  return rows.length > 0 && mayManage && table("Links", [["Link"], ["Access"], ["Uses"], ["Expires"],
    ["Used by"], ["Actions", "act"]], rows);
}

function participants(value, users, mayManage, isOwner, done, state) {
  const reference = { id: value.id };
  const order = { owner: 0, administrator: 1 };
  // A link that nobody used yet is in the table of links.
  const people = value.participants.filter((one) => !one.link || one.user).sort((left, right) =>
    (order[left.role] ?? 2) - (order[right.role] ?? 2) || byName(left, right));
  return folded("People in this share", [["Person"], ["Role"], ["Access"], ["Status"],
    ["Actions", "act"]], people, (one) => {
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
          onchange: change("shareSetPermission", "permission", "The permission is changed.") })
          : permissions[one.permission],
        [accepted[one.acceptance], sureness(one) && `, ${sureness(one)}`],
        isOther && [one.acceptance === "pending"
          ? button("Revoke", async () => {
            await ask("shareUninvite", { share: reference, invited: id });
            await done("The invitation was revoked.");
          }, { "aria-label": "Revoke the invitation of " + label })
          : button("Remove…", () => removing(value, one, label, done),
            { class: "danger", "aria-label": "Remove " + label }),
        isOwner && one.acceptance === "accepted" && button("Make owner…", async () => {
          const isMeant = await confirm("Offer them the ownership?", [[apart(label), " owns ",
            said(value.title), " once they accept, with its limit and its participants, and only they "
              + "can give it back. You stay as a participant who can edit."]], "Offer");
          if (!isMeant) return;
          await ask("shareTransfer", { share: reference, person: id });
          await done("The offer waits for an answer.");
        }, { "aria-label": "Make " + label + " the owner" })]];
    }, state);
}

async function removing(value, one, label, done) {
  const isMeant = await confirm(["Remove ", apart(label), "?"], [
    [apart(label), " loses ", said(value.title), ": the folder is removed from their devices in seconds."
      + " Edits that they hadn't sent are kept there."],
    "They can't read later changes. They may have copied what they read before.",
    value.links.length > 0 && "Links for anyone stop working; create a new one.",
  ], "Remove");
  if (!isMeant) return;
  await ask("shareRemove", { share: { id: value.id }, person: one.user ?? one.handle });
  await done(`${label} was removed.`);
}

async function leave(value, done) {
  const keepCopy = await dialog("Leave this share?", (close) => [
    el("p", {}, "You leave ", said(value.title), " on all your devices. To come back, you need a new "
      + "invitation."),
    el("div", { class: "row" },
      el("button", { type: "button", autofocus: true, onclick: () => close() }, "Cancel"),
      el("button", { type: "button", onclick: () => close(true) }, "Leave, and keep the files"),
      el("button", { type: "button", class: "danger", onclick: () => close(false) },
        "Leave, and remove the folder")),
  ]);
  if (keepCopy === undefined) return;
  const left = await ask("shareLeave", { share: { id: value.id }, keepCopy });
  await done(left.kept ? "You left; the files stay." : "You left.");
}

async function ways(value, isOwner) {
  const policy = await ask("sharePolicy", { share: { id: value.id } });
  const access = { any: "named people, or anyone with the link", anyone: "anyone with the link",
    named: "named people only" };
  await tell("Permissions", el("dl", {}, value.participants.filter((one) => !one.link || one.user).map((one) => [
    el("dt", {}, who(one)),
    el("dd", {}, `${permissions[one.permission]}; sees everything in the folder, and who is in it`,
      ["owner", "administrator"].includes(one.role) && "; invites, removes and sets permissions"),
  ])), el("p", {}, `This share lets in ${access[policy.access] ?? policy.access}. Participants `,
    policy.participantsInvite ? "can invite others." : "can't invite others."),
  isOwner && form([
    field("Lets in", choice(Object.entries(access), policy.access, { name: "access" })),
    el("label", { class: "inline" }, el("input", { type: "checkbox", name: "invite",
      checked: policy.participantsInvite }), "Participants can invite"),
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
    // A handle that several people claim has the same code.
    if (!(error instanceof ControlError) || error.code !== "participantMayNeedVerification"
      || !error.remedy.includes("--unverified")) throw error;
    const isMeant = await confirm("Are you sure who that is?", [sentence(error.message),
      "Compare numbers with them first, if you can: Verify, in the list of people."],
    "Continue");
    return isMeant ? act(true) : undefined;
  }
}

const pastOf = (past) => past && (past.versions > 0 || past.deleted > 0) && el("p", {},
  `They can also read the history: ${count(past.versions, "earlier version", "earlier versions")}, and `
  + `${count(past.deleted, "deleted file", "deleted files")}.`);

function inviting(reference, users, groups, again) {
  const list = "people-" + reference.id;
  const handle = el("input", { required: true, list, autocomplete: "off" });
  const permission = choice([["", "can edit, or as before"], ...granted], "");
  const end = choice(days, "");
  return form([
    field("Handle", handle),
    el("datalist", { id: list }, users.filter((user) => !user.isMe).map((user) =>
      el("option", { value: user.handle }, visible(user.name))), groups.map((group) =>
      el("option", { value: "@" + visible(group.name) }, count(group.members.length, "person", "people")))),
    field("Access", permission), field("Access ends", end),
  ], "Invite", async () => {
    const people = handle.value.trim().split(/[\s,]+/);
    const reply = await sure((unverified) => ask("shareInvite", {
      share: reference, people, permission: permission.value || undefined, unverified,
      until: inDays(end.value) || undefined }));
    if (!reply) return;
    handle.value = "";
    await told(reply);
    await again();
  });
}

const days = [["", "never"], ["1", "in a day"], ["7", "in a week"], ["30", "in 30 days"]];
const inDays = (text) => text && new Date(Date.now() + Number(text) * 86400000).toISOString();

function linking(reference, again) {
  const permission = choice(granted, "read-write");
  const until = choice(days, "7");
  return form([field("Access", permission), field("Expires", until)],
    "Create one-time link", async () => {
      const reply = await ask("shareInviteLink", { share: reference, permission: permission.value,
        expires: inDays(until.value) || undefined });
      await tell("One-time link", el("p", {}, "The first person who opens it joins. Then it stops "
        + "working."), pastOf(reply.past), link("The link", reply.link));
      await again();
    });
}

/** Link sharing. */
function opening(value, done) {
  const reference = { id: value.id };
  const permission = choice([["none", "off"], ["read-only", "can view"],
    ["read-write", "can edit"]], value.publicPermission);
  return form([field("Anyone with the link", permission)], "Change", async () => {
    const request = { share: reference, permission: permission.value };
    try { await ask("shareSetPublic", { ...request, confirmed: false }); } catch (error) {
      if (!(error instanceof ControlError)) throw error;
      const isMeant = await confirm("People lose access. Continue?",
        [sentence(error.message), sentence(error.remedy)], "Continue");
      if (!isMeant) return;
      await ask("shareSetPublic", { ...request, confirmed: true });
    }
    await done("Link sharing is changed.");
  });
}

/** Lets a person choose a folder, and share it with others in one step. */
export async function shareFolder(context) {
  const path = await pick("Share a folder", "Choose", context);
  if (!path) return;
  const isSynced = context.status.mounts.some((mount) => isSame(mount.path, path));
  const [plan, { items }] = await Promise.all([isSynced ? undefined
    : ask("add", { path, dryRun: true }).catch((error) => {
      if (error.confirm !== "sensitive") throw error;
    }), ask("userList")]);
  const call = el("input", { required: true, value: visible(lastName(path)), maxlength: "255" });
  const people = el("input", { list: "invited", autocomplete: "off", placeholder: "bob, carla" });
  const permission = choice(granted, "read-write");
  let shared;
  const invited = await dialog(["Share ", name(lastName(path))], (close) => [
    plan && el("p", {}, `${count(plan.files, "file", "files")}, `
      + `${count(plan.directories, "folder", "folders")}, ${size(plan.bytes)}. Only the people that you `
      + "invite can read it."),
    form([field("Title", call), el("datalist", { id: "invited" }, items.filter((user) => !user.isMe)
      .map((user) => el("option", { value: user.handle }, visible(user.name)))),
    field("Invite (handles)", people), field("Access", permission)], "Share", async () => {
      shared ??= await create(path, call.value.trim());
      const handles = people.value.trim().split(/[\s,]+/).filter(Boolean);
      if (!shared || handles.length === 0) return close();
      close(await sure((unverified) => ask("shareInvite", { share: { id: shared.id }, people: handles,
        permission: permission.value, unverified })));
    }),
    el("div", { class: "row" }, el("button", { type: "button", onclick: () => close() }, "Cancel"))]);
  if (!shared) return;
  if (invited) await told(invited);
  else say(`${visible(shared.title)} is shared. Now invite people.`);
  context.go("people", { path: shared.path ?? path });
}

/** Shares a folder; asks again where secrets are in it. */
async function create(path, title) {
  const request = { paths: [path], title: title || undefined };
  try { return (await ask("shareCreate", request)).share; } catch (error) {
    if (error.confirm !== "sensitive") throw error;
    if (!await confirm("Share it although it holds secrets?", [sentence(error.message)], "Share it")) {
      return undefined;
    }
    return (await ask("shareCreate", { ...request, sensitive: true })).share;
  }
}

/** Says who was invited, and shows the link. */
const told = (reply) => tell("Invited",
  el("p", {}, reply.invited.map((one, index) => [index > 0 && ", ", who(one), ": ",
    permissions[one.permission],
    one.formerPermission && ` (before: ${permissions[one.formerPermission]})`]), ". ", reply.delivered && "They also find the invitation in their console."),
  reply.warning && el("p", { class: "warn" }, sentence(reply.warning)), pastOf(reply.past),
  link("The link, to send to them", reply.link));

// MARK: Being let in

async function accept(text, context) {
  const offer = await ask("shareOffer", { invitation: text });
  const at = el("input", { size: "40", placeholder: visible(offer.at) });
  const isMeant = await dialog(offer.isAccepted ? "You have this" : "Accept this?", (close) => [
    terms([["Title", said(offer.title)], ["From", [who(offer.from), sureness(offer.from)
      && `, ${sureness(offer.from)}`]], ["Owner", who(offer.owner)],
    ["You", permissions[offer.permission]], ["Content", `${count(offer.amount.files, "file", "files")}, `
      + `${count(offer.amount.directories, "folder", "folders")}, ${size(offer.amount.bytes)}`],
    ["Folder", name(offer.at)]]),
    offer.warning && el("p", { class: "warn", role: "alert" }, sentence(offer.warning)),
    !offer.isAccepted && field("Another folder (new or empty)", at),
    el("div", { class: "row" },
      el("button", { type: "button", onclick: () => close(false) }, "Cancel"),
      !offer.isAccepted && el("button", { type: "button", class: offer.warning ? "danger" : "main",
        autofocus: true, onclick: () => close(true) },
      offer.warning ? "Accept all the same" : "Accept")),
  ]);
  if (!isMeant) return;
  const reply = await ask("shareAccept", { invitation: text, at: at.value || undefined, wait: false,
    unverified: Boolean(offer.warning) });
  say(`${visible(reply.share.title)} is at ${visible(reply.mount.path)}; its files arrive now.`);
  context.go("folders");
}

export const invitation = (value, context, again) => el("p", { class: "row spread" },
  el("span", {}, who(value.from), " invites you to ", said(value.title), ` (`
    + `${permissions[value.permission]}), `, moment(value.time)),
  el("span", { class: "row" }, button("Show…", () => accept(value.id, context), { class: "main",
    "aria-label": "Show the invitation to " + visible(value.title) }),
  button("Decline", async () => {
    await ask("shareDecline", { invitation: value.id });
    say(`You declined ${visible(value.title)}. They can invite you again.`);
    await again();
  }, { "aria-label": "Decline the invitation to " + visible(value.title) })));

function byLink(context) {
  const link = el("input", { required: true, size: "40", autocomplete: "off" });
  const words = el("input", { size: "40" });
  return el("section", { class: "card" }, el("h2", {}, "You have a link"),
    form([field("Link", link)], "Show share", async () => {
      await accept(link.value.trim(), context);
    }),
    el("p", {}, "Link no longer works? Ask the owner for access."),
    el("div", { class: "row end" }, field("Message to the owner", words),
    button("Ask for access", async () => {
      const reply = await ask("shareRequest", { links: [link.value.trim()], message: words.value });
      const error = reply.outcomes[0]?.error;
      if (error) throw new ControlError(error);
      words.value = "";
      say("Asked. You get an invitation if they agree.");
    })));
}

function request(value, again) {
  const permission = choice(granted, "read-only", { "aria-label": "Access" });
  const act = (operation, text) => async () => {
    await ask(operation, { share: { id: value.share }, person: value.from.user });
    say(text);
    await again();
  };
  const asking = person(value.from);
  return el("div", { class: "row" }, el("span", {}, apart(asking), " asks for ", said(value.title),
    ", ", moment(value.time), value.text && [": ", said(value.text)]), permission,
  button("Approve", async () => {
    const reply = await sure((unverified) => ask("shareApprove", { share: { id: value.share },
      person: value.from.user, permission: permission.value, unverified }));
    if (reply) { say("Invited."); await again(); }
  }, { class: "main", "aria-label": "Approve " + asking }),
  button("Deny", act("shareDeny", "Denied."), { "aria-label": "Deny " + asking }),
  button("Block", act("shareBlock", "They are blocked."), { "aria-label": "Block " + asking }));
}

// MARK: What somebody can see

/** Every share of mine that a person is in, and a button that ends all of it. */
async function access(user, again) {
  const reply = await ask("userShow", { user: user.user });
  await dialog(["Access of ", who(user)], (close) => [
    reply.shares.length === 0 ? el("p", {}, "They are in none of your shares.")
      : table("Shares of yours", [["Share"], ["Access"], ["Status"], ["Ends"]], reply.shares.map((one) => [
        said(one.title), permissions[one.permission], accepted[one.acceptance],
        one.until ? time(one.until) : "never"])),
    reply.groups.length > 0 && el("p", {}, "Groups: ", reply.groups.map((one, index) =>
      [index > 0 && ", ", "@", said(one)])),
    reply.anyone.length > 0 && el("p", { class: "soft" }, "Anyone with the link can open ",
      reply.anyone.map((one, index) => [index > 0 && ", ", said(one.title)]), ", maybe they, too."),
    el("div", { class: "row" },
      reply.shares.length + reply.groups.length > 0 && button("Remove from all shares…", async () => {
        const isMeant = await confirm(["Remove ", who(user), " from everything?"], [
          "They lose all of your shares and leave your groups. The folders are removed from their "
            + "devices in seconds. They may have copied what they read before.",
          reply.anyone.length > 0 && "Links for anyone stay. Turn them off in the share."], "Remove");
        if (!isMeant) return;
        const done = await ask("userRemove", { user: user.user });
        say(done.missed.length > 0 ? `${count(done.missed.length, "share", "shares")} can't be changed now. `
          + "Repeat it later." : `Removed from ${count(done.shares.length, "share", "shares")}.`);
        close();
        await again();
      }, { class: "danger" }),
      el("button", { type: "button", onclick: () => close() }, "Close")),
  ]);
}

// MARK: Who somebody is

async function verify(user, again) {
  const reply = await ask("userVerify", { user: user.user, act: "show" });
  const digits = el("input", { required: true, inputmode: "numeric", size: "40" });
  await dialog(["Is it really ", who(user), "?"], (close) => [
    el("p", {}, "Compare this number with theirs on the phone, not through the container. If both are "
      + "equal, no one impersonates either of you."),
    el("p", { class: "number60" }, reply.number),
    form([field("The number that they read to you", digits)], "It is the same", async () => {
      await ask("userVerify", { user: user.user, act: "match", number: digits.value });
      say("Verified.");
      close();
      await again();
    }),
    el("div", { class: "row" },
      user.verification === "changed" && button("Accept the change", async () => {
        await ask("userVerify", { user: user.user, act: "acknowledge" });
        close();
        await again();
      }),
      user.verification === "verified" && button("Forget verification", async () => {
        await ask("userVerify", { user: user.user, act: "forget" });
        close();
        await again();
      }),
      el("button", { type: "button", onclick: () => close() }, "Close")),
  ]);
}
