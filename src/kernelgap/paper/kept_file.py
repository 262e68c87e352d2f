"""Files of kept results: JSON with a line for each entry, and a digest of the content at the end."""

import json
from pathlib import Path
from typing import ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from kernelgap.atomic_file import read_small
from kernelgap.errors import InputError, first_mistake
from kernelgap.fingerprint import fingerprint
from kernelgap.runs.trials.identity import canonical_json

RESULTS = Path(__file__).parent / "results"
LARGEST = 200_000  # bytes of what is kept of a run, all its files


class KeptFile(BaseModel):
    """What is kept of a finished run, as a file of its folder.

    Attributes
    ----------
    format
        Of the file; this version reads 1.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    FILE: ClassVar[str]
    ENTRIES: ClassVar[str]  # the field whose entries have a line each
    CALLED: ClassVar[str]  # in messages
    format: Literal[1] = 1

    @property
    def digest(self) -> str:
        return fingerprint(canonical_json(self.model_dump(mode="json")))

    def as_text(self) -> str:
        """The content of its file: a line for each key and for each entry, and a digest at the end."""
        content = self.model_dump(mode="json", exclude={self.ENTRIES})
        lines = [f" {json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in content.items()]
        entries = [
            json.dumps(entry.model_dump(mode="json", exclude_defaults=True), allow_nan=False)
            for entry in getattr(self, self.ENTRIES)
        ]
        lines += [f' "{self.ENTRIES}": [\n  ' + ",\n  ".join(entries) + "\n ]"]
        return "{\n" + ",\n".join([*lines, f' "digest": {json.dumps(self.digest)}']) + "\n}\n"

    def check_files(self, folder: Path) -> None:
        """Refuse, with a sentence, other files of the folder that are not those that were kept."""

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """What is kept in a folder, or one sentence on what is wrong with it."""
        folder = Path(folder)
        try:
            content = json.loads(read_small(folder / cls.FILE, LARGEST))
            if not isinstance(content, dict):
                raise InputError("it is no object with names")
            digest = content.pop("digest", None)
            if content.get("format") != 1:
                raise InputError(f"its format is {content.get('format')!r}, and this version reads 1")
            kept = cls.model_validate(content)
            if digest != kept.digest:
                raise InputError("its digest is not that of its content")
            kept.check_files(folder)
        except FileNotFoundError as error:
            if Path(error.filename).name == cls.FILE:
                raise InputError(f"There is no kept {cls.CALLED} in '{folder}'.") from None
            raise cls._damaged(folder, f"'{Path(error.filename).name}' is missing") from None
        except OSError as error:
            raise cls._damaged(folder, error.strerror) from None
        except ValidationError as error:
            raise cls._damaged(folder, first_mistake(error)) from None
        except (ValueError, RecursionError) as error:  # also what is no JSON, and our own sentences
            raise cls._damaged(folder, error) from None
        return kept

    @classmethod
    def _damaged(cls, folder: Path, reason: object) -> InputError:
        what = " ".join(str(reason).split()).rstrip(".")
        return InputError(f"The kept {cls.CALLED} '{folder.name}' cannot be used: {what}. Nothing is compared with it.")
