"""The playground: one page on which networks and a kernel learn the same target, in a browser and without a network."""

from kernelgap.play.page import open_playground, playground, write_playground

__all__ = ["open_playground", "playground", "write_playground"]
