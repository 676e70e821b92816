"""The picture in README: ``python -m tests.html.picture`` makes it of ``reports/fixtures.json``.

It shows the answer, the matrix, and the drawings of one finding, which stand further down in the page.
"""

import io
from pathlib import Path

from crosscheck.report import render
from crosscheck.report.json_report import load
from crosscheck.report.kinds import page_of
from crosscheck.report.page import flat

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "report.png"

_FINDING = """() => {
    const drawn = (one) => one.querySelectorAll('.pair figure').length > 1 && one.querySelector('.moved');
    const dots = (one) => one.querySelectorAll('.dot').length;
    const findings = [...document.querySelectorAll('[data-tags]')].filter(drawn);
    const finding = findings.sort((a, b) => dots(b) - dots(a))[0];
    const ranked = [...finding.querySelectorAll('.wide')].find((one) => one.querySelector('.moved'));
    const drawings = [finding.querySelector('.pair'), ranked];
    for (const other of [...document.querySelectorAll('main > :not(.verdict, .matrix)')]) other.remove();
    const card = document.createElement('section');
    card.className = 'card';
    card.append(finding.querySelector('.heading'), ...drawings);
    card.querySelectorAll('.numbers, button').forEach((one) => one.remove());
    document.querySelector('main').append(card);
    document.querySelector('footer').remove();
    document.querySelector('#theme').remove();
}"""


def main() -> None:
    """Write the picture in few colours, which drawings and text need no more of."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    from tests.html.conftest import launched

    document = load((ROOT / "reports" / "fixtures.json").read_text("utf-8"))
    text = render(document, "html")
    with launched() as browser:
        page = browser.new_page(viewport={"width": 1200, "height": 600}, color_scheme="light")
        page.set_content(text)
        page.evaluate(_FINDING)
        taken = page.screenshot(full_page=True)
    PICTURE.parent.mkdir(exist_ok=True)
    about = PngInfo()
    about.add_text("Description", shown(document))
    Image.open(io.BytesIO(taken)).convert("RGB").quantize(64).save(PICTURE, optimize=True, pnginfo=about)


def shown(document: object) -> str:
    """The sentences at the top of the picture, which are stored in it as well, for the test of its age."""
    verdict = page_of(document).verdict
    return " ".join(map(flat, (verdict.sentence, verdict.about)))


if __name__ == "__main__":
    main()
