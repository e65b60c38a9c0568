// Devices: this person's machines; adding, renaming and revoking one.

import { ask } from "./control.js";
import {
  button, code, confirm, copyable, dialog, el, field, form, name, renew, said, say, show,
  table, tell, who,
} from "./elements.js";
import { count, sentence, time, visible } from "./words.js";

export const title = "Devices";

export async function open(place) {
  const list = el("div", {});
  show(place, el("p", {}, "Each of your devices has keys of its own, and all of them see the same folders. "
    + "A new device gets your folders by itself. If a device is lost or stolen, revoke it here."),
  button("Add a device…", async () => {
    await add();
    await look();
  }, { class: "main" }), list);

  async function look() {
    const { devices } = await ask("deviceList");
    renew(list, table("Your devices", [["Device"], ["Id"], ["Status"], ["Actions", "act"]],
      [...devices].sort(inOrder).map((device) => [[said(device.name), device.isThis && " (this one)",
        device.isRecovery && " (recovery sheet)"],
        el("code", {}, device.device.slice(0, 12)), device.isActive ? "in use" : "revoked",
        device.isActive && [
          button("Rename…", async () => {
            await rename(device);
            await look();
          }, { "aria-label": "Rename " + visible(device.name) }),
          !device.isThis && button("Revoke…", async () => {
            await revoke(device);
            await look();
          }, { class: "danger", "aria-label": "Revoke " + visible(device.name) })]])));
  }

  await look();
  return { changed: look };
}

/** The order of devices: this one, the other active ones, the revoked ones. */
const inOrder = (left, right) => right.isThis - left.isThis || right.isActive - left.isActive
  || visible(left.name).localeCompare(visible(right.name));

/** Shows a code that lets a device in. */
async function add() {
  const isMeant = await confirm("Add a device?", ["This makes a code for one new device. It is valid for ten "
    + "minutes.", "Anyone who gets the code in that time can become you. Carry it over yourself, and keep "
    + "this device running until the other one has joined."], "Make a code", "main");
  if (!isMeant) return;
  const reply = await ask("deviceLink");
  const picture = await code(reply.code, "The code as a QR code");
  await tell("Add a device", el("p", {}, `On the new device, run this before ${time(reply.expires)}:`), el("pre", {}, "cairn device join CODE"),
  copyable("The code", reply.code), picture);
}

export async function rename(device) {
  const to = el("input", { required: true, value: device.name, maxlength: "255" });
  await dialog(["Rename ", said(device.name)], (close) => [
    el("p", {}, "Everybody in the container can see the name."),
    form([field("Name", to)], "Rename", async () => {
      await ask("deviceRename", { device: device.device, to: to.value.trim() });
      say("Renamed.");
      close();
    }),
    el("div", { class: "row" }, el("button", { type: "button", onclick: () => close() }, "Cancel")),
  ]);
}

/** Says what is lost, and revokes a device. */
async function revoke(device) {
  const isMeant = await confirm(["Revoke ", said(device.name), "?"], [
    "Do this if the device is lost, stolen or given away. It can't be undone: the device can only "
      + "join again as a new one.",
    "From then on it can't read new changes, and nothing that it writes has an effect. It keeps what it "
      + "has already received.",
    "All your folders get new keys. Your links stop working, so create new ones where you still need them. "
      + "People that the device verified have to be verified again.",
  ], "Revoke");
  if (!isMeant) return;
  const reply = await ask("deviceRevoke", { device: device.device });
  const folders = (number) => count(number, "folder", "folders");
  await tell([said(device.name), " is revoked"], el("p", {}, `${folders(reply.zones)} got new keys.`,
    reply.pending > 0 && ` ${folders(reply.pending)} get them when their owners' devices run.`,
    reply.links > 0 && ` ${count(reply.links, "link", "links")} stopped working.`),
  reply.devices.map((one) => el("p", { class: "warn" }, "It let in ", said(one.name),
    ", which is still a device of yours. Revoke that one too if it isn't.")),
  reply.guests.map((one) => el("p", { class: "warn" }, "It let ", who(one.person), " into ", said(one.title),
    one.isAdministrator && " as an administrator", ". Remove them under People if that wasn't you.")),
  reply.missed.map((one) => el("p", { class: "bad" }, name(one.title), " isn't done yet: ",
    sentence(one.reason), ". Revoke the device again later.")));
}
