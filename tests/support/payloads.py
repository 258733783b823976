"""What the player is sent, read back."""

from base64 import b64decode

import numpy as np


def floats_of(text):
    """The float32 array, flat, of a payload's text."""
    return np.frombuffer(b64decode(text), "<f4")
