"""A real browser for the tests of pages: Chromium without a window, driven by Selenium."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

DESK, PHONE = 1280, 390
"""Widths of windows, in pixels."""

_SWITCHES = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def browser(folder: Path) -> Iterator[Any]:
    """Selenium's driver of a browser that keeps its files in ``folder``; skips the test where there is none."""
    pytest.importorskip("selenium", reason="looking at pages takes Selenium: pip install selenium")
    from selenium.webdriver import Chrome
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    chromedriver = shutil.which("chromedriver")
    if chromium is None or chromedriver is None:
        pytest.skip("looking at pages takes Chromium and its chromedriver: apt-get install chromium chromium-driver")
    options = Options()
    options.binary_location = chromium
    for switch in (*_SWITCHES, f"--user-data-dir={folder}"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Chrome(options, Service(chromedriver))
    try:
        yield driver
    finally:
        driver.quit()


def visit(driver: Any, page: Path | str, width: int, *, dark: bool = False) -> None:
    """Open a page, a file or an address, in a window of so many pixels; ``dark``: for people who prefer dark pages."""
    window = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width <= PHONE}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", window)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    driver.get(page if isinstance(page, str) else page.resolve().as_uri())


def complaints(driver: Any) -> list[str]:
    """What the browser has complained of since it was asked last: errors of scripts, files that are not there."""
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


def overflowing(driver: Any) -> list[str]:
    """The elements that are wider than the window, outside of those that scroll by themselves."""
    return driver.execute_script(
        """
        const width = document.documentElement.clientWidth;
        const scrolls = (element) => element && (/auto|scroll/.test(getComputedStyle(element).overflowX)
                                                 || scrolls(element.parentElement));
        return [...document.body.querySelectorAll("*")]
          .filter((element) => element.getBoundingClientRect().right > width + 1 && !scrolls(element.parentElement))
          .map((element) => element.outerHTML.slice(0, 80));
        """
    )
