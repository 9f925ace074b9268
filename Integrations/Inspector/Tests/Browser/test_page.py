"""The page in a real browser: python -m pytest test_page.py

Each test states what holds. Times are upper bounds for a machine that is busy with other work, except where the
name of the test gives the time.
"""

import json
import os
import pathlib
import subprocess
import tempfile
import time

import pytest

from browser import PROGRAM, Browser, Program

POSTS = "inspector.model.posts.length"


@pytest.fixture(scope="module")
def browser():
    with Browser() as browser:
        browser.shape()
        yield browser


@pytest.fixture(scope="module")
def usual(browser):
    with Program() as program:
        yield program


@pytest.fixture
def page(browser, usual):
    browser.shape()
    browser.open(usual.url)
    browser.until(f"{POSTS} > 30")
    yield browser
    assert browser.complaints() == []


def median(values):
    return sorted(values)[len(values) // 2]


def test_the_page_loads_without_complaints(page):
    assert page.run("document.title").endswith("Inspector")
    assert "Live" in page.run("byId('status').textContent")
    assert "posts" in page.run("byId('headline').textContent")
    # Something other than the background is drawn.
    assert page.run("""(() => {
        const canvas = byId("canvas");
        const pixels = canvas.getContext("2d").getImageData(160, 24, canvas.width - 160, 60).data;
        return new Set(new Uint32Array(pixels.buffer)).size > 3;
    })()""")


def test_a_post_is_on_the_page_within_100_milliseconds(page):
    # Ages of posts when the frame that shows them is drawn: the clock of the page is set by each message.
    page.run("""(() => {
        window.ages = [];
        let seen = inspector.model.posts.at(-1).number;
        const look = () => {
            const at = Date.now();
            for (const post of inspector.model.posts.slice(-40)) {
                if (post.number > seen) ages.push(at - (inspector.model.meta.start + post.t0 / 1e6));
            }
            seen = Math.max(seen, inspector.model.posts.at(-1).number);
            if (window.ages.length < 60) requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
    })()""")
    page.until("window.ages.length >= 60", 20)
    ages = page.run("window.ages")
    medians = [median(ages[first:first + 20]) for first in range(0, 60, 20)]
    print(f"medians {[round(value) for value in medians]} ms, slowest {max(ages):.0f} ms")
    # The best of three: a machine that is busy with other work holds up some frames.
    assert min(medians) < 100, ages


def test_every_view_shows_its_subject(page):
    for tab, words in {
            "observers": ["mail.arrived", "SearchIndex.swift:", "Window", "alive"],
            "launch": ["keychain", "critical", "spell checker", "failed"],
            "services": ["database", "ready", "mailbox", "Application: active"],
            "themes": ["Ember", "color.badge → color.brand", "#"]}.items():
        page.driver.find_element("css selector", f"#tabs [data-tab={tab}]").click()
        page.until(f"byId('{tab}').clientHeight > 0")
        for word in words:
            page.until(f"byId('{tab}').innerText.toLowerCase().includes({json.dumps(word.lower())})", 20)


def test_a_filter_leaves_only_what_it_names(page):
    field = page.driver.find_element("id", "filter")
    field.send_keys("mail.arr")
    page.until("inspector.log.posts.length > 0 && inspector.log.posts.length < " + POSTS)
    shown = page.run("[...new Set(inspector.log.posts.map((post) => inspector.model.strings[post.name]))]")
    assert shown == ["mail.arrived"]
    drawn = page.run("""(() => {
        inspector.timeline.draw(inspector.now);
        return [...new Set(inspector.timeline.hits.map((hit) => inspector.model.strings[hit[4].name]))];
    })()""")
    assert set(drawn) <= {"mail.arrived"}
    field.clear()
    field.send_keys("there is no such name")
    page.until("inspector.log.posts.length === 0")
    assert "No post passes the filter" in page.run("byId('log').innerText")
    page.run("(byId('filter').value = '', inspector.filter.set(''))")


def test_a_name_is_hidden_with_its_button(page):
    page.until("inspector.log.posts.some((post) => inspector.model.strings[post.name] === 'cursor.moved')")
    button = "[...document.querySelectorAll('.name')].find((node) => node.innerText.startsWith('cursor.moved'))"
    page.until(f"{button} !== undefined")
    page.run(f"{button}.click()")
    page.until("!inspector.log.posts.some((post) => inspector.model.strings[post.name] === 'cursor.moved')")
    page.until("(document.querySelector('.name[aria-pressed=false]') || {innerText: ''}).innerText.startsWith('cursor.moved')")


def test_a_click_on_a_bar_shows_the_post_with_its_handlers_and_payload(page):
    page.until("inspector.model.posts.some((post) => post.payload !== undefined && post.calls.length > 1)")
    page.run("""(() => {
        const posts = inspector.model.posts.filter((post) => post.payload !== undefined && post.calls.length > 1);
        window.wanted = posts.at(-1);
        inspector.timeline.showItem(window.wanted);
        inspector.timeline.draw(inspector.now);
    })()""")
    x, y = page.run("""(() => {
        const hit = inspector.timeline.hits.find((hit) => hit[4] === window.wanted);
        const box = byId("canvas").getBoundingClientRect();
        return [box.left + hit[0] + hit[2] / 2, box.top + hit[1] + hit[3] / 2];
    })()""")
    for kind in ("mousePressed", "mouseReleased"):
        page.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
            "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1})
    page.until("!byId('detail').hidden")
    text = page.run("byId('detail').innerText")
    for word in ("mail.arrived", "posted at", "Mailbox.swift:", "Message ", "SearchIndex.swift:", "Window.swift:", "declined"):
        assert word.lower() in text.lower(), text


def test_zoom_shows_less_time_and_live_follows_again(page):
    page.driver.find_element("id", "fit").click()
    page.until("!inspector.timeline.isLive")
    before = page.run("inspector.timeline.t1 - inspector.timeline.t0")
    page.driver.find_element("id", "zoom-in").click()
    assert page.run("inspector.timeline.t1 - inspector.timeline.t0") == pytest.approx(before / 2)
    page.driver.find_element("id", "live").click()
    page.until("inspector.timeline.isLive && inspector.now - inspector.timeline.t1 < 1e9")


def test_nothing_is_wider_than_the_page(page):
    for width in (1440, 800):
        for tab in ("timeline", "observers", "launch", "services", "themes"):
            page.shape(width)
            page.run("inspector.select(arguments[0])", tab)
            time.sleep(0.3)
            assert page.run("innerWidth") == width
            assert page.run("document.documentElement.scrollWidth") <= width, tab


def test_the_page_follows_the_colour_scheme(page):
    grounds = []
    for scheme in ("light", "dark"):
        page.shape(scheme=scheme)
        grounds.append(page.run("getComputedStyle(document.body).backgroundColor"))
    assert grounds[0] != grounds[1]


def test_names_with_markup_are_text(page):
    page.until("document.body.innerText.includes('mail.arrived')")
    page.run("""(inspector.receive("observers", {total: 1, waiting: 0, lost: 0, omitted: 0, rows: [{
        name: "</script><img src=x onerror=window.hacked=1>", site: "<b>/<i>.swift:1", owner: "<u>", count: 1, alive: 1,
        paused: 0, delivered: 0, dropped: 0, waiting: 0, growing: true, history: [1, 2, 3, 4]}]}), inspector.receive = () => {}, 1)""")
    page.driver.find_element("css selector", "#tabs [data-tab=observers]").click()
    page.until("byId('observers').innerText.includes('<img src=x')")
    assert page.run("byId('observers').querySelectorAll('img, i.swift').length") == 0
    assert page.run("window.hacked === undefined")


def test_a_leak_is_marked(browser):
    with Program("--leak") as program:
        browser.open(program.url)
        browser.until("byId('tabs').innerText.includes('leak?')", 20)
        browser.run("inspector.select('observers')")
        browser.until("byId('observers').innerText.includes('A leak?')")
        text = browser.run("document.querySelector('tr.growing').innerText")
        assert "unread.changed" in text and "Mailbox.swift:" in text
        assert browser.run("document.querySelectorAll('tr.growing').length") == 1


def test_failures_are_in_sight(browser):
    with Program("--fail") as program:
        browser.open(program.url)
        browser.until("/[0-9]+ calls? failed/.test(byId('headline').innerText)", 20)
        assert "failed" in browser.run("byId('slowest').innerText")
        browser.run("inspector.select('services')")
        browser.until("byId('services').innerText.includes('the index is damaged: page 17')")


def test_a_quiet_program_has_a_calm_page(browser):
    with Program("--quiet") as program:
        browser.open(program.url)
        browser.until("byId('headline').innerText.includes('Nothing failed')")
        browser.run("inspector.select('observers')")
        browser.until("byId('observers').innerText.includes('Nothing observes this bus')")
        assert browser.complaints() == []


def test_100_000_steps_stay_responsive(browser):
    with Program("--busy") as program:
        browser.open(program.url)
        browser.until("inspector.clock.count > 100000", 60)
        browser.until("inspector.model.entryCount >= 90000", 30)
        assert browser.run("inspector.model.entryCount") <= 110000
        browser.run("(inspector.select('timeline'), byId('fit').click())")
        # The time of a frame with everything in sight, of zooming, and of filtering.
        times = browser.run("""(() => {
            const clock = (body) => {
                const start = performance.now();
                body();
                return performance.now() - start;
            };
            const draw = () => inspector.timeline.draw(inspector.now);
            const all = [], zoomed = [], filtered = [];
            for (let round = 0; round < 9; round += 1) {
                byId("fit").click();
                all.push(clock(draw));
                zoomed.push(clock(() => { inspector.timeline.zoom(0.1); draw(); }));
                filtered.push(clock(() => {
                    inspector.filter.set(round % 2 ? "mail" : "index");
                    byId("fit").click();
                    draw();
                    inspector.log.update();
                }));
            }
            inspector.filter.set("");
            return { all, zoomed, filtered };
        })()""")
        print({name: round(median(values), 1) for name, values in times.items()})
        assert median(times["all"]) < 100
        assert median(times["zoomed"]) < 50
        assert median(times["filtered"]) < 200
        # Only visible rows are elements.
        assert browser.run("document.querySelectorAll('.row').length") < 60
        assert browser.run("document.querySelectorAll('*').length") < 1000


def test_a_saved_file_opens_alone(browser):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "trace.html"
        trace = pathlib.Path(folder) / "trace.json"
        subprocess.run(
            [PROGRAM, "--save", path, "--trace", trace, "--seconds", "3"], check=True, timeout=60,
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        browser.open(path.as_uri())
        browser.complaints()
        browser.open(path.as_uri())
        browser.until(f"{POSTS} > 30")
        assert browser.run("byId('status').innerText").startswith("Saved")
        assert browser.run("performance.getEntriesByType('resource').length") == 0
        assert browser.run("inspector.data.services.rows.every((row) => row.state === 'ended')")
        browser.run("inspector.select('launch')")
        browser.until("byId('launch').innerText.includes('keychain')")
        assert browser.complaints() == []
        events = json.loads(trace.read_text())["traceEvents"]
        assert {"M", "X", "i", "s", "f"} <= {event["ph"] for event in events}
        assert any("posted at" in event.get("args", {}) for event in events)


def test_a_page_says_when_its_program_has_gone(browser):
    with Program("--quiet") as program:
        browser.open(program.url)
        browser.until("byId('status').className === 'live'")
    browser.until("byId('status').innerText.includes('The program has gone')")


def test_a_wrong_token_shows_nothing(browser, usual):
    root = usual.url.rstrip("/").rsplit("/", 1)[0]
    for path in ("", "0" * 32 + "/", "0" * 32 + "/stream"):
        browser.open(f"{root}/{path}")
        assert browser.run("document.querySelector('canvas') === null")
        assert "mail" not in browser.run("document.documentElement.innerText")


def test_the_layout_keeps_rows_apart_and_free_when_posts_are_forgotten(browser, usual):
    browser.open(usual.url)
    result = browser.run("""(() => {
        const model = new Model();
        model.meta.capacity = 40;
        const entry = (kind, post, time, registration) => [kind, post, 0, time, 0, 0, registration, 0, 0, 0];
        const send = (first, ...entries) => model.addTrace({
            first, stringsFrom: 0, strings: ["name"], lanesFrom: 0, lanes: ["lane"], texts: {}, entries: entries.flat()});
        let first = 0;
        const rows = new Set();
        for (let post = 1; post <= 100; post += 1) {
            const time = post * 10;
            // The call never ends.
            send(first, entry(0, post, time, -1), entry(3, post, time + 1, 7), entry(1, post, time + 9, -1));
            first += 3;
            rows.add(model.posts.at(-1).row);
        }
        const before = model.lanes.get(0).rows.filter((row) => row && !isFinite(row.t1)).length;
        // A gap: what was running has ended, as far as anyone knows.
        send(first + 50, entry(0, 1000, 5000, -1), entry(1, 1000, 5001, -1));
        return { count: model.posts.length, before, row: model.posts.at(-1).row, open: model.open.size };
    })()""")
    late = browser.run("""(() => {
        const model = new Model();
        const entry = (kind, post, time, registration) => [kind, post, 0, time, 0, 0, registration, 0, 0, 0];
        model.addTrace({ first: 0, stringsFrom: 0, strings: ["name"], lanesFrom: 0, lanes: ["lane"], texts: {}, entries: [
            entry(0, 1, 10, -1), entry(3, 1, 20, 7), entry(2, 1, 21, 7), entry(4, 1, 22, 7), entry(1, 1, 30, -1),
            entry(0, 2, 40, -1), entry(3, 2, 50, 7), entry(4, 2, 51, 7), entry(2, 2, 52, 7), entry(1, 2, 60, -1),
            entry(0, 3, 70, -1), entry(6, 3, 80, 7), entry(2, 3, 81, 7), entry(1, 3, 90, -1)].flat() });
        return { open: model.open.size, calls: model.posts.map((post) => post.calls.map((call) => [call.state, call.queuedAt])) };
    })()""")
    # A start that is reported before its queueing is joined to it.
    assert late == {"open": 0, "calls": [[["done", 20]], [["done", 50]], []]}
    assert result["count"] <= 16
    assert result["before"] <= 16
    assert result["row"] == 0
    assert result["open"] == 0
