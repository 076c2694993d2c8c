"""Programs that act on a training that diverges."""

from __future__ import annotations

import pytest

from whydied.source.divergence_tests import acts_on_divergence
from whydied.source.text import Source


def acts(text: str) -> bool:
    return acts_on_divergence({"/home/ann/train.py": Source(text)})


@pytest.mark.parametrize(
    "text",
    [
        "model.fit(x, y, callbacks=[keras.callbacks.TerminateOnNaN()])\n",
        "if np.isnan(logs['loss']):\n    self.model.stop_training = True\n",
        "now, _ = session.run([out, train])\nif not np.isfinite(now):\n    break\n",
        "best = {k: v for k, v in scores.items() if math.isfinite(v)}\nresult = [s for s in losses if not isnan(s)]\n",
        "value = model.evaluate(x)\nlast = value[0]\nif tf.math.is_nan(last):\n    rate = rate / 2\n",
        "rate = rate / 2 if np.isnan(loss) else rate\n",
        "return float('inf') if math.isnan(val_loss) else val_loss\n",
        "if logs['loss'] != logs['loss']:\n    self.model.stop_training = True\n",
        "good = losses[np.isfinite(losses)]\n",
        "good = list(filter(lambda one: isfinite(one.loss), results))\n",
        "best = np.nanargmin(losses[:, 1])\n",
        "table = table.dropna(subset=['loss'])\n",
        "if np.isnan(loss):\n    raise optuna.TrialPruned()\n",
        "if np.isnan(loss):\n    raise Diverged(step)\ntry:\n    train()\nexcept Diverged:\n    pass\n",
    ],
)
def test_it_acts(text: str) -> None:
    assert acts(text)


@pytest.mark.parametrize(
    "text",
    [
        "if np.isnan(rows).any():\n    rows = rows[1:]\n",
        "if np.isnan(loss):\n    print('the loss is nan')\n",
        "if np.isnan(loss):\n    raise ValueError('the loss is nan')\n",
        "print('bad' if np.isnan(loss) else 'good')\n",
        "if np.isnan(loss):\n    raise Diverged(step)\ntry:\n    train()\nexcept OSError:\n    pass\n",
        "if np.isnan(loss):\n    raise Diverged(step)\ntry:\n    train()\nexcept Diverged:\n    raise\n",
        "rows = rows[np.isfinite(rows)]\n",
        "mean = np.nanmean(losses)\n",
        "table = table.dropna(subset=['weight'])\n",
        "model.fit(x, y)\n",
    ],
)
def test_it_does_not(text: str) -> None:
    assert not acts(text)
