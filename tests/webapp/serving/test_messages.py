"""Messages to and from a process of our own: whole, or none."""

import io
import threading

import numpy as np
import pytest
import torch

from metamf.webapp.serving import messages


def test_messages_come_out_one_after_the_other_as_they_went_in():
    stream, values = io.BytesIO(), [("result", np.arange(100_000)), ("error", ValueError("too short"))]
    for value in values:
        messages.send(stream, value)
    stream.seek(0)
    (_, numbers), (_, error) = (messages.unpacked_message(messages.receive(stream)) for _ in values)
    assert (numbers == values[0][1]).all() and repr(error) == "ValueError('too short')"
    with pytest.raises(EOFError):
        messages.receive(stream)


@pytest.mark.parametrize("kept", [3, 8, 20])
def test_a_message_that_was_cut_off_is_none(kept):
    stream = io.BytesIO()
    messages.send(stream, "a message that is longer than that")
    with pytest.raises(EOFError):
        messages.receive(io.BytesIO(stream.getvalue()[:kept]))


def test_what_cannot_be_sent_is_an_error_before_anything_is_written():
    stream = io.BytesIO()
    with pytest.raises(TypeError):
        messages.send(stream, threading.Lock())
    assert stream.getvalue() == b""


@pytest.mark.parametrize(
    "sent",
    [
        torch.arange(6.0).view(2, 3).T,  # the view alone goes, not what it is a view of
        torch.tensor(2.5, dtype=torch.float64),
        torch.arange(3, dtype=torch.int64),
        torch.tensor([True, False]),
        torch.ones(2, requires_grad=True),
    ],
)
def test_a_tensor_comes_out_as_it_went_in_and_can_be_changed(sent):
    [came] = messages.unpacked_message(messages.packed_message([sent]))
    assert type(came) is torch.Tensor and came.dtype == sent.dtype and came.shape == sent.shape
    assert came.equal(sent) and came.requires_grad == sent.requires_grad
    came.detach().zero_()
    assert not came.any()


def test_a_tensor_goes_as_an_array_without_torchs_own_pickle():
    packed = messages.packed_message(torch.ones(1000, 4)[:5])
    assert b"_load_from_bytes" not in packed and len(packed) < 500
