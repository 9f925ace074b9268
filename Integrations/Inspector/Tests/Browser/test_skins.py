"""The demo with the inspector, in a pseudo terminal: python -m pytest test_skins.py"""

import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import termios
import time

import pytest

from browser import Browser, LIMIT, PROGRAM

SKINS = str(pathlib.Path(PROGRAM).with_name("InspectedSkins"))


class Terminal:
    """The demo on a terminal of its own, stopped at the end of a `with` statement."""

    def __init__(self, columns=120, rows=30):
        self.size = (rows, columns)
        self.output = ""

    def __enter__(self):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm-256color"
            os.execv(SKINS, [SKINS])
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *self.size, 0, 0))
        return self

    def __exit__(self, *_):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.terminal)

    def read(self, seconds=0.1):
        while select.select([self.terminal], [], [], seconds)[0]:
            try:
                data = os.read(self.terminal, 65536)
            except OSError:
                return
            if not data:
                return
            self.output += data.decode(errors="replace")

    def until(self, pattern):
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            found = re.search(pattern, self.output)
            if found:
                return found
            self.read()
        raise AssertionError(f"never printed: {pattern}\n{self.output[-2000:]!r}")

    def press(self, keys):
        os.write(self.terminal, keys.encode())

    def end(self):
        """The exit code, once the program has ended."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.pid = 0
                return os.waitstatus_to_exitcode(status)
        raise AssertionError("the demo does not end")


@pytest.fixture
def demo():
    with Terminal() as terminal:
        yield terminal


def test_the_address_is_printed_before_the_screen_and_shown_on_it(demo):
    found = demo.until(r"Inspector: (http://127\.0\.0\.1:\d+/[0-9a-f]{32}/)\s")
    assert "\x1b[?1049h" not in demo.output[:found.end()]
    address = found[1]
    demo.until("q quit")
    # On the screen the text may wrap, inside a frame.
    screen = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[│┌┐└┘─\s]", "", demo.output.split("\x1b[?1049h")[1])
    assert address in screen
    demo.press("q")
    assert demo.end() == 0


def test_a_key_on_the_terminal_is_a_post_and_a_switch_on_the_page(demo):
    address = demo.until(r"Inspector: (\S+)\s")[1]
    demo.until("q quit")
    with Browser() as browser:
        browser.shape()
        browser.open(address)
        browser.until("inspector.model.posts.length > 0")
        posts = ("inspector.model.posts.filter("
                 "(post) => inspector.model.strings[post.name] === 'theme.didChange').length")
        before = browser.run(posts)
        demo.press("2")
        browser.until(f"{posts} === {before + 1}")
        browser.driver.find_element("css selector", "#tabs [data-tab=themes]").click()
        browser.until("byId('themes').innerText.includes('Night')")
        demo.press("3")
        browser.until("byId('themes').innerText.includes('Ember')")
        assert browser.complaints() == []
        demo.press("q")
        assert demo.end() == 0
        browser.until("byId('status').innerText === 'Not connected'")
