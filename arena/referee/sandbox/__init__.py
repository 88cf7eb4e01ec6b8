"""The sandbox: rungs from bubblewrap down to nothing, and the probe that chooses one."""
