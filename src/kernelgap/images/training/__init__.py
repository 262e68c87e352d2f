"""SGD on images: augmentation, a rate that falls as a cosine, checkpoints."""

from kernelgap.images.training.learning import ImageTraining, train_images
from kernelgap.images.training.step import ImageSchedule, augmented

__all__ = ["ImageSchedule", "ImageTraining", "augmented", "train_images"]
