"""Ctrl-C at any place: what a signal could do to a call is tried step by step, not by luck.

CPython hears signals between steps of the main thread: when a function begins, after a call has
returned, at the end of a loop's turn. A tracer raises KeyboardInterrupt at the n-th such place.
"""

import dis
import signal
import sys

UNHEARD = "ignore::pytest.PytestUnraisableExceptionWarning"
"""For tests: an interrupt within the end of an object is lost, as Python's own would be."""
_HEARD = ("CALL", "JUMP_BACKWARD")


class _Tracer:
    def __init__(self, place):
        self.left = place

    def __call__(self, frame, *_):
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        before = "CALL"  # to begin is a place as well

        def step(frame, event, _):
            nonlocal before
            if event == "opcode":
                heard = before.startswith(_HEARD)
                before = dis.opname[frame.f_code.co_code[frame.f_lasti]]
                self.left -= heard
                if heard and self.left == 0:
                    sys.settrace(None)
                    raise KeyboardInterrupt
            return step

        return step


def _no_end(*_):
    raise AssertionError("an interrupt was heard, and the call never ended")


def interrupted(call, place, seconds=60):
    """Call, and interrupt it at a place, counted from 1.

    Returns:
        Whether there was such a place. What the call returned or raised is forgotten, but one that
        does not end fails.
    """
    tracer, tracing = _Tracer(place), sys.gettrace()
    before = signal.signal(signal.SIGALRM, _no_end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    sys.settrace(tracer)
    try:
        call()
    except AssertionError:
        raise
    except (KeyboardInterrupt, Exception):
        pass
    finally:
        sys.settrace(tracing)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return tracer.left <= 0
