"""The question asked of images: kernels, convolutional ResNets, and the same with frozen gates, over their number."""

from kernelgap.experiments.images.conduct import NAME, TITLE, estimated, run_images
from kernelgap.experiments.images.result import ImageRun, read_image_run
from kernelgap.experiments.images.scales import SCALES, ImageScale

__all__ = ["NAME", "SCALES", "TITLE", "ImageRun", "ImageScale", "estimated", "read_image_run", "run_images"]
