"""Several threads, one of which catches an error of its own; a daemon thread is alive at the end."""

import threading
import time


def work(name, results):
    try:
        results[name] = 1 / (len(name) - 1)
    except ZeroDivisionError:
        results[name] = None


results = {}
threads = [threading.Thread(target=work, args=(name, results)) for name in ("a", "bb", "ccc")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
print(sorted(results.items(), key=str))
