"""What pyplot keeps is found without a call into it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from whydied.inside.census import open_figures

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    plt.close("all")
    yield
    plt.close("all")


def test_open_figures_with_what_is_drawn_in_them() -> None:
    first, axes = plt.subplots(1, 2)
    picture = axes[0].imshow([[1.0, 2.0], [3.0, 4.0]])
    (line,) = axes[1].plot([1, 2, 3])
    second = plt.figure()
    assert open_figures.figures() == [(first.number, first), (second.number, second)]
    drawn = {id(one) for one in open_figures.drawn(first)}
    assert {id(picture), id(line)} <= drawn
    assert open_figures.drawn(second) == []


def test_closed_figures_are_not_kept() -> None:
    figure = plt.figure()
    plt.close(figure)
    assert open_figures.figures() == []


def test_what_is_no_figure_has_nothing_in_it() -> None:
    assert open_figures.drawn(object()) == []
