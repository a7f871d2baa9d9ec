"""What MkDocs does beside its own work: pages from outside ``docs``, generated pages, and lists of pages by pattern."""

import json
from fnmatch import fnmatch

import outside
import reference
from mkdocs.structure.files import File, InclusionLevel

from duelbench.leaderboard import page as leaderboard_page

LIST = "<!-- list of algorithms -->"
LEADERBOARD = "leaderboard/leaderboard.json"
"""The committed ranks; the site has their page beside it."""


def on_files(files, config):
    """Add the pages that are no files of ``docs``, and put the pages that a pattern stands for into the navigation."""
    own = {file.src_uri: file.content_string for file in files.documentation_pages()}
    generated = reference.pages()
    for uri, text in {**generated, **outside.pages({**own, **generated})}.items():
        level = InclusionLevel.INCLUDED if uri in _named(config.nav) else InclusionLevel.NOT_IN_NAV
        files.append(File.generated(config, uri, content=text, inclusion=level))
    if ranks := files.get_file_from_path(LEADERBOARD):
        html = leaderboard_page.html(json.loads(ranks.content_string))
        files.append(File.generated(config, "leaderboard/index.html", content=html))
    config.nav = _expanded(config.nav, sorted(file.src_uri for file in files.documentation_pages()), _named(config.nav))
    return files


def on_page_markdown(markdown, page, config, files):
    """Let links within the repository lead to pages of the site; add the list of algorithms and measured regret."""
    folder, _, name = page.file.src_uri.rpartition("/")
    if folder == "algorithms":
        markdown = reference.with_regret(markdown, name.removesuffix(".md"))
    if LIST in markdown:  # a folder is no page of the site
        markdown = markdown.replace(LIST, reference.links_to_algorithms())
        markdown = markdown.replace("](algorithms)", "](reference/algorithms.md)")
    if page.file.src_uri == "leaderboard.md":  # in a clone, the folder of the data
        markdown = markdown.replace("](leaderboard)", "](leaderboard/index.html)")
    return outside.linked(markdown, page.file.src_uri)


def _named(nav):
    """All pages and patterns of a navigation."""
    if isinstance(nav, str):
        return {nav}
    return set().union(*(map(_named, nav.values() if isinstance(nav, dict) else nav)))


def _expanded(nav, uris, named):
    """A navigation with the pages that its patterns stand for, but those that are named themselves."""
    if isinstance(nav, dict):
        return {title: _expanded(below, uris, named) for title, below in nav.items()}
    if isinstance(nav, str):
        return nav
    found = []
    for item in nav:
        if isinstance(item, str) and "*" in item:
            found += sorted((uri for uri in uris if fnmatch(uri, item) and uri not in named), key=_by_number)
        else:
            found.append(_expanded(item, uris, named))
    return found


def _by_number(uri):
    """Order by name, and by number where a name ends with one."""
    stem, _, number = uri.removesuffix(".md").rpartition("-")
    return (stem, int(number)) if number.isdigit() else (uri, 0)
