// SPDX-License-Identifier: Apache-2.0
#include "CairnConsolePage.h"

// `#embed` is from C23; clang has it in every dialect.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char console_html[] = {
#embed "../CairnConsole/Page/console.html"
};
static const unsigned char console_css[] = {
#embed "../CairnConsole/Page/console.css"
};
static const unsigned char icon_svg[] = {
#embed "../CairnConsole/Page/icon.svg"
};
static const unsigned char activity_js[] = {
#embed "../CairnConsole/Page/activity.js"
};
static const unsigned char advanced_js[] = {
#embed "../CairnConsole/Page/advanced.js"
};
static const unsigned char compare_js[] = {
#embed "../CairnConsole/Page/compare.js"
};
static const unsigned char console_js[] = {
#embed "../CairnConsole/Page/console.js"
};
static const unsigned char control_js[] = {
#embed "../CairnConsole/Page/control.js"
};
static const unsigned char devices_js[] = {
#embed "../CairnConsole/Page/devices.js"
};
static const unsigned char drops_js[] = {
#embed "../CairnConsole/Page/drops.js"
};
static const unsigned char elements_js[] = {
#embed "../CairnConsole/Page/elements.js"
};
static const unsigned char files_js[] = {
#embed "../CairnConsole/Page/files.js"
};
static const unsigned char folders_js[] = {
#embed "../CairnConsole/Page/folders.js"
};
static const unsigned char groups_js[] = {
#embed "../CairnConsole/Page/groups.js"
};
static const unsigned char past_js[] = {
#embed "../CairnConsole/Page/past.js"
};
static const unsigned char picker_js[] = {
#embed "../CairnConsole/Page/picker.js"
};
static const unsigned char people_js[] = {
#embed "../CairnConsole/Page/people.js"
};
static const unsigned char select_js[] = {
#embed "../CairnConsole/Page/select.js"
};
static const unsigned char settings_js[] = {
#embed "../CairnConsole/Page/settings.js"
};
static const unsigned char storage_js[] = {
#embed "../CairnConsole/Page/storage.js"
};
static const unsigned char successors_js[] = {
#embed "../CairnConsole/Page/successors.js"
};
static const unsigned char traffic_js[] = {
#embed "../CairnConsole/Page/traffic.js"
};
static const unsigned char trouble_js[] = {
#embed "../CairnConsole/Page/trouble.js"
};
static const unsigned char words_js[] = {
#embed "../CairnConsole/Page/words.js"
};

#define FILE(name, bytes) {name, bytes, sizeof(bytes)}
static const cairn_page_file files[] = {
    FILE("console.html", console_html),
    FILE("console.css", console_css),
    FILE("icon.svg", icon_svg),
    FILE("activity.js", activity_js),
    FILE("advanced.js", advanced_js),
    FILE("compare.js", compare_js),
    FILE("console.js", console_js),
    FILE("control.js", control_js),
    FILE("devices.js", devices_js),
    FILE("drops.js", drops_js),
    FILE("elements.js", elements_js),
    FILE("files.js", files_js),
    FILE("folders.js", folders_js),
    FILE("groups.js", groups_js),
    FILE("past.js", past_js),
    FILE("picker.js", picker_js),
    FILE("people.js", people_js),
    FILE("select.js", select_js),
    FILE("settings.js", settings_js),
    FILE("storage.js", storage_js),
    FILE("successors.js", successors_js),
    FILE("traffic.js", traffic_js),
    FILE("trouble.js", trouble_js),
    FILE("words.js", words_js),
};
#undef FILE

const cairn_page_file *cairn_page_files(size_t *count) {
  *count = sizeof(files) / sizeof(files[0]);
  return files;
}
