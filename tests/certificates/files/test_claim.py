"""The schema of a claim: the one that is shipped is that of the models, and real claims fit it."""

import json
from pathlib import Path

from kernelgap.certificates.files.claim import SCHEMA, CertifiedClaim, schema_text


def test_the_shipped_schema_is_that_of_the_models():
    assert SCHEMA.read_text() == schema_text(), "run scripts/claim_schema.py"


def test_the_schema_names_every_field_and_allows_no_other():
    schema = json.loads(SCHEMA.read_text())
    assert schema["properties"].keys() == CertifiedClaim.model_fields.keys()
    objects = [schema, *schema["$defs"].values()]
    assert all(each["additionalProperties"] is False for each in objects)
    assert all(set(each["required"]) == set(each["properties"]) for each in objects)
    assert schema["properties"]["version"]["const"] == 3


def test_the_old_names_are_still_there():
    from kernelgap import certificates

    assert certificates.Claim is certificates.CertifiedClaim
    assert certificates.Verdict is certificates.Verification
    assert Path(SCHEMA).suffix == ".json"
