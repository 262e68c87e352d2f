"""SGD on images: augmentation, a rate that falls as a cosine, checkpoints."""

from kernelgap.images.training.augmentation import augmented
from kernelgap.images.training.learning import ImageTraining, train_images
from kernelgap.images.training.schedule import ImageSchedule

__all__ = ["ImageSchedule", "ImageTraining", "augmented", "train_images"]
