"""Takes pictures of the page to look at: pictures.py FOLDER [SCENE…]

The scene `readme` is not among those taken by default: it is timeline.png, the picture of README.md.
"""

import pathlib
import sys
import time

from browser import Browser, Program
from stage import MS, Stage, Trace, observer, observers

SCENES = {"usual": [], "empty": ["--quiet"], "busy": ["--busy"], "failing": ["--fail"], "leak": ["--leak"]}
README = ["--fail"]
TABS = ("timeline", "observers", "launch", "services", "themes")
CHOOSE = """(() => {
    inspector.select("timeline");
    const posts = inspector.model.posts.filter((post) => post.calls.length > 0);
    const post = posts.findLast((post) => post.failed) || posts.findLast((post) => post.slow) || posts.at(-3);
    if (post) inspector.choose(post, true);
    return post !== undefined;
})()"""

# A post one of whose handlers failed while a handler on another actor was slow.
CHOOSE_FOR_README = """(() => {
    const slow = [...inspector.model.posts.flatMap((post) => post.calls)].filter(isSlow);
    const post = inspector.model.posts.find((post) => post.failed && post.calls.length > 1 && post.children.length
        && slow.some((call) => call.t0 < post.t0 && call.t1 > post.t0 + 2 * inspector.model.took(post)));
    if (post) inspector.choose(post, true);
    return post !== undefined;
})()"""


def shoot(browser, folder, scene):
    """The page in both schemes and widths, with every tab, and with a chosen post."""
    for scheme in ("light", "dark"):
        for width in (1440, 800):
            browser.shape(width, 900, scheme)
            for tab in TABS:
                browser.run("inspector.select(arguments[0])", tab)
                time.sleep(0.3)
                browser.picture(folder / f"{scene}-{tab}-{scheme}-{width}.png")
            if browser.run(CHOOSE):
                time.sleep(0.3)
                browser.picture(folder / f"{scene}-detail-{scheme}-{width}.png")
                browser.run("inspector.toggleLive()")
    for complaint in browser.complaints():
        print(f"{scene}: {complaint}")


def shoot_for_readme(browser, folder):
    """The timeline with a chosen post, after enough posts to fill the lists."""
    browser.shape(1440, 900, "light", scale=1.4)
    browser.until("inspector.model.posts.length > 800")
    browser.until(CHOOSE_FOR_README)
    # Until the lists, which are drawn a few times a second, show the same.
    time.sleep(1)
    browser.picture(folder / "timeline.png")


def crowd():
    """Sixty actors that answer each other."""
    trace = Trace()
    for number in range(1, 901):
        trace.post(number, number * 5 * MS, f"job.step{number % 12}", f"App/Pool.swift:{number % 40}", f"Worker {number % 60}", 30 * MS,
                   calls=[(f"App/Sink.swift:{number % 9}", f"Worker {number * 7 % 60}", 3 * MS, (1 + number % 25) * MS)])
    return trace


def main(folder, scenes):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with Browser() as browser:
        for scene in scenes or [*SCENES, "crowd"]:
            with Program(*(README if scene == "readme" else SCENES.get(scene, []))) as program:
                browser.shape()
                if scene == "readme":
                    browser.open(program.url)
                    shoot_for_readme(browser, folder)
                    continue
                if scene in SCENES:
                    browser.open(program.url)
                    time.sleep(3 if scene == "empty" else 9)
                    shoot(browser, folder, scene)
                    continue
                with Stage(program.url) as stage:
                    browser.open(stage.url)
                    stage.play(crowd())
                    stage.send("observers", observers([observer(f"job.step{at % 30}", f"App/File{at % 17}.swift:{at}", f"Owner{at % 5}",
                                                                1 + at % 3, waiting=at % 40) for at in range(300)]))
                    stage.send("launch", None)
                    stage.send("services", {"states": [], "rows": []})
                    stage.send("themes", {"count": 0, "switches": []})
                    browser.until("inspector.model.posts.length === 900")
                    shoot(browser, folder, scene)


main(sys.argv[1], sys.argv[2:])
