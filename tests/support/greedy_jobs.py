"""Work that takes more memory than there is: for the pool of processes, and for the process for heavy work.

A process that imports this module believes that as many bytes are left as ``GREEDY_JOBS_LEFT`` says.
"""

import os

from metamf.webapp.serving import memory

LEFT = "GREEDY_JOBS_LEFT"
if LEFT in os.environ:
    memory.left = lambda: int(os.environ[LEFT])


def by_torch(size):
    import torch

    return len(torch.empty(size, dtype=torch.uint8))


def by_numpy(size):
    import numpy as np

    return len(np.empty(size, np.uint8))


def by_bytes(size):
    return len(bytearray(size))


def by_thousands(size):
    return len([bytes(1000) for _ in range(size // 1000)])


def take(arguments, folder):
    """Takes memory at its second step, as a job."""
    yield {"row": {"number": 1}}
    return {"taken": globals()[arguments["how"]](arguments["size"])}


def take_while_others_do(arguments, folder):
    """Takes memory after others have taken what was left when it began."""
    memory.left = lambda: 0
    while True:
        orders = yield {"now": {}}
        if orders.get("size"):
            return {"taken": by_numpy(orders["size"])}


def leave(size):
    """Has this process believe that there is another number of bytes left."""
    memory.left = lambda: size


def tell(arguments, folder):
    """Tells what this process has set of itself."""
    yield None
    return {"score": told()[0], "limit": told()[1]}


def told():
    """When the system ends this process, and the limit of its data."""
    import resource

    with open("/proc/self/oom_score_adj") as file:
        return int(file.read()), resource.getrlimit(resource.RLIMIT_DATA)[0]
