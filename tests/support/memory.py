"""The most memory that a process had in use, for tests that start one.

`ru_maxrss` would not do: a process takes it over from the one that started it.
"""

#: Python that defines `peak()`, in kilobytes, by Linux.
PEAK = """
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
"""
