"""The page without a mouse, without motion, and with eyes that need contrast."""

from selenium.webdriver.common.keys import Keys
from stage import MS, observer, observers
from test_timeline import sample

FOCUS = "document.activeElement.id || document.activeElement.className"

# The ratio of contrast of WCAG 2, for each text on the page against what is painted behind it.
CONTRAST = """((selector) => {
    const parse = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return [r, g, b, a]; };
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const solid = (color) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255]; };
    const over = (top, below) => [0, 1, 2].map((at) => top[at] * top[3] + below[at] * (1 - top[3])).concat(1);
    const light = ([r, g, b]) => { const [x, y, z] = [r, g, b].map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * x + 0.7152 * y + 0.0722 * z; };
    const ratio = (one, two) => { const [a, b] = [light(one), light(two)]; return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); };
    const behind = (node) => { const layers = [];
        for (let each = node; each; each = each.parentElement) layers.push(solid(getComputedStyle(each).backgroundColor));
        let color = [255, 255, 255, 1];
        for (const layer of layers.reverse()) color = over(layer, color);
        // A meter lies behind the text of its row.
        const fact = node.closest(".fact");
        if (fact) { const meter = getComputedStyle(fact.querySelector(".meter")); const top = solid(meter.backgroundColor);
            color = over([...top.slice(0, 3), top[3] * meter.opacity], color); }
        return color; };
    const worst = [];
    const walker = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || !node.checkVisibility() || node.closest("title")) continue;
        const style = getComputedStyle(node);
        let opacity = 1;
        for (let each = node; each; each = each.parentElement) opacity *= getComputedStyle(each).opacity;
        const color = solid(node.closest("svg") ? style.fill : style.color);
        const back = node.closest("svg rect") ? [0, 0, 0, 1] : behind(node);
        const value = ratio(over([...color.slice(0, 3), color[3] * opacity], back), back);
        worst.push([Math.round(value * 100) / 100, walker.currentNode.data.trim().slice(0, 40), node.className.baseVal ?? node.className]);
    }
    return worst.sort((left, right) => left[0] - right[0]);
})(arguments[0])"""

# The same for what the canvases write on: the bars of names, of slow and of failed handlers, and the ground.
BARS = """(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const solid = (...colors) => { canvas.globalAlpha = 1; canvas.clearRect(0, 0, 1, 1);
        for (const [color, alpha] of colors) { canvas.globalAlpha = alpha; canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); }
        return canvas.getImageData(0, 0, 1, 1).data; };
    const light = ([r, g, b]) => { const [x, y, z] = [r, g, b].map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * x + 0.7152 * y + 0.0722 * z; };
    const ratio = (one, two) => { const [a, b] = [light(one), light(two)]; return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); };
    const [surface, ink] = [Colors.get("surface"), Colors.get("ink")];
    const pairs = [];
    for (let index = -1; index < 10; index += 1) {
        const color = Colors.of(index);
        pairs.push([`post ${index}`, ratio(solid([surface, 1]), solid([color, 1]))]);
        pairs.push([`handler ${index}`, ratio(solid([ink, 1]), solid([surface, 1], [color, 0.4]))]);
    }
    pairs.push(["slow", ratio(solid([Colors.get("on-slow"), 1]), solid([Colors.get("slow"), 1]))]);
    pairs.push(["failed", ratio(solid([surface, 1]), solid([Colors.get("bad"), 1]))]);
    for (const name of ["soft", "ink", "bad", "warn"]) pairs.push([name, ratio(solid([Colors.get(name), 1]), solid([surface, 1]))]);
    return pairs.filter(([, value]) => value < 4.5);
})()"""


def test_every_text_has_the_contrast_that_wcag_aa_asks_for(page):
    page.run("byId('filter').focus()")
    for scheme in ("light", "dark"):
        page.shape(scheme=scheme)
        page.until("document.querySelectorAll('.name').length > 3")
        page.run("(inspector.select('timeline'), document.querySelector('.name').click(), inspector.choose(inspector.model.posts.findLast((post) => post.calls.length > 1), true))")
        page.frame()
        assert page.run(BARS) == [], scheme
        seen = page.run(CONTRAST, "header")
        for tab in ("timeline", "observers", "launch", "services", "themes"):
            page.run("inspector.select(arguments[0])", tab)
            page.frame()
            seen += page.run(CONTRAST, f"#{tab}")
        assert len(seen) > 150
        assert [each for each in seen if each[0] < 4.5] == [], scheme
        page.run("document.querySelector('.name').click()")


def test_warnings_have_that_contrast_too(browser, stage):
    stage.play(sample())
    stage.send("observers", observers([observer(growing=True, history=[1, 2, 3], count=30, paused=1, alive=3, dropped=9, waiting=50)]))
    stage.send("services", {"states": [], "rows": [
        {"name": state, "state": state, "since": 0, "error": "bad" if state in ("ended", "pausing", "starting") else None, "isWaitedFor": state == "starting",
         "history": [{"state": state, "time": 0}]} for state in (
             "starting", "ready", "unready", "pausing", "stopping", "cancelled", "ended", "abandoned")]})
    browser.until("byId('failures').innerText.includes('Index')")
    for scheme in ("light", "dark"):
        browser.shape(scheme=scheme)
        for tab in ("timeline", "observers", "services"):
            browser.run("inspector.select(arguments[0])", tab)
            browser.frame()
            seen = browser.run(CONTRAST, f"#{tab}")
            assert [each for each in seen if each[0] < 4.5] == [], (scheme, tab)
    stage.close()
    browser.until("!byId('notice').hidden")
    assert [each for each in browser.run(CONTRAST, "#notice") if each[0] < 4.5] == []


def test_the_tabs_are_one_stop_with_arrow_keys(page):
    page.run("byId('tab-timeline').focus()")
    for key, tab in ((Keys.ARROW_RIGHT, "observers"), (Keys.ARROW_RIGHT, "launch"), (Keys.END, "themes"),
                     (Keys.ARROW_RIGHT, "timeline"), (Keys.ARROW_LEFT, "themes"), (Keys.HOME, "timeline")):
        page.press(key)
        assert page.run(FOCUS) == f"tab-{tab}"
        assert page.run("inspector.tab") == tab
        assert page.run("[...document.querySelectorAll('[role=tab]')].filter((each) => each.tabIndex === 0).map((each) => each.dataset.tab)") == [tab]
        assert page.run("document.querySelector('[aria-selected=true]').dataset.tab") == tab
    # The keys moved tabs, not the window.
    assert page.run("inspector.timeline.isLive")


def test_the_tab_key_reaches_everything_in_order_with_a_visible_focus(browser, stage):
    stage.play(sample())
    browser.until("byId('failures').innerText.includes('Index') && document.querySelectorAll('.name').length === 3")
    browser.run("inspector.choose(inspector.model.posts[3], true)")
    browser.frame()
    browser.run("byId('tab-timeline').focus()")
    seen = []
    for _ in range(60):
        browser.press(Keys.TAB)
        place = browser.run("""(() => {
            const node = document.activeElement;
            const style = getComputedStyle(node);
            return [node.id || node.className || node.tagName, style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2];
        })()""")
        if place[0] == "BODY" or place[0].startswith("tab-"):
            break
        assert place[1], f"{place[0]} shows no focus"
        seen.append(place[0])
    order = [each for at, each in enumerate(seen) if each not in seen[:at]]
    assert order == ["fact", "filter", "name", "zoom-out", "zoom-in", "fit", "live", "canvas", "log"] + order[9:]
    assert "PRE" in order[9:] and "link" in order[9:], order


def test_the_focus_survives_the_stream(page):
    page.until("document.querySelectorAll('.fact').length > 3")
    page.run("(window.node = document.querySelectorAll('#posters .fact')[1], node.focus())")
    version = page.run("inspector.model.version")
    page.until(f"inspector.model.version > {version + 20}")
    page.frame()
    assert page.run("document.activeElement === window.node")
    page.run("inspector.choose(inspector.model.posts.findLast((post) => post.calls.length > 1), true)")
    page.run("(window.node = document.querySelector('#detail h3 button'), node.focus())")
    version = page.run("inspector.model.version")
    page.until(f"inspector.model.version > {version + 20}")
    assert page.run("document.activeElement === window.node")


def test_posts_are_chosen_and_left_with_keys(browser, stage):
    stage.play(sample())
    browser.until("inspector.log.posts.length === 60")
    browser.find("#log").send_keys("")
    browser.run("byId('log').focus()")
    chosen = "inspector.timeline.chosen && inspector.timeline.chosen.post.number"
    browser.press(Keys.ARROW_DOWN)
    assert browser.run(chosen) == 60
    for key, number in ((Keys.ARROW_UP, 59), (Keys.HOME, 1), (Keys.ARROW_UP, 1), (Keys.ARROW_DOWN, 2), (Keys.PAGE_DOWN, 12), (Keys.END, 60)):
        browser.press(key)
        assert browser.run(chosen) == number, key
        browser.frame()
        assert browser.run("byId('log').getAttribute('aria-activedescendant')") == f"post-{number}"
        assert browser.run("""(() => {
            const [row, list] = [document.querySelector(".row.chosen").getBoundingClientRect(), byId("log").getBoundingClientRect()];
            return row.top >= list.top - 1 && row.bottom <= list.bottom + 1;
        })()"""), number
    browser.run("document.querySelector('#detail h3 button').focus()")
    browser.press(Keys.ESCAPE)
    assert browser.run("byId('detail').hidden && document.activeElement === byId('log')")
    t0 = browser.run("inspector.timeline.t0")
    browser.press(Keys.ARROW_LEFT)
    assert browser.run("inspector.timeline.t0") < t0
    span = browser.run("inspector.timeline.span")
    browser.press("+")
    assert browser.run("inspector.timeline.span") == span / 2
    browser.press("l")
    assert browser.run("inspector.timeline.isLive")
    browser.press("f")
    assert not browser.run("inspector.timeline.isLive")
    browser.press("/")
    assert browser.run(FOCUS) == "filter"
    # In the field the keys are letters; Escape empties it, then leaves it.
    browser.press("fl")
    assert browser.run("inspector.filter.text") == "fl" and not browser.run("inspector.timeline.isLive")
    browser.press(Keys.ESCAPE)
    assert browser.run("inspector.filter.text === '' && byId('filter').value === ''")
    browser.press(Keys.ESCAPE)
    assert browser.run("document.activeElement !== byId('filter')")
    assert browser.complaints() == []


def test_unwanted_motion_becomes_one_step_a_second(browser, stage):
    browser.shape(motion="reduce")
    stage.play(sample())
    browser.until("inspector.model.posts.length === 60")
    for now in (2_500, 2_900, 3_100):
        stage.clock = {"now": now * MS, "count": 1}
        stage.send("clock", stage.clock)
        browser.until(f"inspector.clock.now === {now * MS}")
        browser.frame()
        end = browser.run("inspector.timeline.t1")
        assert end % 1e9 == 0 and now * MS <= end <= now * MS + 2e9
    browser.shape()
    browser.frame()
    assert browser.run("inspector.timeline.t1") % 1e9 != 0
