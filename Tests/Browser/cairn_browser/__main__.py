"""Plays the browser's cases, and prints one line for each."""

import argparse
import os
import sys
import time
import traceback

from playwright.sync_api import Error, sync_playwright

from . import access, own, pictures, sentences, sharing, story, strangers, trouble
from .world import Failure

PLAYS = {play.__name__: play for module in (story, sentences, sharing, own, trouble, access, strangers) for play in module.PLAYS}


def main():
    parser = argparse.ArgumentParser(prog="Tests/Browser/run")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--pictures", metavar="DIR")
    parser.add_argument("--views", metavar="DIR")
    asked = parser.parse_args()
    if asked.list:
        for name, play in PLAYS.items():
            print(f"{name:28}{play.__doc__}")
        return 0
    unknown = [name for name in asked.names if name not in PLAYS]
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}; --list says what there is")
    failed = 0
    with sync_playwright() as playwright:
        # Root can't have the browser's own sandbox.
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=options)
        for folder, act in ((asked.pictures, pictures.draw), (asked.views, pictures.views)):
            if folder:
                act(browser, folder)
                return 0
        for name in asked.names or PLAYS:
            began = time.monotonic()
            try:
                PLAYS[name](browser)
                result = "passed"
            except (Failure, Error) as error:
                failed += 1
                result = "FAILED"
                traceback.print_exception(error, limit=-6)
            print(f"{result}  {name:28}{PLAYS[name].__doc__}  ({time.monotonic() - began:.1f} s)", flush=True)
        browser.close()
    return 1 if failed else 0


sys.exit(main())
