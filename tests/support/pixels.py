"""What is really seen: contrasts measured on the pixels of a screenshot, after smoothing, opacity and theme."""

import io

import numpy as np
from PIL import Image


def seen(page):
    """(height, width) the colours that the page shows, as 0xFFBBGGRR, and how many of its pixels make one of CSS."""
    screenshot = Image.open(io.BytesIO(page.screenshot())).convert("RGB").convert("RGBX")
    image = np.asarray(screenshot).view("<u4")[..., 0]
    return image, image.shape[1] / page.viewport_size["width"]


def contrast(image, density, box):
    """Contrast (WCAG 2) of a box: its most frequent colour, and the one that stands out most in 2 pixels at least.

    Parameters
    ----------
    image, density : of ``seen``
    box : x, y, width and height in pixels of CSS
    """
    x, y, width, height = np.round(density * np.asarray(box)).astype(int)
    colours, counts = np.unique(image[y : y + height, x : x + width], return_counts=True)
    light = luminance(colours[:, None] >> np.array([0, 8, 16]) & 255)
    ground = light[counts.argmax()]
    ratios = (np.maximum(light, ground) + 0.05) / (np.minimum(light, ground) + 0.05)
    return float(ratios[counts >= 2].max())


def luminance(colours):
    """Relative luminance (WCAG 2) of colours, (..., 3) of 0 to 255."""
    values = colours / 255
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]
