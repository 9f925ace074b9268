"""Much of everything. Work is counted; times are printed."""

import pytest

from browser import Program
from stage import MS, Trace

POSTS = "inspector.model.posts.length"


def test_100_000_steps_stay_responsive(browser):
    with Program("--busy") as program:
        browser.shape()
        browser.open(program.url)
        browser.until("inspector.clock.count > 100000")
        browser.until("inspector.model.entryCount >= 90000")
        assert browser.run("inspector.model.entryCount") <= 110000
        browser.run("(inspector.select('timeline'), byId('fit').click())")
        result = browser.run("""(() => {
            const { timeline, filter, log } = inspector;
            const measure = (body) => {
                const times = [];
                for (let round = 0; round < 9; round += 1) {
                    const start = performance.now();
                    body(round);
                    timeline.draw();
                    log.draw();
                    times.push(performance.now() - start);
                }
                return { time: times.sort((left, right) => left - right)[4], work: { ...timeline.work } };
            };
            const all = measure(() => timeline.showAll());
            const zoomed = measure(() => { timeline.showAll(); timeline.zoom(0.0001); });
            timeline.showAll();
            timeline.zoom(0.05);
            const panned = measure((round) => timeline.pan(round % 2 ? 0.1 : -0.1));
            const filtered = measure((round) => {
                filter.set(round % 2 ? "mail" : "index");
                timeline.showAll();
                log.update();
            });
            filter.set("");
            const pixels = timeline.plot, rows = timeline.layOut().length * 10;
            const items = [...inspector.model.lanes.values()].reduce((sum, lane) => sum + lane.items.length, 0);
            return { all, zoomed, panned, filtered, pixels, rows, items };
        })()""")
        print({name: (round(result[name]["time"], 1), result[name]["work"]) for name in ("all", "zoomed", "panned", "filtered")})
        # However many bars there are, a frame draws at most what the pixels can show.
        assert result["items"] > 20_000
        limit = result["pixels"] / 2 * 3 * result["rows"]
        for name in ("all", "filtered"):
            assert result[name]["work"]["bars"] < min(limit, result["items"] / 2), name
            assert result[name]["work"]["labels"] < result["pixels"] / 2
        # A short window looks at few blocks, not at everything.
        assert result["zoomed"]["work"]["visited"] < result["items"] / 4
        assert result["panned"]["work"]["visited"] < result["items"]
        # Only visible rows are elements.
        assert browser.run("document.querySelectorAll('.row').length") < 60
        assert browser.run("document.querySelectorAll('*').length") < 1000


def test_rows_stay_in_their_places_above_a_million_pixels(browser, stage):
    trace = Trace()
    for number in range(1, 45_001):
        trace.post(number, number * MS // 10, length=1_000)
    stage.play(trace)
    browser.until(f"{POSTS} === 45000")
    # Each round shows other rows in the elements of the round before.
    for at in (37_030, 40_000, 40_003, 44_990):
        browser.run("(byId('log').scrollTop = arguments[0] * Log.rowHeight, 1)", at)
        browser.frame()
        browser.frame()
        tops, height = browser.run("""[[...document.querySelectorAll('#log .row')].filter((row) => row.id)
            .map((row) => row.getBoundingClientRect().top).sort((left, right) => left - right), Log.rowHeight]""")
        assert len(tops) > 5, at
        gaps = {round(right - left, 2) for left, right in zip(tops, tops[1:])}
        assert gaps == {height}, (at, gaps)


def test_many_failures_are_not_drawn_over_each_other(browser, stage):
    trace = Trace()
    for number in range(1, 8_001):
        trace.post(number, number * MS // 10, length=1_000, calls=[("App/Window.swift:9", "MainActor", 0, 500, "bad")])
    stage.play(trace)
    browser.until(f"{POSTS} === 8000")
    browser.find("#fit").click()
    browser.frame()
    bars, pixels = browser.run("[inspector.timeline.work.bars, inspector.timeline.plot]")
    # Two rows, three pixels each.
    assert 100 < bars <= 2 * (pixels / 3 + 2)


@pytest.mark.parametrize("count", [60, 3_000])
def test_many_actors_remain_within_reach(browser, stage, count):
    trace = Trace()
    for number in range(1, count + 1):
        trace.post(number, number * MS // 10, lane=f"Worker {number}", length=20 * MS)
    stage.play(trace)
    browser.until(f"{POSTS} === {count}")
    browser.find("#fit").click()
    browser.frame()
    assert browser.run("inspector.timeline.overflows")
    # The canvas is as large as what is in sight; the axis stays there.
    assert browser.run("byId('canvas').clientHeight === byId('lanes').clientHeight && byId('canvas').height < 900")
    assert browser.run("byId('tall').clientHeight") > count * 30
    browser.listen()
    assert {"Worker 1", "Actor or thread"} <= set(browser.texts("canvas"))
    # The wheel scrolls the lanes, with Control it zooms.
    box = browser.run("(() => { const box = byId('canvas').getBoundingClientRect(); return [box.left + 400, box.top + 60]; })()")
    wheel = {"type": "mouseWheel", "x": box[0], "y": box[1], "deltaX": 0}
    span = browser.run("inspector.timeline.span")
    browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {**wheel, "deltaY": 1e6})
    browser.until("byId('lanes').scrollTop > 0")
    browser.run("(byId('lanes').scrollTop = 1e9, 1)")
    browser.frame()
    browser.listen()
    texts = browser.texts("canvas")
    assert f"Worker {count}" in texts and "Worker 1" not in texts and "Actor or thread" in texts
    assert browser.run("inspector.timeline.span") == span
    browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {**wheel, "deltaY": -100, "modifiers": 2})
    browser.until(f"inspector.timeline.span < {span}")
    # A click meets what is drawn there.
    browser.frame()
    browser.frame()
    x, y, number = browser.run("""(() => {
        const hit = inspector.timeline.hits.at(-1);
        const box = byId("canvas").getBoundingClientRect();
        return [box.left + hit[0] + hit[2] / 2, box.top + hit[1] + hit[3] / 2, hit[4].number];
    })()""")
    browser.click(x, y)
    browser.until(f"inspector.timeline.chosen && inspector.timeline.chosen.number === {number}")
    # Lanes with nothing in the window make room for the others.
    browser.run("(inspector.timeline.show(0, 2e5), 1)")
    browser.until(r"/\d+ idle lanes? hidden/.test(byId('span').innerText)")
    assert browser.complaints() == []


def test_actors_of_one_type_are_told_apart(browser, stage):
    trace = Trace()
    trace.lanes += ["Worker", "Worker", "Worker"]
    stage.play(trace)
    browser.until("inspector.model.laneNames.length === 4")
    assert browser.run("inspector.model.laneNames") == ["other actors", "Worker", "Worker 2", "Worker 3"]


def test_a_page_that_stays_open_keeps_no_more_than_the_program(browser, stage):
    stage.meta["capacity"] = 2_000
    browser.open(stage.url)
    trace = Trace()
    number = 0
    for round in range(12):
        for _ in range(400):
            number += 1
            # Each post is caused by the one before, as when two actors answer each other for ever.
            trace.post(number, number * MS, lane=f"Ping{number % 2}", outer=number - 1, payload="x" * 50,
                       calls=[("App/Window.swift:9", f"Ping{number % 2}", MS // 4, MS // 4)])
        stage.play(trace)
        browser.until(f"inspector.model.nextEntry === {len(trace.entries)}")
        if round == 0:
            browser.run("(inspector.choose(inspector.model.posts[5], true), window.old = inspector.timeline.chosen, 1)")
        browser.frame()
    assert browser.run("inspector.model.entryCount") <= 2_200
    # Everything that is reachable from the page, by walking.
    count = browser.run("""(() => {
        const seen = new Set(), todo = [inspector];
        let posts = 0;
        while (todo.length) {
            const value = todo.pop();
            if (value === null || typeof value !== "object" || seen.has(value) || value instanceof Node) continue;
            seen.add(value);
            if (value.isPost) posts += 1;
            if (value instanceof Map) todo.push(...value.keys(), ...value.values());
            else if (value instanceof Set) todo.push(...value);
            else todo.push(...Object.values(value));
        }
        return posts;
    })()""")
    # Those that are kept, the chosen one, and those that the sums refer to.
    assert count <= browser.run(POSTS) + 10
    assert browser.run("document.querySelectorAll('*').length") < 1000
    assert browser.run("window.old.isGone && byId('detail').innerText.includes('older than what the recording keeps')")
    assert browser.complaints() == []


def test_the_layout_keeps_rows_apart_and_free_when_posts_are_forgotten(browser, usual):
    browser.open(usual.url)
    result = browser.run("""(() => {
        const model = new Model();
        model.meta.capacity = 40;
        const entry = (kind, post, time, registration) => [kind, post, 0, time, 0, 0, registration, 0, 0, 0];
        const send = (first, ...entries) => model.addTrace({
            first, stringsFrom: 0, strings: ["name"], lanesFrom: 0, lanes: ["lane"], texts: {}, entries: entries.flat()});
        let first = 0;
        for (let post = 1; post <= 100; post += 1) {
            const time = post * 10;
            // The call never ends.
            send(first, entry(0, post, time, -1), entry(3, post, time + 1, 7), entry(1, post, time + 9, -1));
            first += 3;
        }
        const before = model.lanes.get(0).rows.filter((row) => row && !isFinite(row.t1)).length;
        const rows = new Set(model.posts.flatMap((post) => post.calls.map((call) => call.row))).size;
        // A gap: what was running has ended, as far as anyone knows.
        send(first + 50, entry(0, 1000, 5000, -1), entry(1, 1000, 5001, -1));
        return { count: model.posts.length, before, rows, row: model.posts.at(-1).row, open: model.open.size };
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
    # What runs at the same time never shares a row.
    assert result["rows"] == result["count"] - 1
    assert result["before"] <= 16
    assert result["row"] == 0
    assert result["open"] == 0


def test_a_call_that_does_not_end_is_among_the_slow_ones(browser, stage):
    trace = Trace()
    trace.post(1, MS, calls=[("App/Sync.swift:6", "Sync", 0, None), ("App/Window.swift:9", "MainActor", 0, MS)])
    stage.play(trace)
    stage.clock = {"now": 5_000 * MS, "count": 8}
    browser.until("/^Sync.swift:6\\nsample\\nruns [56](\\.\\d)? s/.test(byId('slowest').querySelector('.fact')?.innerText)")
