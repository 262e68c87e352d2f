"""Write the JSON schema of a certificate's claim.json beside the package's models: python scripts/claim_schema.py."""

from kernelgap.certificates.files.claim import SCHEMA, schema_text

if __name__ == "__main__":
    SCHEMA.write_text(schema_text())
