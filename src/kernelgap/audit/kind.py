"""Audits as a kind of run. They are started by ``run_audit``, since they have a budget and several stages."""

from kernelgap.audit.chunks import work
from kernelgap.audit.reading import conclude_audit, read_audit
from kernelgap.audit.store import AuditStore
from kernelgap.runs.kind import SHARED_CODE, Kind

KIND = Kind(
    command="audit",
    store=AuditStore,
    work=work,
    read=read_audit,
    conclude=conclude_audit,
    page="kernelgap.reports.audit.page:write_audit_page",
    code=(
        *(*SHARED_CODE, "npz_file.py", "tensor_file.py"),
        *("networks", "training", "kernels", "regression", "models"),
        *("audit/tables", "audit/contenders", "audit/models"),
        *("audit/split.py", "audit/dataset.py", "audit/chunks.py", "audit/shares.py", "audit/statistics/metrics.py"),
    ),
)
