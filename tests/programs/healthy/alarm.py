"""Uses a timer signal as its clock."""

import signal

ticks = []
signal.signal(signal.SIGALRM, lambda number, frame: ticks.append(number))
signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
while len(ticks) < 3:
    signal.pause()
signal.setitimer(signal.ITIMER_REAL, 0)
print(len(ticks))
