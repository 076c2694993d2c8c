"""Converters are run as commands; one crashes and one fails, and the program does their work in another way."""

import subprocess
import sys

SCRIPTS = {
    "fast": "import os; os.abort()",
    "strict": "import sys; sys.exit('unknown header')",
    "plain": "print(42)",
}


def convert(name):
    done = subprocess.run([sys.executable, "-c", SCRIPTS[name]], capture_output=True, text=True)
    if done.returncode < 0:
        return None, f"{name} was ended by signal {-done.returncode}"
    if done.returncode:
        return None, f"{name}: {done.stderr.strip()}"
    return int(done.stdout), None


problems = []
for name in SCRIPTS:
    value, problem = convert(name)
    if value is not None:
        break
    problems.append(problem)
print("value", value, "problems", len(problems))
