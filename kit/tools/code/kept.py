# Runs pieces of code one after the other and keeps their variables. Frames of four bytes of length and JSON come on the
# first standard input and go to the first standard output; what the code and its children print goes into frames too.
import ast
import json
import os
import signal
import struct
import sys
import threading
import traceback

frames_in = os.fdopen(os.dup(0), "rb")
frames_out = os.fdopen(os.dup(1), "wb")
null = os.open(os.devnull, os.O_RDONLY)
os.dup2(null, 0)
read_end, write_end = os.pipe()
os.dup2(write_end, 1)
os.dup2(write_end, 2)
os.close(write_end)
lock = threading.Lock()
mark = os.urandom(16)
printed = threading.Event()


def send(**frame):
    text = json.dumps(frame).encode()
    with lock:
        frames_out.write(struct.pack(">I", len(text)) + text)
        frames_out.flush()


def forward():
    rest = b""
    while True:
        piece = os.read(read_end, 65536)
        if not piece:
            return
        rest += piece
        if mark in rest:
            before, rest = rest.split(mark, 1)
            if before:
                send(out=before.decode("utf-8", "replace"))
            printed.set()
            continue
        keep = min(len(rest), len(mark) - 1)
        if len(rest) > keep:
            send(out=rest[: len(rest) - keep].decode("utf-8", "replace"))
            rest = rest[len(rest) - keep :]


threading.Thread(target=forward, daemon=True).start()
names = {"__name__": "__main__", "__builtins__": __builtins__}
signal.signal(signal.SIGINT, signal.SIG_IGN)


def run(code):
    tree = ast.parse(code, "code")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "code", "exec"), names)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), "code", "eval"), names)
        if value is not None:
            return repr(value) + "\n"
    return ""


while True:
    head = frames_in.read(4)
    if len(head) < 4:
        sys.exit(0)
    code = json.loads(frames_in.read(struct.unpack(">I", head)[0]))["code"]
    value = error = ""
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        value = run(code)
    except SystemExit as e:
        error = "SystemExit: %s (the process is kept)\n" % (e.code,)
    except BaseException:
        kind, what, trace = sys.exc_info()
        while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next
        error = "".join(traceback.format_exception(kind, what, trace))
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except Exception:
        pass
    printed.clear()
    os.write(1, mark)
    printed.wait(2)
    send(value=value[:24576], error=error[-8192:], done=True)
