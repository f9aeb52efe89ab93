"""The page of ``dcc canon graph`` in a browser: by mouse, by keyboard, in light and dark, in English and Chinese."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import CHROMIUM, DRIVER, Browser, opened

from dcc.cli.entry import run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="no chromium and chromedriver on this machine"),
]

FILES = {
    ".canon/articles/src/config.md": "---\ncapsule: Env wins.\nupdated: 2026-08-11\n---\n# Config\n"
    "[[src/limits]] [[gone]]\n",
    ".canon/articles/src/limits.md": "---\ncapsule: 每分钟四十二次。\n---\n# 供应商限额\n",
    ".canon/articles/src/evil.md": "---\ncapsule: \"<img src=x onerror='document.title=1'>\"\n---\n"
    "# </script><script>document.title = 'taken'</script>\n[[src/config]]\n",
    ".canon/articles/docs/hello.md": "# مرحبا بالعالم\n",
    ".canon/articles/docs/quotes.md": "# it's \"quoted\" & <b>bold</b>\n",
    ".canon/journal/2026-08-01-raised.md": "---\nsubject: [src/config]\nlogged: 2026-08-01T00:00:00.000Z\n---\n"
    "42 now.\n",
    "src/config.ts": "",
}

#: Articles of the large store, which has as many folders as real ones of that size.
MANY = 5_000


def page(folder: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    assert run(["canon", "graph", "-C", str(folder), "-o", str(folder / "graph.html")]) == 0
    return (folder / "graph.html").as_uri()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> str:
    return page(tmp_path_factory.mktemp("small"), FILES)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> str:
    files = {}
    for number in range(MANY):
        address = f"part{number % 7}/unit{number % 300}/item{number}"
        files[f".canon/articles/{address}.md"] = f"---\ncapsule: Number {number}.\n---\n[[part0/unit0/item0]]\n"
        if number % 2:
            files[f"{address}.py"] = ""
        else:
            files[f".canon/journal/2026-08-01-{number}.md"] = f"---\nsubject: [{address}]\n---\nSeen.\n"
    return page(tmp_path_factory.mktemp("large"), files)


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with opened(tmp_path_factory.mktemp("browser")) as browser:
        yield browser


@pytest.fixture
def browser(window: Browser, small: str) -> Iterator[Browser]:
    """The small graph, opened afresh; neither the page nor the browser may have complained in the end."""
    window.open(small)
    yield window
    assert window.messages() == []
    assert window.run("return document.title;") not in ("taken", "1")


def bring_to_the_middle(browser: Browser, query: str) -> None:
    """Find a node, go to it, and let go of it: it stays in the middle of the canvas."""
    browser.click_on("#query")
    browser.run("document.getElementById('query').value = '';")
    browser.press(query, "Enter")
    browser.press("Escape")
    assert browser.texts("#chosen h2") == []


def listed(browser: Browser, which: str) -> list[str]:
    return browser.texts(f"#{which} .title")


@pytest.mark.parametrize(
    ("query", "kind", "title", "text", "to", "by"),
    [
        ("Env wins", "article · 2026-08-11", "Config", ["Env wins."], ["供应商限额", "config.ts"],
         ["</script><script>document.title = 'taken'</script>", "2026-08-01-raised"]),
        ("raised", "journal entry · 2026-08-01T00:00:00.000Z", "2026-08-01-raised", ["42 now."], ["Config"], []),
        ("config.ts", "asset", "config.ts", [], [], ["Config"]),
    ],
    ids=["disc", "ring", "square"],
)  # fmt: skip
def test_a_click_on_a_node_shows_what_is_known_of_it(
    browser: Browser, query: str, kind: str, title: str, text: list[str], to: list[str], by: list[str]
) -> None:
    bring_to_the_middle(browser, query)
    browser.click_on("#graph")
    assert browser.text("#chosen h2") == title
    assert browser.texts("#chosen > p")[0] == kind
    assert browser.texts("#chosen .text") == text
    assert (listed(browser, "to"), listed(browser, "from")) == (to, by)


def test_a_click_beside_all_nodes_lets_go(browser: Browser) -> None:
    bring_to_the_middle(browser, "Env wins")
    browser.click_on("#graph")
    x, y = browser.middle("header")
    browser.click(x / 100, 2 * y + 4)
    assert browser.texts("#chosen h2") == []


def test_what_leads_nowhere_is_told(browser: Browser) -> None:
    browser.press("/", "Env wins", "Enter")
    assert browser.texts("#lost li") == ["gone"]


def test_from_node_to_node_through_the_panel(browser: Browser) -> None:
    browser.press("/", "raised", "Enter")
    browser.click_on("#to button")
    assert browser.text("#chosen h2") == "Config"
    browser.click_on("#from button")
    assert browser.text("#chosen h2") == "</script><script>document.title = 'taken'</script>"


def test_texts_are_text(browser: Browser) -> None:
    browser.press("/", "onerror", "Enter")
    assert browser.text("#chosen .text") == "<img src=x onerror='document.title=1'>"
    assert browser.run("return document.querySelectorAll('img, b, script').length;") == 2
    browser.press("/")
    browser.run("document.getElementById('query').select();")
    browser.press("bold", "Enter")
    assert browser.text("#chosen h2") == "it's \"quoted\" & <b>bold</b>"


@pytest.mark.parametrize("query", ["四十二次", "供应商", "مرحبا", "CONFIG env", "hello"])
def test_search_finds_texts_of_any_script(browser: Browser, query: str) -> None:
    browser.press("/", query)
    assert len(listed(browser, "hits")) == 1
    assert browser.text("#found") == "1 found"


def test_a_text_written_from_the_right_keeps_its_direction(browser: Browser) -> None:
    browser.press("/", "hello", "Enter")
    assert browser.run("return getComputedStyle(document.querySelector('#chosen h2')).direction;") == "rtl"


def test_by_keyboard_alone(browser: Browser) -> None:
    browser.press("/", "src")
    browser.press("Down", "Down", "Enter")
    assert browser.run("return document.activeElement.tagName;") == "H2"
    browser.press("Escape")
    browser.run("document.getElementById('graph').focus();")
    browser.press("Right")
    [first] = browser.texts("#chosen h2")
    seen = {first}
    for key in ("Right", "Down", "Left", "Up", "Right", "Down", "Left", "Up"):
        browser.press(key)
        seen |= set(browser.texts("#chosen h2"))
    assert len(seen) > 2
    browser.press("Escape")
    assert browser.texts("#chosen h2") == []


def test_everything_can_be_tabbed_to(browser: Browser) -> None:
    reached = set()
    browser.run("document.activeElement.blur();")
    for _ in range(12):
        browser.press("Tab")
        reached.add(browser.run("const e = document.activeElement; return e.id || e.name || e.title;"))
    assert {"article", "entry", "asset", "graph", "query", "Zoom in", "Zoom out", "Show all"} <= reached


def test_a_kind_can_be_left_out(browser: Browser) -> None:
    browser.click_on("input[name=asset]")
    browser.press("/", "config")
    assert "config.ts" not in listed(browser, "hits")
    bring_to_the_middle(browser, "Env wins")
    browser.click_on("#graph")
    assert browser.text("#chosen h2") == "Config"


def test_light_and_dark(browser: Browser) -> None:
    bring_to_the_middle(browser, "Env wins")
    paper, disc = [], []
    for scheme in ("light", "dark"):
        browser.colours(scheme)
        paper.append(browser.run("return getComputedStyle(document.body).backgroundColor;"))
        disc.append(
            browser.run(
                "const c = document.getElementById('graph'), copy = new OffscreenCanvas(1, 1).getContext('2d');"
                "copy.drawImage(c, -c.width / 2, -c.height / 2);"
                "return [...copy.getImageData(0, 0, 1, 1).data];"
            )
        )
    browser.colours("light")
    assert paper == ["rgb(251, 250, 247)", "rgb(20, 22, 27)"]
    assert disc[0] != disc[1]
    assert sum(disc[0]) < sum(disc[1])


def test_five_thousand_articles(browser: Browser, large: str) -> None:
    browser.open(large)
    assert browser.texts("#kinds label") == ["5000 articles", "2500 journal entries", "2500 assets"]
    browser.press("/", "item4999 number")
    assert listed(browser, "hits") == ["item4999"]
    bring_to_the_middle(browser, "item4999 number")
    browser.click_on("#graph")
    assert browser.text("#chosen h2") == "item4999"
    assert sorted(listed(browser, "to")) == ["item0", "item4999.py"]
    browser.click_on("#to button")
    assert browser.texts("#chosen h3") == ["Points to (0)", "Pointed to by (5000)"]
    assert len(listed(browser, "from")) == 40
    browser.run("document.querySelector('#from .more').click();")
    assert len(listed(browser, "from")) == 80


def test_a_reader_of_chinese(tmp_path: Path, small: str) -> None:
    with opened(tmp_path, language="zh-CN") as browser:
        browser.open(small)
        assert browser.run("return document.documentElement.lang;") == "zh-CN"
        browser.press("/", "供应商", "Enter")
        assert browser.texts("#chosen > p")[0] == "文章"
        assert browser.texts("#chosen h3") == ["指向（0）", "被指向（1）"]


def test_an_empty_store(browser: Browser, tmp_path: Path) -> None:
    browser.open(page(tmp_path, {}))
    assert browser.text("#chosen") == "There is nothing in this store yet."
    browser.press("/", "x", "Escape")
    browser.click_on("#graph")
