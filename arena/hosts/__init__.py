"""Many machines: a run's matches on a Dask cluster. Needs the extra `dask`; see docs/hosts.md.

`desk` decides what goes where and never does I/O; `cluster` speaks with Dask; `station` plays on a host.
"""
