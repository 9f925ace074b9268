"""A headless Chromium, controlled by messages of its DevTools protocol over two pipes."""

import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

COMMAND = os.environ.get("CHROMIUM", "chromium")
# The content of a page of DocC, as soon as it has a heading and has loaded its images; null after 30 seconds.
CONTENT = """(async () => {
    const end = Date.now() + 30000;
    const heading = () => document.querySelector("main h1, .not-found, .server-error");
    const loading = () => [...document.images].some((image) => !image.complete);
    while (!heading()?.innerText.trim() || loading()) {
        if (Date.now() > end) return null;
        await new Promise((done) => setTimeout(done, 20));
    }
    return {
        title: document.title,
        heading: heading().innerText.trim(),
        isMissing: Boolean(document.querySelector(".not-found, .server-error")),
        links: [...document.querySelectorAll("a[href]")].map((link) => link.href),
        anchors: [...document.querySelectorAll("[id]")].map((each) => each.id),
        brokenImages: [...document.images].filter((image) => !image.naturalWidth).map((image) => image.src),
    };
})()"""


def is_installed():
    return shutil.which(COMMAND) is not None


class Moved(Exception):
    """The page has led to another one."""


class Browser:
    """A browser with one tab, ended at the end of a `with` statement."""

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        pipes = [*os.pipe(), *os.pipe()]
        # The browser reads from 3 and writes to 4: its ends must not be in the way.
        reading, self.output, self.input, writing = [fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, 10) for each in pipes]
        for each in pipes:
            os.close(each)
        self.process = subprocess.Popen(
            [COMMAND, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-extensions", "--window-size=1400,1000", f"--user-data-dir={self.profile.name}",
             "--remote-debugging-pipe"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=(3, 4),
            preexec_fn=lambda: (os.dup2(reading, 3), os.dup2(writing, 4)))
        os.close(reading)
        os.close(writing)
        self.count = 0
        self.rest = b""
        self.events = []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.profile.cleanup()

    def messages(self, end):
        """The messages that have arrived, at least one."""
        while b"\0" not in self.rest:
            if not select.select([self.input], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("Chromium does not answer")
            part = os.read(self.input, 1 << 20)
            if not part:
                raise RuntimeError("Chromium has ended")
            self.rest += part
        *complete, self.rest = self.rest.split(b"\0")
        return [json.loads(each) for each in complete]

    def call(self, method, **parameters):
        """Calls a method of the protocol; events that arrive meanwhile are kept."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + 60
        while True:
            replies = self.messages(end)
            self.events += [each for each in replies if "method" in each]
            for reply in replies:
                if reply.get("id") != self.count:
                    continue
                if "navigated" in reply.get("error", {}).get("message", ""):
                    raise Moved
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']['message']}")
                return reply["result"]

    def open(self, address):
        """Opens a page; what it shows, or nothing, and the errors in the console."""
        self.call("Page.navigate", url="about:blank")
        self.events = []
        self.call("Page.navigate", url=address)
        while True:
            try:
                content = self.call("Runtime.evaluate", expression=CONTENT, awaitPromise=True, returnByValue=True)
                return content["result"].get("value"), list(self.complaints())
            except Moved:
                continue

    def complaints(self):
        for event in self.events:
            parameters = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                yield details.get("exception", {}).get("description", details["text"])
            elif event["method"] == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert"):
                yield " ".join(str(each.get("value", each.get("description"))) for each in parameters["args"])
            elif event["method"] == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                yield f"{parameters['entry']['text']} {parameters['entry'].get('url', '')}"
