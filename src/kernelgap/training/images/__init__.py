"""SGD on images: augmentation, a rate that falls as a cosine, checkpoints."""

from kernelgap.training.images.augmentation import augmented
from kernelgap.training.images.learning import ImageTraining, train_images
from kernelgap.training.images.schedule import ImageSchedule

__all__ = ["ImageSchedule", "ImageTraining", "augmented", "train_images"]
