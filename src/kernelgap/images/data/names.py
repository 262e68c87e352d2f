"""The names of classes, where the files themselves do not hold them."""

CIFAR10 = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
FASHION_MNIST = (
    "t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"
)  # fmt: skip


def numbered(count: int) -> tuple[str, ...]:
    """0, 1, 2, ... for classes that have no names."""
    return tuple(str(i) for i in range(count))
