"""Images moved by some pixels and mirrored, each anew whenever it is shown."""

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float

Maps = Float[Array, "n height width channels"]


def augmented(key: jax.Array, x: Maps, *, crop: int, flips: bool) -> Maps:
    """Each image moved by -crop to crop pixels down and right, with zeros where it was not, and mirrored or not."""
    where, mirrored = jax.random.split(key)
    if crop:
        n, height, width, channels = x.shape
        padded = jnp.pad(x, [(0, 0), (crop, crop), (crop, crop), (0, 0)])
        starts = jax.random.randint(where, (n, 2), 0, 2 * crop + 1)

        def cut(image: Array, start: Array) -> Array:
            return lax.dynamic_slice(image, (start[0], start[1], 0), (height, width, channels))

        x = jax.vmap(cut)(padded, starts)
    if flips:
        turned = jax.random.bernoulli(mirrored, 0.5, (len(x), 1, 1, 1))
        x = jnp.where(turned, x[:, :, ::-1], x)
    return x
