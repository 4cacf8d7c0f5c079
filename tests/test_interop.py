# SPDX-License-Identifier: BSD-3-Clause
"""Objects of other libraries, by tiny stand-ins: tensors, segmentation outputs, conditional random fields."""

from itertools import pairwise, product
from types import SimpleNamespace

import numpy as np
import pytest

import hedgehop as hh
from hedgehop.interop import as_array, chain_of_crfsuite, semantic_scores


class Tensor:
    """As torch's: wants detach() and cpu() before it gives its numbers away."""

    def __init__(self, values, free=False, here=False, dlpack=True):
        self.values, self.free, self.here = np.asarray(values), free, here
        if dlpack:
            self.__class__ = DlpackTensor

    def detach(self):
        return type(self)(self.values, True, self.here, dlpack=False)

    def cpu(self):
        assert self.free
        return type(self)(self.values, True, True, dlpack=False)

    def __array__(self, dtype=None, copy=None):
        assert self.here
        return self.values


class DlpackTensor(Tensor):
    def __dlpack__(self, **options):
        assert self.here
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class ShortTensor(Tensor):
    """As torch's in bfloat16, a type that numpy lacks."""

    dtype = "torch.bfloat16"

    def float(self):
        return Tensor(self.values, self.free, self.here, dlpack=False)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Got unsupported ScalarType BFloat16")


class CudaTensor(Tensor):
    """As torch's on a GPU, which refuses to say where its numbers are while it has gradients."""

    @property
    def __cuda_array_interface__(self):
        if self.here:
            raise AttributeError
        if not self.free:
            raise RuntimeError("this tensor requires grad")
        return {}


@pytest.mark.parametrize("free", [True, False])
def test_tensors_on_a_gpu_come_to_the_cpu(free):
    assert as_array(CudaTensor(np.ones(3), free, dlpack=False)).tolist() == [1.0, 1.0, 1.0]


def test_tensors_of_mixed_precision_are_widened():
    assert as_array(ShortTensor(np.ones(3), dlpack=False)).tolist() == [1.0, 1.0, 1.0]
    assert hh.Chain(ShortTensor(np.ones((3, 2)), dlpack=False)).n_variables == 3


def test_models_take_tensors_and_keep_their_own_numbers():
    scores = np.array([[1.0, 0.0], [0.0, 2.0], [0.5, 0.0]])
    model = hh.Chain(CudaTensor(scores, dlpack=False), Tensor(np.eye(2), dlpack=False))
    assert hh.Grid(Tensor(scores[None]), smoothness=0.1).shape == (1, 3)
    scores[:] = 0.0
    assert model.unary.tolist() == [[1.0, 0.0], [0.0, 2.0], [0.5, 0.0]]


def test_tensors_leave_their_device_and_gradients():
    values = np.arange(6.0).reshape(2, 3)
    for dlpack in (True, False):
        found = as_array(Tensor(values, dlpack=dlpack))
        assert (found == values).all()
        assert np.shares_memory(found, values)
    with pytest.raises(TypeError, match="__dlpack__ or __array__; got int"):
        as_array(3)
    assert hh.Grid(as_array(Tensor(np.zeros((2, 2, 3))))).n_labels == 3


def test_logits_become_log_probabilities():
    logits = np.random.default_rng(0).normal(size=(2, 3, 4, 5))
    first, second = semantic_scores(SimpleNamespace(logits=Tensor(logits)))
    assert first.shape == second.shape == (4, 5, 3)
    assert np.exp(first).sum(axis=-1) == pytest.approx(1.0)
    assert (first.argmax(axis=-1) == logits[0].argmax(axis=0)).all()


def test_logits_are_enlarged_as_torch_does():
    """Values of torch.nn.functional.interpolate(..., mode="bilinear", align_corners=False)."""
    logits = np.array([[[[0.0, 1.0], [2.0, 3.0]], [[0.0, 0.0], [0.0, 0.0]]]])
    scores = semantic_scores(SimpleNamespace(logits=logits), sizes=[(4, 2)])[0]
    ahead = scores[..., 0] - scores[..., 1]
    assert ahead == pytest.approx(np.array([[0.0, 1.0], [0.5, 1.5], [1.5, 2.5], [2.0, 3.0]]))
    small = semantic_scores(SimpleNamespace(logits=logits), sizes=[(1, 1)])[0]
    assert small[0, 0, 0] - small[0, 0, 1] == pytest.approx(1.5)


def test_masks_are_summed_by_label():
    rng = np.random.default_rng(1)
    classes, masks = rng.normal(size=(1, 6, 4)), rng.normal(size=(1, 6, 3, 5))
    outputs = SimpleNamespace(class_queries_logits=classes, masks_queries_logits=masks, logits=None)
    share = np.exp(classes[0]) / np.exp(classes[0]).sum(axis=-1, keepdims=True)
    expected = np.einsum("qc,qhw->hwc", share[:, :-1], 1 / (1 + np.exp(-masks[0])))
    assert np.exp(semantic_scores(outputs)[0]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("outputs", "sizes", "sentence"),
    [
        (SimpleNamespace(logits=np.zeros((1, 2, 3, 3))), [(3, 3), (3, 3)], r"one entry per image \(1\); got 2"),
        (SimpleNamespace(logits=np.zeros((2, 3, 3))), None, "4 dimensions, images first"),
        (SimpleNamespace(), None, "outputs must have logits"),
    ],
)
def test_wrong_outputs(outputs, sizes, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        semantic_scores(outputs, sizes)


def test_a_crf_becomes_a_chain():
    crf = SimpleNamespace(
        classes_=["B", "I", "O"],
        state_features_={
            ("w=a", "B"): 1.0,
            ("n", "I"): 0.5,
            ("list:x", "O"): 0.7,
            ("up", "B"): -2.0,
            ("in:k=v", "I"): 3,
        },
        transition_features_={("B", "I"): 1.5, ("O", "I"): -9.0},
    )
    sentence = [{"w": "a", "n": 2.0, "up": False}, {"w": "a", "up": True, "list": ["x", "y"]}, {"in": {"k": "v"}}]
    model = chain_of_crfsuite(crf, sentence)
    assert model.unary.tolist() == [[1.0, 1.0, 0.0], [-1.0, 0.0, 0.7], [0.0, 3.0, 0.0]]

    def value(y):
        steps = [crf.transition_features_.get((crf.classes_[a], crf.classes_[b]), 0.0) for a, b in pairwise(y)]
        return sum(model.unary[t, k] for t, k in enumerate(y)) + sum(steps)

    for y in product(range(3), repeat=3):
        assert model.score(np.array(y)) == pytest.approx(value(y))
    assert chain_of_crfsuite(crf, [["w=a", "list:x"]]).unary.tolist() == [[1.0, 0.0, 0.7]]


def test_frames_are_arrays_and_get_is_left_to_devices():
    class Frame:
        def get(self, key):
            return key

        def __array__(self, dtype=None, copy=None):
            return np.arange(3.0)

    class OnDevice(Frame):
        __cuda_array_interface__ = None

        def get(self):
            return np.ones(2)

    assert hh.interop.as_array(Frame()).tolist() == [0.0, 1.0, 2.0]
    assert hh.interop.as_array(OnDevice()).tolist() == [1.0, 1.0]


def test_a_feature_without_a_value_is_named():
    crf = SimpleNamespace(classes_=["N", "V"], state_features_={}, transition_features_={})
    with pytest.raises(TypeError, match="feature w must be text, a number or a list; got None"):
        hh.interop.chain_of_crfsuite(crf, [{"w": None}])
