"""Models of tables: a fitted model with what turns a table into its inputs, and its outputs into the targets."""

from kernelgap.audit.models.predict import Prediction, predict_table
from kernelgap.audit.models.table_model import FILE, TableModel, load_model, save_model, to_bytes

__all__ = ["FILE", "Prediction", "TableModel", "load_model", "predict_table", "save_model", "to_bytes"]
