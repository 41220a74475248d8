"""What PyTorch's compiler (Inductor) leaves in files, from one process to another of the same baseline.

Only a baseline that compiles itself (torch.compile) is given such files, each of its processes its own copy in its own scratch:
what a process writes there is gone with it, and no other process sees it.
"""
import io
import os
import struct
import tarfile

FOLDER = "inductor"  # under TMPDIR, which is a fork's own scratch
LENGTH = struct.Struct("<Q")
DOES_NOT_FIT = 2**64 - 1


def folder():
    return os.path.join(os.environ.get("TMPDIR", "/tmp"), FOLDER if "TMPDIR" in os.environ else f"{FOLDER}-{os.getpid()}")


def give(packed):
    """Before torch.compile is imported, which reads these settings once. It compiles in this process: workers beside it would take time
    from what is measured."""
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder()
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    # Headers that are compiled beforehand lie outside of that folder, and each process would compile them again, used or not.
    os.environ["TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS"] = "0"
    os.makedirs(folder(), exist_ok=True)
    if packed:
        with tarfile.open(fileobj=io.BytesIO(packed)) as files:
            files.extractall(folder())


def pack(memory, at):
    """A length, then the files; DOES_NOT_FIT where they are too many."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as files:
        files.add(folder(), arcname=".", filter=lambda entry: None if os.path.basename(entry.name) == "locks" else entry)
    data = made.getvalue()
    fits = at + LENGTH.size + len(data) <= len(memory)
    memory[at: at + LENGTH.size] = LENGTH.pack(len(data) if fits else DOES_NOT_FIT)
    if fits:
        memory[at + LENGTH.size: at + LENGTH.size + len(data)] = data
