"""Text of a program that is not made for a page."""

import pytest

from stage import MS, Trace, observer, observers

NAMES = [
    "</script><img src=x onerror=window.hacked=1>", "<b onclick=\"window.hacked=1\">\"quoted\" 'name' &amp; &lt;",
    "\u202egnirts.tfel.ot.thgir", "اسم الحدث.وصل", "👩‍👩‍👧‍👦🇦🇹.family", "javascript:window.hacked=1", "a" * 200 + "…",
    "line\nbreak\ttab\u2028", "${window.hacked=1}`", "__proto__", "constructor", "",
]


@pytest.fixture
def hostile(browser, stage):
    trace = Trace()
    for number, name in enumerate(NAMES * 3, 1):
        trace.post(number, number * MS, name, f"<i>/{name}.swift:1", f"{name}", MS // 2, payload=name * 40, calls=[
            (f"<u>/{name}:2", f"actor {name}", MS // 10, 20 * MS if len(name) > 100 else MS // 4, f"error {name}")] if number % 2 else [])
    stage.meta["label"] = NAMES[0]
    browser.open(stage.url)
    stage.play(trace)
    stage.send("observers", observers([observer(name, f"<i>/{name}:{at}", name, growing=at < 3, history=[1, 2, 3, 4])
                                       for at, name in enumerate(NAMES)]))
    entry = {"start": 0, "duration": 5 * MS, "phase": "early", "isCritical": True, "kind": "failed", "site": NAMES[0]}
    stage.send("launch", {
        "problem": NAMES[1], "plan": {"layers": [NAMES[:6], NAMES[6:]], "edges": [{"from": NAMES[0], "to": NAMES[6], "isHard": True}]},
        "report": {"total": 9 * MS, "problems": NAMES[:2], "criticalPath": NAMES,
                   "entries": [{**entry, "id": name, "outcome": f"failed: {name}"} for name in NAMES]}})
    stage.send("services", {"states": [{"state": NAMES[0], "time": 0}], "rows": [
        {"name": name, "state": "ready", "since": 0, "error": name if at % 2 else None, "isWaitedFor": True,
         "history": [{"state": "starting", "time": 0}, {"state": "ready", "time": MS}]} for at, name in enumerate(NAMES)]})
    stage.send("themes", {"count": len(NAMES), "switches": [
        {"time": at, "old": name, "new": name, "appearance": "dark", "keyCount": 1,
         "keys": [{"name": name, "old": [name], "new": [f"{name} = {name}", f"x = {name}"]}]} for at, name in enumerate(NAMES)]})
    browser.until(f"inspector.model.posts.length === {3 * len(NAMES)} && inspector.data.themes !== undefined")
    return browser


def test_names_with_markup_are_text_in_every_view(hostile):
    hostile.run("inspector.choose(inspector.model.posts[0], true)")
    for tab in ("timeline", "observers", "launch", "services", "themes"):
        hostile.run("inspector.select(arguments[0])", tab)
        hostile.until(f"byId('{tab}').textContent.includes('<img src=x onerror=window.hacked=1>')")
        if tab == "timeline":
            hostile.until("byId('posters').childElementCount > 1")
        assert hostile.run("document.querySelectorAll('main img, main script, main u, main [onclick]').length") == 0, tab
        # A name says nothing about elements that are searched by name.
        assert hostile.run("document.querySelectorAll('main i:not([class])').length") == hostile.run(
            "document.querySelectorAll('.call > i').length"), tab
    assert hostile.run("window.hacked === undefined && ({}).hacked === undefined")
    assert "<img" in hostile.run("document.title")
    assert hostile.complaints() == []


def test_long_and_odd_names_stay_in_their_places(hostile):
    hostile.run("inspector.choose(inspector.model.posts[6], true)")
    for width in (1440, 800, 480):
        hostile.shape(width)
        for tab in ("timeline", "observers", "launch", "services", "themes"):
            hostile.run("inspector.select(arguments[0])", tab)
            hostile.frame()
            assert hostile.run("document.documentElement.scrollWidth") <= width, (tab, width)
            outside = hostile.run("""[...byId(arguments[0]).querySelectorAll(".fact, .row, .callout, #detail > *, #headline, .name.more, #live")]
                .filter((node) => node.offsetParent && (node.getBoundingClientRect().right > innerWidth
                    || node.matches("#headline, .callout") && node.scrollWidth > node.clientWidth))
                .map((node) => node.className || node.id)""", tab)
            assert outside == [], (tab, width)
        hostile.run("inspector.select('timeline')")
        hostile.until("byId('headline').textContent.includes('aaaa')")
        # Each row is one line.
        assert hostile.run("[...document.querySelectorAll('.fact')].every((fact) => fact.offsetHeight <= 24)")
    # The direction of a name ends with it.
    assert hostile.run("[...document.querySelectorAll('.row .event b')].every((node) => getComputedStyle(node).unicodeBidi === 'isolate')")
    assert hostile.complaints() == []


def test_names_with_slashes_are_whole_in_the_cards(browser, stage):
    trace = Trace()
    for number, name in enumerate(["orders/created", "users/created", "</script>"], 1):
        trace.post(number, number * MS, name, "App/Main.swift:1", calls=[("App/Window.swift:9", "MainActor", 0, 20 * MS, "bad")])
    stage.play(trace)
    browser.until("byId('failures').querySelectorAll('.fact').length === 3")
    for card, field in [("posters", "what"), ("receivers", "where"), ("slowest", "where"), ("failures", "where")]:
        shown = browser.run("[...document.querySelectorAll(`#${arguments[0]} .fact .${arguments[1]}`)].map((node) => node.textContent)", card, field)
        assert sorted(shown) == ["</script>", "orders/created", "users/created"], card
        other = "where" if field == "what" else "what"
        sites = browser.run("[...document.querySelectorAll(`#${arguments[0]} .fact .${arguments[1]}`)].map((node) => node.textContent)", card, other)
        assert set(sites) == {"Main.swift:1" if card == "posters" else "Window.swift:9"}, card


def test_headings_of_the_cards_are_one_line_beside_long_names(browser, stage):
    trace = Trace()
    for number in range(1, 5):
        trace.post(number, number * MS, "name" * 40 + str(number), "Module/" + "File" * 40 + f".swift:{number}",
                   calls=[("Module/" + "Handler" * 30 + f".swift:{number}", "MainActor", 0, MS)])
    stage.play(trace)
    browser.until("byId('posters').querySelectorAll('.fact').length === 4")
    for width in (1440, 1024, 800, 480):
        browser.shape(width)
        browser.frame()
        overlaps = browser.run("""[...document.querySelectorAll(".heads")].filter((head) => head.offsetParent).flatMap((head) => {
            const next = head.nextElementSibling?.getBoundingClientRect();
            return [...head.children].filter((span) => {
                const box = span.getBoundingClientRect();
                return box.height > 20 || next && box.bottom > next.top + 1;
            }).map((span) => span.textContent);
        })""")
        assert overlaps == [], width


def test_a_payload_of_10_000_characters_scrolls(browser, stage):
    trace = Trace()
    trace.post(1, MS, payload="word " * 2_000, calls=[("App/Window.swift:9", "MainActor", 0, MS, "bad " * 2_500)])
    trace.post(2, 2 * MS, payload="x" * 10_000, calls=[("App/Window.swift:9", "MainActor", 0, MS)])
    trace.post(3, 9 * MS, "n" * 200, calls=[("h" * 200, "MainActor", 0, MS, "bad " * 2_500)])
    stage.play(trace)
    browser.until("inspector.model.posts.length === 3")
    for width in (1440, 800):
        browser.shape(width)
        for at in (0, 1):
            browser.run("inspector.choose(inspector.model.posts[arguments[0]], true)", at)
            browser.frame()
            sizes = browser.run("[...document.querySelectorAll('#detail pre')].map((node) => [node.scrollHeight, node.clientHeight, node.scrollWidth, node.clientWidth])")
            assert len(sizes) == 2 - at
            for tall, height, wide, room in sizes:
                assert tall > height and height <= 220 and wide <= room
            assert browser.run("document.documentElement.scrollWidth") <= width
    # What the pointer shows is bounded, too.
    browser.run("(inspector.choose(inspector.model.posts[2], true), 1)")
    browser.frame()
    browser.run("""(() => {
        const box = byId("canvas").getBoundingClientRect();
        const hit = inspector.timeline.hits.find((hit) => hit[4].error);
        byId("canvas").dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + hit[0] + 5, clientY: box.top + hit[1] + 5 }));
    })()""")
    assert browser.run("!byId('hint').hidden && byId('hint').offsetHeight <= 130 && byId('hint').innerText.includes('failed: bad bad')")
    assert browser.complaints() == []
