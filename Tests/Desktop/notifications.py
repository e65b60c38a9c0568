"""A server for notifications on a bus. It accepts the calls of org.freedesktop.Notifications, and writes
each notification as a line of JSON to the file in its argument. If there is a file with this name and
`.choose`, the notification is clicked at once. The server ends with the bus.
"""

import json
import os
import sys

from jeepney import DBusAddress, MessageType, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

NAME = "org.freedesktop.Notifications"
HERE = DBusAddress("/org/freedesktop/Notifications", interface=NAME)


def main(place):
    bus = open_dbus_connection("SESSION")
    bus.send_and_get_reply(message_bus.RequestName(NAME))
    number = 0
    with open(place, "a", encoding="utf-8") as file:
        print("ready", flush=True)
        while True:
            call = bus.receive()
            if call.header.message_type != MessageType.method_call:
                continue
            member = call.header.fields[3]
            if member == "GetCapabilities":
                words = ["body", "actions", "body-markup"]
                bus.send(new_method_return(call, "as", (words,)))
            if member != "Notify":
                continue
            number += 1
            _, _, icon, title, text, actions, hints, _ = call.body
            bus.send(new_method_return(call, "u", (number,)))
            file.write(json.dumps({
                "icon": icon, "title": title, "text": text, "actions": actions,
                "urgency": hints["urgency"][1]}) + "\n")
            file.flush()
            if os.path.exists(place + ".choose"):
                bus.send(new_signal(HERE, "ActionInvoked", "us", (number, "default")))
                bus.send(new_signal(HERE, "NotificationClosed", "uu", (number, 2)))


try:
    main(*sys.argv[1:])
except (ConnectionResetError, EOFError, BrokenPipeError):
    pass
