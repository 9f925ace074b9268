"""A headless Chromium with a page of the inspector, and the program that serves it."""

import os
import pathlib
import subprocess
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("INSPECTED_MAIL", str(ROOT / ".build/debug/InspectedMail"))
# What takes so many seconds will not happen. No test asserts that something takes less time.
LIMIT = 300


def until(condition, what):
    """Waits until a condition is true, and returns its value."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"never true: {what}")


class Program:
    """The mail program with its inspector, stopped at the end of a `with` statement."""

    def __init__(self, *arguments):
        self.arguments = arguments

    def __enter__(self):
        self.process = subprocess.Popen(
            [PROGRAM, "--inspect", *self.arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        for line in self.process.stdout:
            if line.startswith("Inspector: "):
                self.url = line.split()[1]
                return self
        raise RuntimeError("the program ended before it served its page")

    def __exit__(self, *_):
        try:
            self.stop()
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise

    def stop(self):
        """Asks the program to stop, and returns its exit code."""
        self.process.terminate()
        return self.process.wait(timeout=LIMIT)


class Browser:
    """A browser whose size is set by device metrics: a window has a smallest width."""

    def __init__(self):
        options = Options()
        options.binary_location = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         "--hide-scrollbars", "--no-first-run", "--disable-extensions"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = Service(os.environ.get("CHROMEDRIVER", "/usr/bin/chromedriver"))
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_page_load_timeout(LIMIT)
        self.driver.set_script_timeout(LIMIT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def shape(self, width=1440, height=900, scheme="light", scale=1, motion="no-preference"):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": scale, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme},
                         {"name": "prefers-reduced-motion", "value": motion}]})

    def open(self, url):
        # A page whose program has gone complains until it is left.
        self.driver.get("about:blank")
        self.complaints()
        self.driver.get(url)

    def run(self, script, *arguments):
        return self.driver.execute_script(f"return ({script})", *arguments)

    def until(self, script):
        """Waits until an expression is true, and returns its value."""
        return until(lambda: self.run(script), script)

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def press(self, *keys):
        """Presses keys where the focus is."""
        self.driver.switch_to.active_element.send_keys(*keys)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
                "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1})

    def frame(self):
        """Waits until the page has drawn what it knows."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));")

    def complaints(self):
        """Errors and warnings of the console since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] in ("SEVERE", "WARNING")]

    def listen(self):
        """Keeps the texts that the page draws on canvases, in `drawnTexts`, by the id of the canvas."""
        self.run("""(() => {
            window.drawnTexts = {};
            const write = CanvasRenderingContext2D.prototype.fillText;
            CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
                (drawnTexts[this.canvas.id] ||= new Set()).add(text);
                return write.call(this, text, ...rest);
            };
            inspector.drawn = {};
            inspector.lastOverview = -Infinity;
        })()""")
        self.frame()

    def texts(self, canvas):
        return self.run("[...(drawnTexts[arguments[0]] || [])]", canvas)

    def picture(self, path):
        self.driver.save_screenshot(str(path))
