#!/bin/bash
# Makes .venv with what scripts/requirements.txt pins; nothing to do if it already holds that. Fails, and says so, if pip does.
set -euo pipefail
cd "$(dirname "$0")/.."
stamp=.venv/.requirements
if [ -x .venv/bin/python ] && cmp -s scripts/requirements.txt "$stamp"; then
  exit 0
fi
echo "Making .venv with $(grep -c '==' scripts/requirements.txt) pinned packages. PyTorch and Triton are the large ones: PyPI's Linux build of PyTorch brings its CUDA"
echo "libraries, with Triton 2.7 GB to download and 5 GB on disk; where pip is configured with an index or folder that has a CPU build (2.13.0+cpu), PyTorch is"
echo "0.2 GB to download, Triton as much and 0.7 GB on disk."
echo "Free space here: $(df -h --output=avail . | tail -n 1 | tr -d ' '). The rest is small."
rm -rf .venv
python3 -m venv .venv
if ! .venv/bin/python -m pip install --disable-pip-version-check --progress-bar off -r scripts/requirements.txt > .venv/pip.log 2>&1; then
  tail -n 15 .venv/pip.log >&2
  echo "pip could not install scripts/requirements.txt into .venv (its words above, all of them in .venv/pip.log)." >&2
  echo "Check the network, the disk and pip's own configuration, then run scripts/venv.sh again." >&2
  exit 3
fi
.venv/bin/python -c 'import torch, triton, numpy; print("torch", torch.__version__, "triton", triton.__version__, "numpy", numpy.__version__)'
cp scripts/requirements.txt "$stamp"
