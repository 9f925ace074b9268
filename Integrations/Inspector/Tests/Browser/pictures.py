"""Takes pictures of the page to look at: pictures.py FOLDER [SCENE…]"""

import pathlib
import sys
import time

from browser import Browser, Program

SCENES = {"usual": [], "empty": ["--quiet"], "busy": ["--busy"], "failing": ["--fail"], "leak": ["--leak"]}


def main(folder, scenes):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with Browser() as browser:
        for scene in scenes or SCENES:
            with Program(*SCENES[scene]) as program:
                browser.shape()
                browser.open(program.url)
                time.sleep(3 if scene == "empty" else 9)
                for scheme in ("light", "dark"):
                    for width in (1440, 800):
                        browser.shape(width, 900, scheme)
                        for tab in ("timeline", "observers", "launch", "services", "themes"):
                            if tab != "timeline" and (scene, tab) not in {
                                    ("usual", "launch"), ("usual", "themes"), ("usual", "observers"),
                                    ("leak", "observers"), ("failing", "services"), ("empty", "observers"),
                                    ("empty", "launch"), ("failing", "launch"), ("usual", "services")}:
                                continue
                            browser.run("inspector.select(arguments[0])", tab)
                            time.sleep(0.6)
                            browser.picture(folder / f"{scene}-{tab}-{scheme}-{width}.png")
                browser.shape()
                browser.run("inspector.select('timeline')")
                chosen = browser.run("""(() => {
                    const posts = inspector.model.posts.filter((post) => post.calls.length > 1);
                    const post = posts.findLast((post) => post.failed) || posts.findLast((post) => post.slow) || posts.at(-3);
                    if (post) inspector.choose(post, true);
                    return post !== undefined;
                })()""")
                if chosen:
                    time.sleep(0.6)
                    for scheme, width in (("light", 1440), ("dark", 800)):
                        browser.shape(width, 900, scheme)
                        time.sleep(0.4)
                        browser.picture(folder / f"{scene}-detail-{scheme}-{width}.png")
                for complaint in browser.complaints():
                    print(f"{scene}: {complaint}")


main(sys.argv[1], sys.argv[2:])
