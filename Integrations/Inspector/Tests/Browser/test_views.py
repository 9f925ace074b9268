"""What each view shows, of programs that run."""

import json
import pathlib
import subprocess
import tempfile

import pytest

from browser import PROGRAM, Program
from stage import MS, Trace, observer, observers

POSTS = "inspector.model.posts.length"
TABS = ("timeline", "observers", "launch", "services", "themes")


def test_every_view_shows_its_subject(page):
    for tab, words in {
            "observers": ["mail.arrived", "SearchIndex.swift:", "Window", "observers, last 30 s", "no sign of a leak"],
            "launch": ["keychain", "critical", "spell checker", "failed", "Took"],
            "services": ["database", "ready", "mailbox", "application is active"],
            "themes": ["Ember", "color.badge → color.brand", "#"]}.items():
        page.find(f"#tabs [data-tab={tab}]").click()
        page.until(f"byId('{tab}').clientHeight > 0")
        for word in words:
            page.until(f"byId('{tab}').innerText.toLowerCase().includes({json.dumps(word.lower())})")
    for tab in TABS:
        assert page.run("getComputedStyle(byId(arguments[0])).display", tab) == ("block" if tab == "themes" else "none")


def test_nothing_is_wider_than_the_page(page):
    for width in (1440, 800, 480):
        page.shape(width)
        for tab in TABS:
            page.run("inspector.select(arguments[0])", tab)
            page.frame()
            assert page.run("innerWidth") == width
            assert page.run("document.documentElement.scrollWidth") <= width, tab
            # The header holds all tabs, or scrolls them.
            assert page.run("byId('status').getBoundingClientRect().right") <= width, tab


def test_the_page_follows_the_color_scheme(page):
    colors = []
    for scheme in ("light", "dark"):
        page.shape(scheme=scheme)
        page.frame()
        colors.append(page.run("[getComputedStyle(document.body).backgroundColor, Colors.get('ink'), Colors.of(0)]"))
    assert all(light != dark for light, dark in zip(*colors)), colors


def test_a_leak_is_marked(browser):
    with Program("--leak") as program:
        browser.shape()
        browser.open(program.url)
        browser.until("byId('tabs').innerText.includes('leak?')")
        # The timeline says it, too, with the way to the table, also while it stands still.
        browser.until("/Mailbox.swift:\\d+ keeps adding observers: a leak\\?$/.test(byId('headline').innerText)")
        browser.find("#headline .link").click()
        assert browser.run("inspector.tab") == "observers"
        browser.run("inspector.select('observers')")
        browser.until("byId('observers').innerText.includes('A leak?')")
        text = browser.run("document.querySelector('tr.growing').innerText")
        assert "unread.changed" in text and "Mailbox.swift:" in text
        assert browser.run("document.querySelectorAll('tr.growing').length") == 1


def test_failures_are_in_sight(browser):
    with Program("--fail") as program:
        browser.shape()
        browser.open(program.url)
        browser.until("/[0-9]+ calls? failed/.test(byId('headline').innerText)")
        browser.until("byId('failures').innerText.includes('SearchIndex.swift:')")
        browser.run("byId('failures').querySelector('.fact').click()")
        browser.until("byId('detail').innerText.includes('has no valid encoding')")
        browser.run("inspector.select('services')")
        browser.until("byId('services').innerText.includes('the index is damaged: page 17')")
        browser.until("document.querySelector('#services tr .pill.bad').innerText === 'failed'")
        # The tabs say what failed, whichever is chosen.
        for tab in TABS:
            browser.run("(inspector.select(arguments[0]), inspector.data = { ...inspector.data }, inspector.drawn = {})", tab)
            browser.frame()
            assert browser.run("[...byId('tabs').children].map((each) => each.innerText)") == [
                "Timeline", "Observers", "Launch1", "Services1", "Themes"], tab


def test_a_quiet_program_has_a_calm_page(browser):
    with Program("--quiet") as program:
        browser.shape()
        browser.open(program.url)
        browser.until("byId('headline').innerText.includes('No handler failed')")
        browser.until("byId('receivers').innerText.includes('No handler has been called yet.')")
        assert browser.run("byId('failures').innerText") == "No handler has failed."
        for tab, words in {"observers": "Nothing observes this bus.", "launch": "The launch had no work to do.",
                           "themes": "No theme has been switched yet."}.items():
            browser.run("inspector.select(arguments[0])", tab)
            browser.until(f"byId('{tab}').innerText.includes({json.dumps(words)})")
        assert browser.complaints() == []


def test_a_page_without_any_post_says_what_will_appear(browser, stage):
    stage.send("observers", observers([]))
    stage.send("services", {"states": [], "rows": []})
    stage.send("launch", None)
    stage.send("themes", {"count": 0, "switches": []})
    browser.until("byId('headline').innerText.startsWith('Nothing has been posted yet.')")
    browser.until("byId('headline').innerText.includes('on the bus “stage” appears here')")
    assert "Each post becomes a row here" in browser.run("byId('log').innerText")
    browser.listen()
    assert "Bars appear here when an event is posted." in browser.texts("canvas")
    for tab, words in {"launch": "There is no launch to show.", "services": "No service has started yet."}.items():
        browser.run("inspector.select(arguments[0])", tab)
        browser.until(f"byId('{tab}').innerText.includes({json.dumps(words)})")
    assert browser.complaints() == []


def test_the_summary_says_what_the_page_has_in_the_frame_after_the_first_step(browser, stage):
    trace = Trace()
    trace.post(1, MS, calls=[("App/Window.swift:9", "MainActor", MS, MS)])
    # In one turn of the page, so that no time passes between the frames.
    headlines = browser.run("""((meta, batch) => {
        const shown = [];
        const draw = () => {
            inspector.draw();
            shown.push(byId("headline").innerText);
        };
        inspector.model.reset();
        inspector.drawn = {};
        inspector.lastOverview = -Infinity;
        draw();
        inspector.receive("meta", meta);
        draw();
        inspector.receive("trace", batch);
        draw();
        return shown;
    })(...arguments)""", stage.meta, trace.batch())
    assert headlines[0] == "Waiting for the program…"
    assert headlines[1].startswith("Nothing has been posted yet.")
    assert headlines[2].startswith("1 post of 1 event, received by 1 handler. No handler failed")


def test_a_leak_reaches_the_headline_of_a_paused_timeline_and_leaves_it(browser, stage):
    trace = Trace()
    trace.post(1, MS)
    stage.play(trace)
    browser.until("inspector.model.posts.length === 1")
    browser.find("#live").click()
    leaks = [observer(growing=True, count=30, site=f"App/Main.swift:{line}") for line in (2, 5)]
    for rows, words in ((leaks, "Main.swift:2 and 1 other line keep adding observers: leaks?"), (leaks[1:], "Main.swift:5 keeps adding observers: a leak?")):
        stage.send("observers", observers(rows))
        browser.until(f"byId('headline').innerText.endsWith({json.dumps(words)})")
    stage.send("observers", observers([observer()]))
    browser.until("!byId('headline').innerText.includes('leak')")
    assert browser.complaints() == []


def test_no_view_is_ever_blank(browser, stage):
    # The stage has sent nothing but its clock.
    words = {"observers": "The observers of the bus appear here", "launch": "The report of the launch appears here.",
             "services": "The services of the application appear here.", "themes": "Switches of themes appear here."}
    for tab, sentence in words.items():
        browser.run("inspector.select(arguments[0])", tab)
        browser.until(f"byId('{tab}').innerText.startsWith({json.dumps('Waiting for the program. ' + sentence)})")
    # A program without an application and without themes says why, and what to do.
    stage.send("observers", observers([observer()]))
    stage.send("launch", None)
    stage.send("services", {"states": [], "rows": []})
    stage.send("themes", {"count": 0, "switches": []})
    for tab, sentence in {"observers": "1 observer from 1 line of code.", "launch": "Inspector(.default, app: app)",
                          "services": "Inspector(.default, app: app)", "themes": "announces it on this bus"}.items():
        browser.run("inspector.select(arguments[0])", tab)
        browser.until(f"byId('{tab}').innerText.includes({json.dumps(sentence)})")
        assert "Waiting for the program" not in browser.run("byId(arguments[0]).innerText", tab)
    assert browser.complaints() == []


def test_only_rows_that_need_it_have_a_state(browser, stage):
    stage.send("observers", observers([
        observer(), observer(site="App/Main.swift:3", owner=None), observer(site="App/Main.swift:4", paused=1, count=2),
        observer(site="App/Main.swift:5", alive=0), observer(site="App/Main.swift:6", waiting=20)]))
    browser.run("inspector.select('observers')")
    browser.until("document.querySelectorAll('#observers tbody tr').length === 5")
    cell = "[...document.querySelectorAll('#observers tbody tr')].map((row) => row.cells[{}].innerText)"
    assert browser.run(cell.format(6)) == ["–", "–", "1 paused", "owner gone", "–"]
    assert browser.run(cell.format(2)) == ["Window", "none", "Window", "Window", "Window"]
    assert browser.run("document.querySelectorAll('#observers tbody tr')[1].cells[2].firstChild.title") == "Lives until its token is released"
    heads = browser.run("[...document.querySelectorAll('#observers th button')].map((each) => [each.innerText, each.title])")
    assert heads[4] == ["Observers, last 30 s", "How the number of observers changed. Click to sort."]
    assert "amber above 20" in heads[5][1]
    text = browser.run("byId('observers').innerText")
    assert "No line keeps adding observers: no sign of a leak." in text and "backlog" not in text
    # The rows with a remark first.
    browser.run("document.querySelectorAll('#observers th button')[6].click()")
    assert browser.run(cell.format(6)) == ["owner gone", "1 paused", "–", "–", "–"]
    browser.run("document.querySelectorAll('#observers th button')[6].click()")
    browser.run("document.querySelectorAll('#observers th button')[6].click()")
    # A backlog is amber, and the sentence above names the largest one.
    for growing in (False, True):
        stage.send("observers", observers([observer(waiting=21), observer(site="App/Sink.swift:7", waiting=34, growing=growing)]))
        browser.until(f"document.querySelectorAll('#observers tbody tr').length === 2 && document.querySelectorAll('tr.growing').length === {int(growing)}")
        assert "The largest backlog: 34 events of sample wait for Sink.swift:7 (amber: more than 20)." in browser.run("byId('observers').innerText")
        assert browser.run("[...document.querySelectorAll('#observers td b.warn')].map((each) => each.innerText)") == (
            ["21", "1", "34"] if growing else ["21", "34"])
    assert browser.complaints() == []


def test_services_show_how_long_they_started_and_after_what(browser, stage):
    def row(name, *history, **others):
        return {"name": name, "state": history[-1][0] if history else "waiting", "since": history[-1][1] if history else 0, "error": None,
                "isWaitedFor": False, "history": [{"state": state, "time": time} for state, time in history], **others}

    rows = [row("database", ("starting", 12 * MS), ("ready", 132 * MS)), row("mailbox", ("starting", 140 * MS)), row("index")]
    stage.clock = {"now": 9_000 * MS, "count": 0}
    browser.run("inspector.select('services')")
    rows = [{**row, "after": after} for row, after in zip(rows, ([], ["database"], ["database", "mailbox"]))]
    stage.send("services", {"states": [{"state": "active", "time": 0}], "rows": rows})
    browser.until("document.querySelectorAll('#services tbody tr').length === 3")
    assert browser.run("[...document.querySelectorAll('#services th')].map((each) => each.innerText)") == [
        "Service", "State", "For", "Starts after", "Started in", "Restarts", "Error"]
    cells = browser.run("[...document.querySelectorAll('#services tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText))")
    assert [row[:2] + row[3:] for row in cells] == [
        ["database", "ready", "–", "120 ms", "–", "–"], ["mailbox", "starting", "database", "–", "–", "–"],
        ["index", "not started", "database, mailbox", "–", "–", "–"]]
    assert "3 services. Nothing is being waited for now." in browser.run("byId('services').innerText")
    ticks = browser.run("[...document.querySelectorAll('#services svg text.soft')].map((each) => each.textContent)")
    assert ticks[0] == "0:00" and len(ticks) > 3, ticks
    assert browser.complaints() == []


def test_a_service_that_starts_again_has_not_failed(browser, stage):
    row = {"name": "feed", "since": 0, "isWaitedFor": False, "error": "no connection",
           "history": [{"state": "starting", "time": 0}, {"state": "pausing", "time": MS}]}
    stage.clock = {"now": 9_000 * MS, "count": 0}
    browser.run("inspector.select('services')")
    for state, attempt, restarts, words in (
            ("pausing", 1, "–", "feed starts again: no connection"), ("ready", 2, "1", "Nothing is being waited for now."),
            ("ended", 2, "1", "feed failed: no connection")):
        stage.send("services", {"states": [], "rows": [{**row, "state": state, "attempt": attempt}]})
        browser.until(f"byId('services').innerText.includes({json.dumps(words)})")
        cells = browser.run("[...document.querySelectorAll('#services tbody td')].map((cell) => cell.innerText)")
        assert [cells[1], *cells[-2:]] == ["failed" if state == "ended" else state, restarts, "no connection"]
        assert browser.run("byId('tab-services').innerText") == ("Services1" if state == "ended" else "Services")
    assert browser.complaints() == []


def test_observers_are_sorted_and_filtered(browser, stage):
    rows = [observer(f"event.{at:03}", f"App/File{at % 7}.swift:{at}", count=(at * 37) % 101) for at in range(300)]
    stage.send("observers", observers(rows))
    browser.run("inspector.select('observers')")
    browser.until("document.querySelectorAll('#observers tbody tr').length === 300")
    cells = "[...document.querySelectorAll('#observers tbody tr')].map((row) => row.cells[{}].innerText)"
    browser.run("document.querySelectorAll('#observers th button')[3].click()")
    counts = [int(text) for text in browser.run(cells.format(3))]
    assert counts == sorted(counts, reverse=True)
    assert browser.run("document.querySelectorAll('#observers th')[3].getAttribute('aria-sort')") == "descending"
    browser.run("document.querySelectorAll('#observers th button')[0].click()")
    assert browser.run(cells.format(0)) == [f"event.{at:03}" for at in range(300)]
    # The headings stay in sight.
    for width in (800, 1440):
        browser.shape(width)
        browser.run("(byId('observers').scrollTop = 3000, 1)")
        browser.frame()
        assert 0 <= browser.run("document.querySelector('#observers th').getBoundingClientRect().top") < 80
    # Rows that did not change are the same elements after an update, which keeps what is selected in them.
    browser.run("(window.first = document.querySelector('#observers tbody tr'), 1)")
    rows[5]["count"] = 77
    stage.send("observers", observers(rows))
    browser.until("[...document.querySelectorAll('#observers tbody tr')][5].cells[3].innerText === '77'")
    assert browser.run("document.querySelector('#observers tbody tr') === window.first")
    assert browser.run("byId('observers').scrollTop") == 3000
    browser.find(".search").send_keys("file3.swift")
    browser.until("document.querySelectorAll('#observers tbody tr').length === 43")
    assert browser.run("document.querySelector('.shown').innerText") == "43 of 300 lines of code"
    assert browser.complaints() == []


def test_a_chosen_switch_of_themes_stays_chosen_when_others_follow(browser, stage):
    def history(count):
        kept = range(max(0, count - 200), count)
        keys = [{"name": "color", "old": ["color = #112233 (A)"], "new": ["color = #445566 (B)"]}]
        return {"count": count, "switches": [
            {"time": at, "old": f"T{at}", "new": f"T{at + 1}", "appearance": "dark", "keyCount": 1, "keys": keys} for at in kept]}

    stage.send("themes", history(300))
    browser.run("inspector.select('themes')")
    browser.until("document.querySelectorAll('button.switch').length === 200")
    browser.run("document.querySelectorAll('button.switch')[10].click()")
    chosen = "document.querySelector('button.switch[aria-pressed=true]').innerText"
    browser.until(f"{chosen}.includes('T289 → T290')")
    stage.send("themes", history(330))
    browser.until("document.querySelector('.callout').innerText.includes('330 switches')")
    assert "T289 → T290" in browser.run(chosen)
    assert browser.run("document.querySelector('.swatch').style.background") == "rgb(17, 34, 51)"
    assert browser.complaints() == []


@pytest.fixture(scope="module")
def saved():
    with tempfile.TemporaryDirectory() as folder:
        path, trace = pathlib.Path(folder) / "trace.html", pathlib.Path(folder) / "trace.json"
        subprocess.run(
            [PROGRAM, "--save", path, "--trace", trace, "--seconds", "2"], check=True,
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        yield path, trace


def test_a_saved_file_opens_alone(browser, saved):
    path, trace = saved
    browser.shape()
    browser.driver.execute_cdp_cmd("Network.enable", {})
    browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
        "offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0})
    try:
        browser.open(path.as_uri())
        browser.until(f"{POSTS} > 30")
        assert browser.run("byId('status').innerText").startswith("Saved file")
        assert browser.run("byId('span').innerText").startswith("Saved")
        assert browser.run("byId('live').hidden && byId('newest').hidden && byId('notice').hidden")
        assert browser.run("performance.getEntriesByType('resource').length") == 0
        assert browser.run("inspector.data.services.rows.every((row) => row.state === 'ended')")
        # The payload of the program that would end a script.
        assert browser.run("inspector.model.posts.some((post) => (post.payload || '').includes('Re: </script>'))")
        browser.run("inspector.select('launch')")
        browser.until("byId('launch').innerText.includes('keychain')")
        assert browser.complaints() == []
    finally:
        browser.driver.execute_cdp_cmd("Network.disable", {})
    events = json.loads(trace.read_text())["traceEvents"]
    assert {"M", "X", "i", "s", "f"} <= {event["ph"] for event in events}
    assert any("posted at" in event.get("args", {}) for event in events)
