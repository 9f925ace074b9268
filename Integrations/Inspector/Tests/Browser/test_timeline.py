"""The timeline in a real browser: python -m pytest Tests/Browser

Each test states what holds. Work is counted rather than timed: the machine may be busy with others.
"""

import pytest
from selenium.webdriver import ActionChains

from stage import MS, Trace

POSTS = "inspector.model.posts.length"
WINDOW = "inspector.timeline.t1 - inspector.timeline.t0"


def median(values):
    return sorted(values)[len(values) // 2]


def sample():
    """Three events on two actors: one slow handler, one that failed, a post inside a handler."""
    trace = Trace()
    for round in range(20):
        at = 100 * MS * (round + 1)
        trace.post(round * 3 + 1, at, "mail.arrived", "App/Mailbox.swift:36", "thread 1", MS, payload=f"Message {round}", calls=[
            ("App/Index.swift:11", "Index", MS, 30 * MS if round % 5 == 0 else MS, *(["damaged"] if round % 4 == 1 else [])),
            ("App/Window.swift:9", "MainActor", 2 * MS, MS // 2)])
        trace.post(round * 3 + 2, at + 2 * MS + 1000, "unread.changed", "App/Window.swift:11", "MainActor", MS // 4,
                   outer=round * 3 + 1, calls=[("App/Window.swift:13", "MainActor", 1000, MS // 10)])
        trace.post(round * 3 + 3, at + 50 * MS, "cursor.moved", "App/Mailbox.swift:40", "MainActor")
    return trace


def test_the_page_loads_without_complaints(page):
    assert page.run("document.title").endswith("Inspector")
    assert "Running" in page.run("byId('status').textContent")
    page.until("byId('headline').textContent.includes('posts of')")
    # Something other than the background is drawn.
    page.until("inspector.timeline.work.bars > 10")
    assert page.run("""(() => {
        const canvas = byId("canvas");
        const pixels = canvas.getContext("2d").getImageData(160, 24, canvas.width - 160, 60).data;
        return new Set(new Uint32Array(pixels.buffer)).size > 3;
    })()""")


@pytest.mark.cost
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
    page.until("window.ages.length >= 60")
    ages = page.run("window.ages")
    medians = [median(ages[first:first + 20]) for first in range(0, 60, 20)]
    print(f"medians {[round(value) for value in medians]} ms, slowest {max(ages):.0f} ms")
    # The best of three: a machine that is busy with other work holds up some frames.
    assert min(medians) < 100, ages


def test_the_lists_have_headings_and_keep_slow_and_failed_apart(browser, stage):
    stage.play(sample())
    browser.until("byId('failures').innerText.includes('Index')")
    heads = {name: browser.run(f"byId('{name}').querySelector('.heads').innerText").split("\n")
             for name in ("posters", "receivers", "slowest", "failures")}
    assert heads == {
        "posters": ["Event", "Posted at", "Posts"], "receivers": ["Handler", "Event", "Calls"],
        "slowest": ["Handler", "Event", "Longest"], "failures": ["Handler", "Event", "Failures"]}
    assert browser.run("[...document.querySelectorAll('.row.head span')].map((each) => each.innerText)") == [
        "Time", "Event, posted at", "Received by, for how long", "Took"]
    first = {name: browser.run(f"byId('{name}').querySelector('.fact').innerText").split("\n") for name in heads}
    assert first["posters"][-1] == "20" and first["receivers"][-1] == "20"
    assert first["slowest"] == ["Index.swift:11", "mail.arrived", "30 ms"]
    assert first["failures"] == ["Index.swift:11", "mail.arrived", "5"]
    assert "failed" not in browser.run("byId('slowest').innerText").lower()
    headline = browser.run("byId('headline').innerText")
    assert "5 calls failed" in headline and "4 calls took longer than a frame: the slowest 30 ms" in headline


def test_both_axes_are_labeled_and_the_length_of_the_window_is_printed(browser, stage):
    stage.play(sample())
    browser.until(f"{POSTS} === 60")
    browser.find("#fit").click()
    browser.listen()
    browser.until("(drawnTexts.strip || new Set()).has('Recording')")
    strip, lanes = browser.texts("strip"), browser.texts("canvas")
    assert {"0:01.000", "Recording"} <= set(strip), strip
    assert {"Actor or thread", "MainActor", "Index", "0:01.000"} <= set(lanes), lanes
    length = browser.run(f"Format.duration({WINDOW})")
    assert browser.run("byId('span').innerText").replace("\n", " ").startswith(f"Paused {length}, 0:00.")
    # A short window counts from the chosen post.
    browser.run("inspector.choose(inspector.model.posts[3], true)")
    browser.listen()
    assert {"0", "+1.0 ms"} <= set(browser.texts("canvas")), browser.texts("canvas")
    assert browser.run("byId('span').innerText").replace("\n", " ").startswith(
        f"Paused {browser.run(f'Format.duration({WINDOW})')} from 0:00.")


def test_the_axis_of_a_very_short_recording_counts_from_its_beginning(browser, stage):
    stage.play(sample())
    browser.until(f"{POSTS} === 60")
    for length in ("4e5", "3e6", "7e10"):
        browser.run(f"(Object.defineProperty(inspector.timeline, 'range', {{ configurable: true, get: () => [5e9, 5e9 + {length}] }}), 1)")
        browser.run("""(() => {
            window.labels = [];
            const write = CanvasRenderingContext2D.prototype.fillText;
            CanvasRenderingContext2D.prototype.fillText = function (text) { if (this.canvas.id === "strip") labels.push(text); };
            inspector.strip.draw();
            CanvasRenderingContext2D.prototype.fillText = write;
        })()""")
        labels = browser.run("labels")
        assert len(labels) > 5 and len(set(labels)) == len(labels), labels
    assert "0:10" in labels


def test_a_moment_that_is_not_now_is_never_called_live(browser, stage):
    stage.play(sample())
    words = "byId('span').querySelector('b').innerText"
    browser.until(f"{words} === 'Live' && byId('live').innerText === 'Pause'")
    browser.find("#live").click()
    browser.until(f"{words} === 'Paused' && byId('live').innerText === 'Back to live'")
    browser.find("#live").click()
    browser.until(f"{words} === 'Live'")
    # A chosen post pauses, too: it would move away.
    browser.run("inspector.choose(inspector.model.posts.at(-1))")
    browser.until(f"{words} === 'Paused'")
    before = browser.run("inspector.timeline.t1")
    trace = sample()
    trace.sent = [len(trace.entries), 0, 0]
    trace.post(900, 9_000 * MS)
    stage.play(trace)
    browser.until("inspector.model.end >= 9e9")
    browser.frame()
    assert browser.run("inspector.timeline.t1") == before
    assert browser.run("!inspector.log.isFollowing && byId('newest').hidden")
    browser.find("#live").click()
    browser.until(f"{words} === 'Live' && inspector.timeline.t1 >= 9e9 && inspector.log.isFollowing")
    assert browser.run("byId('detail').hidden")
    assert browser.complaints() == []


def test_labels_end_with_an_ellipsis_or_are_whole(browser, stage):
    trace = Trace()
    name = "a.name.that.is.rather.long.for.a.bar"
    # Too narrow for its name, wide enough for it, with room beside it, and with none.
    for number, (at, length, next) in enumerate([(100, 90, 195), (300, 400, 705), (800, 5, 1200), (1300, 5, 1307)]):
        trace.post(number * 2 + 1, at * MS, name, length=length * MS)
        trace.post(number * 2 + 2, next * MS, "other", length=MS)
    stage.play(trace)
    browser.until(f"{POSTS} === 8")
    browser.run("""(() => {
        window.labels = [];
        const write = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
            if (this.canvas.id === "canvas" && text.startsWith("a.name")) labels.push([text, x, y, this.measureText(text).width]);
            return write.call(this, text, x, y);
        };
        byId("fit").click();
    })()""")
    labels = browser.run("(() => { labels.length = 0; inspector.timeline.draw(); return [...labels]; })()")
    hits = browser.run("inspector.timeline.hits.filter((hit) => inspector.model.strings[hit[4].name] === 'other').map((hit) => hit[0])")
    whole = [text == name for text, *_ in labels]
    assert whole == [False, True, True] and labels[0][0].endswith("…"), labels
    for text, x, _, width in labels:
        # Nothing is written over the next bar.
        assert min((hit for hit in hits if hit > x), default=1e9) >= x + width - 3, text


def test_a_filter_leaves_only_what_it_names(page):
    field = page.find("#filter")
    field.send_keys("mail.arr")
    page.until(f"inspector.log.posts.length > 0 && inspector.log.posts.length < {POSTS}")
    shown = page.run("[...new Set(inspector.log.posts.map((post) => inspector.model.strings[post.name]))]")
    assert shown == ["mail.arrived"]
    page.frame()
    drawn = page.run("[...new Set(inspector.timeline.hits.map((hit) => inspector.model.strings[hit[4].name]))]")
    assert drawn == ["mail.arrived"]
    # The name of a file finds those who post there, and those that receive there.
    field.clear()
    field.send_keys("synchronizer.swift")
    page.until("inspector.log.posts.length > 0 && inspector.filter.text === 'synchronizer.swift'")
    page.frame()
    assert set(page.run("inspector.log.posts.map((post) => inspector.model.strings[post.name])")) <= {
        "sync.wanted", "connection.lost"}


def test_a_filter_without_matches_says_so_and_offers_the_way_back(page):
    field = page.find("#filter")
    field.send_keys("there is no such name")
    page.until("inspector.log.posts.length === 0")
    page.listen()
    assert "No post passes the filter" in page.run("byId('log').innerText")
    assert "Nothing in this window passes the filter." in page.texts("canvas")
    page.find("#log .link").click()
    page.until("inspector.log.posts.length > 30 && inspector.filter.text === ''")
    assert field.get_attribute("value") == ""


def test_a_name_is_hidden_with_its_button(page):
    moved = "inspector.log.posts.some((post) => inspector.model.strings[post.name] === 'cursor.moved')"
    button = "[...document.querySelectorAll('.name')].find((node) => node.innerText.startsWith('cursor.moved'))"
    page.until(f"{moved} && {button} !== undefined")
    page.run(f"{button}.click()")
    page.until(f"!{moved}")
    page.until(f"{button}.getAttribute('aria-pressed') === 'false'")
    page.run(f"{button}.click()")
    page.until(moved)


CHIPS = "[...document.querySelectorAll('.name:not(.more)')].map((chip) => chip.textContent)"


def test_the_names_with_the_most_posts_are_first_and_none_moves_under_the_pointer(browser, stage):
    trace, number = Trace(), 0

    def post(name, count):
        nonlocal number
        for _ in range(count):
            number += 1
            trace.post(number, number * MS, name)

    for name, count in [("one", 1), ("five", 5), ("forty", 40), ("also.five", 5), ("application.seven", 7)]:
        post(name, count)
    stage.play(trace)
    browser.until(f"{CHIPS}.join() === 'forty40,application.seven7,five5,also.five5,one1'")
    ActionChains(browser.driver).move_to_element(browser.find(".name")).perform()
    post("one", 50)
    stage.play(trace)
    browser.until(f"{CHIPS}.join() === 'forty40,application.seven7,five5,also.five5,one51'")
    ActionChains(browser.driver).move_to_element(browser.find("#headline")).perform()
    post("five", 1)
    stage.play(trace)
    browser.until(f"{CHIPS}.join() === 'one51,forty40,application.seven7,five6,also.five5'")


def test_the_line_of_a_source_site_is_whole_where_its_file_is_cut_off(browser, stage):
    trace = Trace()
    for number in range(1, 41):
        line = 118 + number % 4
        trace.post(number, number * MS, "application.conversationDidChange", f"Mail/{'Conversation' * 5}View.swift:{line}",
                   calls=[(f"Mail/{'Conversation' * 5}List.swift:{line}", "MainActor", 0, 20 * MS, "bad")])
    stage.play(trace)
    browser.until("document.querySelectorAll('.fact').length === 16 && document.querySelectorAll('.row .call').length > 3")
    for width in (1440, 1024, 800):
        browser.shape(width)
        browser.frame()
        for selector in ["#posters .where", "#receivers .what", "#slowest .what", "#failures .what", ".row .event .site",
                         ".row .call > span"]:
            lines = browser.run("""[...document.querySelectorAll(arguments[0])].filter((node) => node.offsetParent).map((node) => {
                const [file, line] = [".file", ".number"].map((part) => node.querySelector(part));
                const [box, text] = [node.getBoundingClientRect(), document.createRange()];
                text.selectNodeContents(line);
                const ends = text.getBoundingClientRect();
                const isWhole = ends.width > 0 && ends.left >= box.left && ends.right <= box.right + 1 && line.scrollWidth <= line.clientWidth + 1;
                return [isWhole ? line.textContent : `cut off: ${node.textContent}`, file.scrollWidth > file.clientWidth];
            })""", selector)
            assert len(lines) >= 3, (selector, width)
            assert {line for line, _ in lines} <= {":118", ":119", ":120", ":121"}, (selector, width)
            # A list of posts has room for the whole handler.
            assert all(isCut for _, isCut in lines) or selector.startswith(".row .call"), (selector, width)
    # What has room is whole.
    browser.shape()
    assert browser.run("""[["Main.swift:1", 300], ["Main.swift:1000", 300]].map(([site, room]) => {
        const node = element("span", { class: "what", style: `display: block; width: max-content; max-width: ${room}px` }, ...Format.siteParts(site));
        document.body.append(node);
        const file = node.querySelector(".file");
        const isWhole = file.scrollWidth <= file.clientWidth && node.innerText === site;
        node.remove();
        return isWhole;
    })""") == [True, True]


def test_names_without_room_are_behind_a_button(browser, stage):
    trace = Trace()
    for number in range(1, 61):
        trace.post(number, number * MS, f"some.event.{number}")
    stage.play(trace)
    browser.until("document.querySelector('.name.more') !== null")
    for width in (1440, 800, 480):
        browser.shape(width)
        browser.until(f"byId('bar').clientWidth < {width}")
        browser.frame()
        browser.until("""(() => {
            const box = byId("names").getBoundingClientRect();
            const chips = [...document.querySelectorAll(".name")];
            const shown = chips.length - 1;
            return shown > 0 && document.querySelector(".name.more").innerText === `+${60 - shown} more`
                && chips.every((chip) => chip.getBoundingClientRect().right <= box.right + 1);
        })()""")
    browser.find(".name.more").click()
    browser.until("document.querySelectorAll('.name').length === 61")
    browser.find(".name.more").click()
    browser.until("document.querySelectorAll('.name').length < 61")


def test_a_click_on_a_bar_shows_the_post_with_its_handlers_and_payload(page):
    page.until("inspector.model.posts.some((post) => post.payload !== undefined && post.calls.length > 1)")
    page.run("""(() => {
        const posts = inspector.model.posts.filter((post) => post.payload !== undefined && post.calls.length > 1);
        window.wanted = posts.at(-1);
        inspector.timeline.showItem(window.wanted);
        inspector.timeline.draw();
    })()""")
    page.until("inspector.log.posts.length > 60")
    x, y = page.run("""(() => {
        const hit = inspector.timeline.hits.find((hit) => hit[4] === window.wanted);
        const box = byId("canvas").getBoundingClientRect();
        return [box.left + hit[0] + hit[2] / 2, box.top + hit[1] + hit[3] / 2];
    })()""")
    page.run("(byId('log').scrollTop = 0, 1)")
    page.frame()
    page.click(x, y)
    page.until("!byId('detail').hidden")
    # The list shows the post, too.
    page.until("""(() => {
        const [row, list] = [document.querySelector(".row.chosen")?.getBoundingClientRect(), byId("log").getBoundingClientRect()];
        return row && row.top >= list.top - 1 && row.bottom <= list.bottom + 1;
    })()""")
    text = page.run("byId('detail').innerText")
    for word in ("mail.arrived", "posted at", "Mailbox.swift:", "Message ", "SearchIndex.swift:", "Window.swift:", "condition not met"):
        assert word.lower() in text.lower(), text


def test_a_skipped_handler_is_named_with_its_reason(browser, stage):
    trace = Trace()
    handler = ("App/Window.swift:9", "MainActor", 0, MS)
    trace.post(1, MS, calls=[handler], payload="long\n" * 60, skips=[("App/Index.swift:7", 0)])
    trace.post(2, 20 * MS, calls=[handler], skips=[("App/Index.swift:7", 1), ("App/Other.swift:8", 1)])
    trace.post(3, 40 * MS, calls=[handler], skips=[("App/Index.swift:7", 0), ("App/Other.swift:8", 1)])
    stage.play(trace)
    browser.until("inspector.log.posts.length === 3")
    skipped = "[...document.querySelectorAll('#log .call.none')].map((each) => [each.innerText, each.title])"
    assert browser.run(skipped) == [
        ["Index.swift:7 skipped: condition not met", "Skipped\nApp/Index.swift:7: condition not met"],
        ["2 skipped: paused", "Skipped\nApp/Index.swift:7: paused\nApp/Other.swift:8: paused"],
        ["2 skipped", "Skipped\nApp/Index.swift:7: condition not met\nApp/Other.swift:8: paused"]]
    browser.run("inspector.choose(inspector.model.posts[0], true)")
    fact = "[...document.querySelectorAll('#detail dd')].at(-1)"
    assert browser.run(f"{fact}.innerText") == "Index.swift:7: condition not met"
    # Neither handlers nor a payload push it out of sight.
    assert browser.run(f"{fact}.getBoundingClientRect().bottom < byId('detail').getBoundingClientRect().bottom")
    trace.post(4, 60 * MS, calls=[handler], skips=[(f"App/Index.swift:{line}", line % 2) for line in range(9)])
    stage.play(trace)
    browser.until("inspector.model.posts.length === 4")
    browser.run("inspector.choose(inspector.model.posts[3], true)")
    assert browser.run(f"{fact}.innerText") == "9 handlers, see below"
    assert "Skipped, and why\nIndex.swift:0: condition not met\nIndex.swift:1: paused\n" in browser.run("byId('detail').innerText")
    browser.run("inspector.choose(undefined)")
    browser.shape(800)
    browser.until("byId('log').clientWidth < 800")
    browser.run("(byId('log').scrollTop = 0, 1)")
    browser.until(f"{skipped}[0][0] === '1 skipped'")
    # The room is for handlers first.
    assert min(browser.run("[...document.querySelectorAll('#log .call:not(.none) > span')].map((node) => node.clientWidth)")) >= 60
    assert browser.complaints() == []


def test_both_spans_of_a_post_are_named(browser, stage):
    trace = Trace()
    trace.post(1, MS, length=MS // 10, calls=[("App/Index.swift:7", "Index", MS, 3 * MS)])
    trace.post(2, 20 * MS, length=2 * MS, calls=[("App/Window.swift:9", "MainActor", 0, MS)])
    trace.post(3, 40 * MS, length=MS)
    trace.post(4, 60 * MS, length=MS, calls=[("App/Index.swift:7", "Index", MS, None)])
    stage.play(trace)
    browser.until("inspector.log.posts.length === 4")
    took = []
    for at in range(4):
        browser.run("inspector.choose(inspector.model.posts[arguments[0]], true)", at)
        took.append(browser.run("[...document.querySelectorAll('#detail dd')].at(-1).innerText"))
    assert took == ["4.0 ms until the last handler ended; the posting itself 100 µs", "2.0 ms, handlers included", "1.0 ms",
                    "a handler still runs or waits; the posting itself 1.0 ms"]
    # The list has the same number.
    assert browser.run("[...document.querySelectorAll('#log .took')].map((each) => each.innerText)")[:2] == ["4.0 ms", "2.0 ms"]
    assert browser.run("document.querySelector('.row.head .took').title") == "From the post until its last handler ended"


def test_the_legend_has_the_colors_of_the_lanes(browser, stage):
    trace = Trace()
    for number in range(1, 5):
        trace.post(number, number * MS, f"event.{number}")
    stage.play(trace)
    browser.until("inspector.model.posts.length === 4")
    for scheme in ("light", "dark"):
        for width in (1440, 800, 480):
            browser.shape(width, scheme=scheme)
            browser.frame()
            assert browser.run("byId('legend').innerText").startswith("color = event")
            # What has one meaning for all events has none of their colors.
            colors, post, handler = browser.run("""[[0, 1, 2].map((at) => Colors.get(`event-${at}`)),
                ...["post", "handler"].map((name) => getComputedStyle(document.querySelector(`#legend .${name}`)).backgroundColor)]""")
            assert colors == browser.run("inspector.model.posts.slice(0, 3).map((post) => inspector.model.color(post.name))")
            assert post == handler and post not in browser.run(
                "inspector.model.posts.map((post) => { const node = element('i', { style: `color: ${inspector.model.color(post.name)}` }); return node.style.color; })")
            assert browser.run("Math.max(...[...byId('legend').querySelectorAll('span:not(.wide)')].map((each) => each.getBoundingClientRect().right))") <= width - 10


def test_the_status_and_a_paused_view_do_not_contradict_each_other(browser, stage):
    stage.play(sample())
    browser.find("#live").click()
    browser.until("byId('span').innerText.startsWith('Paused')")
    status = browser.run("byId('status').innerText").replace("\n", " ")
    assert status.startswith("Running · ") and status.endswith(" steps recorded")


def test_the_first_row_in_sight_is_whole_at_the_end_of_the_list(browser, stage):
    trace = Trace()
    for number in range(1, 100):
        trace.post(number, number * MS)
    stage.play(trace)
    browser.until(f"{POSTS} === 99")
    for width, height in ((1440, 900), (800, 900), (800, 871), (800, 913), (480, 1000)):
        browser.shape(width, height)
        browser.frame()
        assert browser.run("inspector.log.isFollowing")
        inside = browser.run("""(() => {
            const box = byId("log").getBoundingClientRect();
            const rows = [...byId("log").querySelectorAll(".row")].map((row) => row.getBoundingClientRect());
            return [rows.filter((row) => row.bottom > box.top + 0.5 && row.top < box.top - 0.5).length,
                rows.at(-1).bottom <= box.bottom + 0.5];
        })()""")
        assert inside == [0, True], (width, height)


def test_a_click_in_the_strip_shows_that_moment(browser, stage):
    stage.play(sample())
    browser.until(f"{POSTS} === 60")
    browser.frame()
    # The recording grows with the time: what counts is its length at the click.
    x, y = browser.run("""(() => {
        const box = byId("strip").getBoundingClientRect();
        const gutter = inspector.timeline.gutter;
        addEventListener("pointerdown", () => { window.clicked = inspector.timeline.range; }, { capture: true, once: true });
        return [box.left + gutter + (box.width - gutter) * 0.25, box.top + 20];
    })()""")
    browser.click(x, y)
    browser.until("!inspector.timeline.isLive")
    t0, t1, begin, end = browser.run("[inspector.timeline.t0, inspector.timeline.t1, ...clicked]")
    assert (t0 + t1) / 2 == pytest.approx(begin + (end - begin) * 0.25, rel=0.02)
    # The list shows the beginning of the window.
    browser.frame()
    first = browser.run("inspector.log.posts[Math.round(byId('log').scrollTop / Log.rowHeight)].t0")
    assert t0 <= first <= t1


def test_zoom_and_pan_stay_within_the_recording_at_every_extreme(browser, stage):
    stage.play(sample())
    browser.until(f"{POSTS} === 60")
    browser.find("#fit").click()
    browser.until("!inspector.timeline.isLive")
    before = browser.run(WINDOW)
    browser.find("#zoom-in").click()
    assert browser.run(WINDOW) == pytest.approx(before / 2)
    for action in ("zoom(1e-30)", "zoom(1e30)", "pan(1e9)", "pan(-1e9)", "show(0, 1)", "show(-1e30, 1e30)", "zoom(0.001, -1e15)"):
        browser.run(f"inspector.timeline.{action}")
        browser.listen()
        t0, t1, begin, end, work = browser.run("[inspector.timeline.t0, inspector.timeline.t1, ...inspector.timeline.range, inspector.timeline.work]")
        assert 2e3 <= (t1 - t0) * 1.001 and t1 - t0 <= 20e9, action
        assert t0 <= end and t1 >= begin, action
        ticks = [text for text in browser.texts("canvas") if text[:1] in "0+−"]
        assert 2 <= len(ticks) <= 40, (action, ticks)
    browser.run("(inspector.toggleLive(), inspector.timeline.zoom(1e-9))")
    browser.frame()
    assert browser.run(WINDOW) >= 0.1e9
    assert browser.complaints() == []


def test_a_window_that_moves_often_in_a_frame_draws_the_list_once(browser, stage):
    stage.play(sample())
    browser.until(f"{POSTS} === 60")
    browser.find("#fit").click()
    browser.frame()
    browser.run("""(() => {
        window.draws = 0;
        const { draw } = inspector.log;
        inspector.log.draw = function () { draws += 1; draw.call(this); };
        for (let count = 0; count < 40; count += 1) inspector.timeline.pan(0.01);
        window.before = draws;
    })()""")
    browser.frame()
    assert browser.run("[before, draws > 0 && draws < 6]") == [0, True]


def test_the_list_stays_where_it_is_when_older_posts_are_forgotten(browser, stage):
    stage.meta["capacity"] = 400
    browser.open(stage.url)
    trace = Trace()
    for number in range(1, 200):
        trace.post(number, number * MS)
    stage.play(trace)
    browser.until(f"{POSTS} === 199")
    browser.run("(inspector.timeline.show(150e6, 160e6), 1)")
    browser.frame()
    first = "inspector.log.posts[Math.round(byId('log').scrollTop / Log.rowHeight)].number"
    before = browser.run(first)
    assert 140 < before < 170
    for number in range(200, 260):
        trace.post(number, number * MS)
    stage.play(trace)
    browser.until("inspector.model.posts[0].number > 40")
    browser.frame()
    assert browser.run(first) == before


def test_the_list_shows_the_chosen_post_also_after_another_view_was_open(browser, stage):
    trace = Trace()
    for number in range(1, 30):
        trace.post(number, number * MS)
    stage.play(trace)
    browser.until("inspector.log.posts.length === 29")
    browser.run("inspector.select('observers')")
    for number in range(30, 300):
        trace.post(number, number * MS)
    stage.play(trace)
    browser.until(f"{POSTS} === 299")
    browser.run("(inspector.select('timeline'), inspector.choose(inspector.model.byNumber.get(250), true))")
    assert browser.run("document.querySelector('.row.chosen').innerText").startswith("0:00.250")


def test_the_list_follows_until_it_is_scrolled_back(browser, stage):
    trace = Trace()
    number = 0

    def more(count):
        nonlocal number
        for _ in range(count):
            number += 1
            # New lanes make the chart taller, and the list shorter.
            trace.post(number, number * MS, lane=f"Lane{number // 20}")
        stage.play(trace)
        browser.until(f"{POSTS} === {number}")
        browser.frame()

    rest = "byId('log').scrollHeight - byId('log').scrollTop - byId('log').clientHeight"
    for height in (900, 700, 900):
        browser.shape(1440, height)
        more(120)
        browser.frame()
        assert browser.run(f"inspector.log.isFollowing && byId('newest').hidden && {rest} < 2"), height
    # A short window has one lane; back to live, the lanes take room from the list.
    browser.run("inspector.choose(inspector.model.posts[3], true)")
    browser.until("byId('tall').clientHeight < 100")
    browser.find("#live").click()
    browser.until("byId('tall').clientHeight > 200")
    browser.frame()
    assert browser.run(f"inspector.log.isFollowing && byId('newest').hidden && {rest} < 2")
    browser.run("(byId('log').scrollTop -= 100, 1)")
    browser.until("!inspector.log.isFollowing && !byId('newest').hidden")
    top = browser.run("byId('log').scrollTop")
    more(10)
    assert browser.run("byId('log').scrollTop") == top
    browser.find("#newest").click()
    browser.until(f"inspector.log.isFollowing && byId('newest').hidden && {rest} < 2")


def test_the_list_follows_while_its_size_changes(browser, stage):
    trace = Trace()
    for number in range(1, 100):
        trace.post(number, number * MS)
    stage.play(trace)
    browser.until(f"{POSTS} === 99 && inspector.log.isFollowing")
    # The event of an earlier scroll may arrive when the list has another size already.
    assert browser.run("(byId('log').style.maxHeight = '70px', byId('log').dispatchEvent(new Event('scroll')), inspector.log.isFollowing)")
    browser.frame()
    assert browser.run("inspector.log.isFollowing && byId('log').clientHeight === 70 && byId('newest').hidden")
    assert browser.run("byId('log').scrollHeight - byId('log').scrollTop - byId('log').clientHeight") < 2


def test_an_arrow_within_a_row_does_not_cross_out_a_label(browser, stage):
    trace = Trace()
    trace.post(1, MS, lane="thread 1", length=MS // 10, calls=[("App/Window.swift:9", "MainActor", MS // 5, MS // 10)])
    trace.post(2, 9 * MS, "unread.changed", lane="MainActor", outer=1)
    stage.play(trace)
    browser.until(f"{POSTS} === 2")
    lines, labels = browser.run("""(() => {
        const [lines, labels] = [[], []];
        const { bezierCurveTo, fillText } = CanvasRenderingContext2D.prototype;
        CanvasRenderingContext2D.prototype.bezierCurveTo = function (...all) { if (this.canvas.id === "canvas" && all[1] === all[5]) lines.push(all[5]); return bezierCurveTo.apply(this, all); };
        CanvasRenderingContext2D.prototype.fillText = function (text, x, y) { if (this.canvas.id === "canvas" && text === "Window.swift:9") labels.push(y); return fillText.call(this, text, x, y); };
        inspector.timeline.show(0, 12e6);
        inspector.timeline.draw();
        Object.assign(CanvasRenderingContext2D.prototype, { bezierCurveTo, fillText });
        return [lines, labels];
    })()""")
    assert len(lines) == 1 and len(labels) == 1
    assert 5 <= lines[0] - labels[0] <= 7


def test_handlers_that_have_no_room_are_counted(browser, stage):
    trace = Trace()
    trace.post(1, MS, calls=[(f"App/AWindowWithALongName.swift:{at}", "MainActor", 0, MS) for at in range(12)])
    stage.play(trace)
    for width in (1440, 800):
        browser.shape(width)
        browser.frame()
        browser.until("document.querySelectorAll('#log .call').length > 1")
        shown = browser.run("document.querySelectorAll('#log .call:not(.rest)').length")
        assert browser.run("document.querySelector('#log .call.rest').innerText") == f"+{12 - shown}"
        # Each that is shown can be read.
        assert min(browser.run("[...document.querySelectorAll('#log .call > span')].map((node) => node.clientWidth)")) >= 60
        assert browser.run("document.querySelector('.call.rest').getBoundingClientRect().right <= document.querySelector('#log .took').getBoundingClientRect().left")
