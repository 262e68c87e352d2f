"""The question asked of images: kernels, convolutional ResNets, and the same with frozen gates, over their number."""

from kernelgap.images.experiment.result import ImageRun, read_image_run
from kernelgap.images.experiment.run import NAME, TITLE, estimated, run_images
from kernelgap.images.experiment.scales import SCALES, ImageScale

__all__ = ["NAME", "SCALES", "TITLE", "ImageRun", "ImageScale", "estimated", "read_image_run", "run_images"]
