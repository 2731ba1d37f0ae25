"""Builds the sdist and the wheels of the checkout, without network and in few processor seconds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

WEIGHTS = "memory/models/multilingual-e5-small-int8/model.onnx.data"
STAND_IN = b"weights"
"""Takes the place of the weights in the sdist: to compress and unpack 77 MB would cost ten seconds."""


def build_distributions(checkout: Path, temporary: Path) -> Path:
    """Build the wheel, the sdist, and a wheel from that sdist, in which `STAND_IN` takes the place of the weights.

    Built from a copy, because setuptools would take what an earlier build left in `build/` into the wheel.

    Args:
        checkout: the folder of the sources.
        temporary: an empty folder.

    Returns:
        A folder with the wheel in `wheel` and the other two in `both`.
    """
    source, results = temporary / "memd-source", temporary / "results"
    options = temporary / "options.cfg"
    options.write_text("[bdist_wheel]\ncompression = stored\n", encoding="utf-8")
    unwanted = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")
    shutil.copytree(checkout, source, ignore=unwanted)
    _build(source, results / "wheel", options, "--wheel")
    (source / WEIGHTS).write_bytes(STAND_IN)
    _build(source, results / "both", options)  # python -m build makes the sdist and the wheel from that sdist
    return results


def _build(source: Path, out: Path, options: Path, *flags: str) -> None:
    """Run the build in `source` with the build backend already installed."""
    command = [sys.executable, "-P", "-m", "build", "--no-isolation", *flags, "--outdir", str(out), str(source)]
    environment = os.environ | {"DIST_EXTRA_CONFIG": str(options)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
