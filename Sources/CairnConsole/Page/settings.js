// Settings: this device, notifications, bandwidth and pauses.

import { ask } from "./control.js";
import { button, el, field, form, name, said, say, show, terms, who } from "./elements.js";
import { rename } from "./devices.js";
import { pausingAll, traffic } from "./traffic.js";
import { size } from "./words.js";

export const title = "Settings";

const METERED = "metered";

const mega = (rate) => rate === undefined ? "" : rate / 1e6;
const rate = (input) => input.value === "" ? 0 : Math.round(Number(input.value) * 1e6);

export async function open(place, context) {
  const [about, settings, pause] = [el("div", {}), el("div", {}), el("div", {})];
  show(place, about, settings, pause);

  function own() {
    const { account } = context.status;
    show(about, account && el("section", { class: "card" }, el("h2", {}, "This device"),
      terms([["You", who(account)], ["Device", said(account.deviceName)],
        ["Storage", name(context.status.container.path)]]),
      button("Rename this device…", async () => {
        await rename({ device: account.device, name: account.deviceName });
        await context.look();
        own();
      })));
    show(pause, el("section", { class: "card" }, el("h2", {}, "Pause"), traffic(context.status.container.traffic),
      !context.status.container.traffic?.paused && pausingAll()));
  }

  async function look() {
    const reply = await ask("settings");
    const notices = el("input", { type: "checkbox", checked: reply.notifications });
    const limit = (value) => el("input", { type: "number", min: "0.002", max: "8000", step: "any",
      value: mega(value) });
    const [up, down] = [limit(reply.uploadLimit), limit(reply.downloadLimit)];
    const hours = el("input", { placeholder: "08:00-18:00", size: "16",
      value: reply.limitWhen.filter((text) => text !== METERED).join(", ") });
    const metered = el("input", { type: "checkbox", checked: reply.limitWhen.includes(METERED) });
    const times = () => [...hours.value.split(",").map((text) => text.trim()).filter(Boolean),
      ...metered.checked ? [METERED] : []];
    show(settings, el("section", { class: "card" }, el("h2", {}, "Notifications"),
      el("label", { class: "inline" }, notices, "Show notifications on the desktop"),
      el("p", { class: "soft" }, "They tell you about invitations, conflicts and lasting problems.")),
    el("section", { class: "card" }, el("h2", {}, "Bandwidth"),
      el("p", { class: "soft" }, "Limits in megabytes per second; empty for no limit. "
        + "They apply at all times, unless you give hours or choose metered connections."),
      form([field("Upload", up), field("Download", down), field("Hours", hours),
        el("label", { class: "inline" }, metered, "On metered connections")], "Set limits", async () => {
        const { uploadLimit, downloadLimit, limitWhen } = await ask("settings",
          { uploadLimit: rate(up), downloadLimit: rate(down), limitWhen: times() });
        const words = (value) => value === undefined ? "no limit" : `${size(value)}/s`;
        const when = limitWhen.map((text) => text === METERED ? "on metered connections" : text);
        say(`Upload: ${words(uploadLimit)}. Download: ${words(downloadLimit)}.`
          + (when.length ? ` Times: ${when.join(", ")}.` : ""));
      })),
    el("p", { class: "soft" }, "Other settings are in ", name(reply.file), "; cairn.conf(5) describes them."));
    notices.addEventListener("change", async () => {
      await ask("settings", { notifications: notices.checked });
      say(notices.checked ? "Notifications are on." : "Notifications are off.");
    });
  }

  own();
  await look();
  return { changed: own };
}
