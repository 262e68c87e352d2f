"""How hard everybody tries: the same for all contenders."""

from pydantic import BaseModel, ConfigDict, Field


class SearchBudget(BaseModel):
    """``fits`` is the number of bandwidths, of (rate, decay) pairs, of kinds of trees ... that a contender tries.

    ``landmarks`` is given where Gram matrices have no room. ``most_rows`` bounds methods that need one all the same.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    fits: int = Field(ge=1)
    epochs: int = Field(ge=1)
    landmarks: int | None = Field(default=None, ge=1)
    most_rows: int = Field(ge=1)
