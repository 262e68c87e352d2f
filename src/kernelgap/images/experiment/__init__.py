"""The question asked of images: kernels, convolutional ResNets, and the same with frozen gates, over their number."""

from kernelgap.images.experiment.kind import NAME, TITLE, estimated
from kernelgap.images.experiment.result import ImageRun, read_images_run
from kernelgap.images.experiment.scales import SCALES, ImageScale

__all__ = ["NAME", "SCALES", "TITLE", "ImageRun", "ImageScale", "estimated", "read_images_run"]
