"""Work in which a worker hangs, or is killed as for lack of memory."""

import multiprocessing
import os
import signal
import time

from kernelgap.audit.chunks import AuditChunk, Done, work

HANGS, DIES = "gaussian", "ck2"


def strange_work(cell: AuditChunk, tell) -> Done:
    if multiprocessing.current_process().name != "MainProcess":
        if cell.contender == HANGS:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(10_000)
        if cell.contender == DIES:
            os.kill(os.getpid(), signal.SIGKILL)
    return work(cell, tell)
