# SPDX-License-Identifier: BSD-3-Clause
"""Models from other libraries' objects, recognised by their attributes, so that no other library is needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgehop._arrays import Doubles, Floats, is_tensor, without_gradients
from hedgehop._arrays import scores as checked_scores
from hedgehop.models import Chain

_LEAST_POSITIVE = np.finfo(np.float64).tiny


def as_array(tensor: Any) -> NDArray[Any]:
    """Return a tensor of any library as an array, without gradients, on the CPU, sharing memory if possible.

    Parameters
    ----------
    tensor : tensor
        Of torch, jax, cupy, tensorflow, ...: anything with DLPack or ``__array__``, perhaps after ``detach()``,
        ``cpu()`` or ``get()``.

    Examples
    --------
    >>> import numpy as np, hedgehop as hh
    >>> hh.interop.as_array(np.ones(3)).shape
    (3,)
    """
    if is_tensor(tensor):  # first: torch's answer no questions about CUDA while they have gradients
        tensor = without_gradients(tensor)
    elif hasattr(tensor, "__cuda_array_interface__") and callable(getattr(tensor, "get", None)):
        tensor = tensor.get()
    if hasattr(tensor, "__dlpack__") and not isinstance(tensor, np.ndarray):
        try:
            return np.from_dlpack(tensor)
        except (BufferError, RuntimeError, TypeError, AttributeError):
            pass  # a type numpy lacks, such as bfloat16, or a device without DLPack; the next way may convert it
    if not hasattr(tensor, "__array__"):
        raise TypeError(f"tensor must have __dlpack__ or __array__; got {type(tensor).__name__}.")
    return np.asarray(tensor)


def semantic_scores(outputs: Any, sizes: Sequence[tuple[int, int]] | None = None) -> list[Floats]:
    """Return the scores (H, W, L) of each image from the outputs of a Hugging Face model for semantic segmentation.

    Parameters
    ----------
    outputs : model outputs
        With ``logits`` (n, L, h, w), as SegFormer, UPerNet and DPT give them; scores are their log-probabilities. Or
        with ``class_queries_logits`` and ``masks_queries_logits``, as MaskFormer and Mask2Former do; scores are
        logarithms of the summed masks of each label, as in their own semantic post-processing.
    sizes : sequence of (height, width), optional
        Sizes of the images; by default scores keep their size. Logits are enlarged bilinearly.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np, hedgehop as hh
    >>> outputs = SimpleNamespace(logits=np.zeros((1, 3, 4, 5)))
    >>> hh.Grid(hh.interop.semantic_scores(outputs, sizes=[(8, 10)])[0])
    Grid(8 x 10, 3 labels, connectivity 4)
    """
    planes = _planes(outputs)
    if sizes is not None and len(sizes) != len(planes):
        raise ValueError(f"sizes must have one entry per image ({len(planes)}); got {len(sizes)}.")
    made = []
    for k, (logits, classes) in enumerate(planes):
        large = logits if sizes is None else _enlarged(logits, sizes[k])
        made.append(_log_softmax(large) if classes is None else _log_masks(large, classes))
    return [checked_scores(np.ascontiguousarray(np.moveaxis(one, 0, -1)), "scores") for one in made]


def _planes(outputs: Any) -> list[tuple[Doubles, Doubles | None]]:
    """Logits of each image, (labels or masks, h, w), and of the classes of its masks if it has any."""
    masks, classes = getattr(outputs, "masks_queries_logits", None), getattr(outputs, "class_queries_logits", None)
    if masks is not None and classes is not None:
        pairs = zip(_doubles(masks, 4), _doubles(classes, 3), strict=True)
        return [(mask, kind) for mask, kind in pairs]
    logits = getattr(outputs, "logits", None)
    if logits is None:
        raise TypeError(
            "outputs must have logits, or class_queries_logits and masks_queries_logits; "
            f"got {type(outputs).__name__}. Pass what the model returns."
        )
    return [(one, None) for one in _doubles(logits, 4)]


def _doubles(tensor: Any, ndim: int) -> Doubles:
    array = as_array(tensor).astype(np.float64)
    if array.ndim != ndim:
        raise ValueError(f"logits must have {ndim} dimensions, images first; got shape {array.shape}.")
    return array


def _log_softmax(logits: Doubles) -> Doubles:
    shifted = logits - logits.max(axis=0)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=0)))


def _log_masks(masks: Doubles, classes: Doubles) -> Doubles:
    """Logarithm of the sum over masks of their share in a label times their opacity; the last class is "nothing"."""
    shares = np.exp(_log_softmax(classes.T))[:-1]
    opacity = np.exp(-np.logaddexp(0.0, -masks))
    return np.asarray(np.log(np.maximum(np.tensordot(shares, opacity, axes=1), _LEAST_POSITIVE)))


def _enlarged(planes: Doubles, size: tuple[int, int]) -> Doubles:
    """Interpolate bilinearly; the corners of pixels stay where they are, as in torch's align_corners=False."""
    for axis, count in enumerate(size, start=1):
        place = np.clip((np.arange(count) + 0.5) * planes.shape[axis] / count - 0.5, 0, planes.shape[axis] - 1)
        low = np.floor(place).astype(np.int64)
        high = np.minimum(low + 1, planes.shape[axis] - 1)
        part = (place - low).reshape([-1 if k == axis else 1 for k in range(3)])
        planes = planes.take(low, axis) * (1.0 - part) + planes.take(high, axis) * part
    return planes


def chain_of_crfsuite(crf: Any, sentence: Sequence[Any]) -> Chain:
    """Return the chain that a trained ``sklearn_crfsuite.CRF`` decodes for one sentence.

    Parameters
    ----------
    crf : sklearn_crfsuite.CRF
        Trained; its ``classes_``, ``state_features_`` and ``transition_features_`` are used. Label k of the chain is
        ``crf.classes_[k]``.
    sentence : sequence of dicts, or of lists of str
        Features of the tokens, as they are given to ``crf.predict``.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import hedgehop as hh
    >>> crf = SimpleNamespace(
    ...     classes_=["N", "V"], state_features_={("w=go", "V"): 1.5}, transition_features_={("N", "V"): 0.5}
    ... )
    >>> model = hh.interop.chain_of_crfsuite(crf, [{"w": "we"}, {"w": "go"}])
    >>> [crf.classes_[k] for k in hh.best(model).labeling]
    ['N', 'V']
    """
    place = {label: k for k, label in enumerate(crf.classes_)}
    weights: dict[str, list[tuple[int, float]]] = {}
    for (attribute, label), weight in crf.state_features_.items():
        weights.setdefault(attribute, []).append((place[label], weight))
    emissions = np.zeros((len(sentence), len(place)))
    for t, token in enumerate(sentence):
        for attribute, value in _attributes(token):
            for label, weight in weights.get(attribute, ()):
                emissions[t, label] += weight * value
    transitions = np.zeros((len(place), len(place)))
    for (first, second), weight in crf.transition_features_.items():
        transitions[place[first], place[second]] = weight
    return Chain(emissions, transitions)


def _attributes(token: Any, prefix: str = "") -> Iterable[tuple[str, float]]:
    """Attributes of a token with their values, named as python-crfsuite names them."""
    if not isinstance(token, Mapping):
        yield from ((f"{prefix}{name}", 1.0) for name in token)
        return
    for key, value in token.items():
        if isinstance(value, (Mapping, list, set, tuple, frozenset)):
            yield from _attributes(value, f"{prefix}{key}:")
        elif isinstance(value, str):
            yield f"{prefix}{key}={value}", 1.0
        elif isinstance(value, Real):
            yield f"{prefix}{key}", float(value)
        else:
            raise TypeError(f"feature {prefix}{key} must be text, a number or a list; got {value!r}. Leave it out.")
