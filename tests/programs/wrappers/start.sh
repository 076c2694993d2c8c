# A wrapper as schedulers use them: some settings, then Python.
set -e
export EPOCHS=3
here=$(dirname "$0")
"$PYTHON" "$here/started.py" --epochs "$EPOCHS"
echo "not reached"
