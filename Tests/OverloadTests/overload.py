"""Loads a real server with more than it should have to bear, and says what came of it.

    overload.py HEARTH [SCALE [PART...]]

SCALE is 1 for the full form (15,000 connections, 10,000 streams) and a part of it for a short one; PARTs are
names as `resume_storm`, all of them if none is given. The last
line is `overload: ok`, or the first thing that must not be. Latencies are judged in the full form alone: a
short one runs beside other tests.
"""

import asyncio
import http.client
import json
import os
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time

PATIENCE = 120
IS_PROBE = sys.argv[1] == "--probe"
HEARTH = sys.argv[1]
SCALE = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
CHOSEN = sys.argv[3:]
JUDGES_LATENCY = SCALE >= 1


class Broken(Exception):
    """Something that was promised and is not so."""


def require(condition, what):
    if not condition:
        raise Broken(what)


class Server:
    """A server of its own in a new directory."""

    def __init__(self, *options, descriptors=None):
        self.directory = tempfile.TemporaryDirectory(prefix="hearth-overload-")

        def limit():
            if descriptors:
                resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

        self.process = subprocess.Popen(
            [HEARTH, "serve", "--emulator", "--data", self.directory.name + "/data", "--listen",
             "127.0.0.1:0", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=limit)
        os.set_blocking(self.process.stdout.fileno(), False)
        text = b""
        deadline = time.monotonic() + PATIENCE
        while not (found := re.search(rb"http://127\.0\.0\.1:([0-9]+)", text)):
            require(self.process.poll() is None and time.monotonic() < deadline, f"no server: {text.decode()}")
            text += self.process.stdout.read() or b""
            time.sleep(0.01)
        self.port = int(found[1])

    def said(self):
        return (self.process.stdout.read() or b"").decode()

    @property
    def resident(self):
        with open(f"/proc/{self.process.pid}/statm") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()

    @property
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def stop(self):
        require(self.process.poll() is None, f"the server has ended by itself: {self.said()}")
        self.process.send_signal(signal.SIGTERM)
        require(self.process.wait(PATIENCE) == 0, f"the server does not stop well: {self.said()}")
        self.process.stdout.close()
        self.directory.cleanup()


async def connect(server):
    return await asyncio.wait_for(asyncio.open_connection("127.0.0.1", server.port, limit=1 << 22), PATIENCE)


async def read_answer(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:] if line)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return int(lines[0].split()[1]), headers, body


async def ask(connection, method, target, body=b""):
    reader, writer = connection
    writer.write(
        f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    return await asyncio.wait_for(read_answer(reader), PATIENCE)


async def latency(server, namespace="default", seconds=3.0):
    """Milliseconds of p50 and p99 of durable small writes, one after the other: measured by a process of its
    own, for this one has its hands full with the load."""
    prober = await asyncio.create_subprocess_exec(
        sys.executable, __file__, "--probe", str(server.port), namespace, str(seconds * max(SCALE, 0.2)),
        stdout=asyncio.subprocess.PIPE)
    output, _ = await asyncio.wait_for(prober.communicate(), PATIENCE)
    require(prober.returncode == 0, f"a small write fails: {output.decode()}")
    median, late = output.split()
    return float(median), float(late)


def probe(port, namespace, seconds):
    """Writes one after the other and prints what `latency` returns."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    times = []
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(times) < 20:
        start = time.monotonic()
        connection.request("POST", f"/probe.json?ns={namespace}", b'{"text":"hi"}')
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            print(f"{answer.status} {body.decode()}")
            sys.exit(1)
        times.append((time.monotonic() - start) * 1000)
    times.sort()
    print(statistics.median(times), times[int(len(times) * 0.99)])


def judge(name, quiet, loaded):
    print(f"  others' writes: p50 {loaded[0]:.2f} ms, p99 {loaded[1]:.2f} ms "
          f"(quiet: {quiet[0]:.2f}, {quiet[1]:.2f})", flush=True)
    require(not JUDGES_LATENCY or loaded[1] <= max(3 * quiet[1], 5), f"{name}: others wait too long")


async def gather(count, make, width=500):
    """Runs `make(i)` for all i, some hundred at once, and returns the results."""
    gate = asyncio.Semaphore(width)

    async def one(index):
        async with gate:
            return await make(index)

    return await asyncio.gather(*(one(index) for index in range(count)))


async def stream(server, path, last=None):
    reader, writer = await connect(server)
    resume = f"Last-Event-ID: {last}\r\n" if last else ""
    writer.write(f"GET {path}.json HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n{resume}\r\n".encode())
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
    require(b" 200 " in head.split(b"\r\n")[0], f"a stream is answered by {head}")
    return reader, writer


async def event(reader):
    text = (await asyncio.wait_for(reader.readuntil(b"\n\n"), PATIENCE)).decode()
    fields = dict(line.partition(": ")[::2] for line in text.strip().split("\n"))
    return fields.get("event"), fields.get("id"), fields.get("data")


async def no_leak(server, before):
    for _ in range(600):
        if server.descriptors <= before + 8:
            return
        await asyncio.sleep(0.1)
    raise Broken(f"descriptors leak: {before} before, {server.descriptors} now")


async def many_connections(server, quiet):
    count = int(15_000 * SCALE)
    print(f"{count} connections at once", flush=True)
    before, memory = server.descriptors, server.resident
    connections = await gather(count, lambda _: connect(server), width=1_000)
    answers = await gather(count, lambda index: ask(connections[index], "GET", "/probe.json?shallow=true"))
    require(all(status == 200 for status, _, _ in answers), "a connection is not answered")
    used = server.resident - memory
    print(f"  {used / count / 1024:.1f} kB each", flush=True)
    require(used < 64 * 1024 * count, "connections take more than 64 kB each")
    judge("connections", quiet, await latency(server))
    for _, writer in connections:
        writer.close()
    await no_leak(server, before)


async def stubborn_reader(server, quiet):
    count = int(1_000 * SCALE)
    print(f"a reader that never reads among {count} that do", flush=True)
    before, memory = server.descriptors, server.resident
    stubborn = await stream(server, "/wall")
    stubborn[1].transport.pause_reading()
    readers = await gather(count, lambda _: stream(server, "/wall"))
    writer = await connect(server)
    pushes, size = 40, 100_000
    told = asyncio.create_task(gather(count, lambda index: hear(readers[index][0], pushes + 1), width=count))
    for number in range(pushes):
        body = json.dumps({"number": number, "text": "x" * size}).encode()
        status, _, _ = await ask(writer, "PUT", "/wall.json?print=silent", body)
        require(status == 204, f"a push is answered by {status}")
    require(all(await told), "a reader was not told of everything")
    used = server.resident - memory
    print(f"  {pushes * count} events of 100 kB; {used >> 20} MB more", flush=True)
    require(used < 512 << 20, "memory is not bounded")
    judge("stubborn reader", quiet, await latency(server))
    for _, connection in readers + [stubborn, writer]:
        connection.transport.abort()
    await no_leak(server, before)


async def hear(reader, count):
    for _ in range(count):
        while (await event(reader))[0] == "keep-alive":
            pass
    return True


async def slow_senders(server, quiet):
    count = int(1_000 * SCALE)
    print(f"{count} senders of a byte at a time", flush=True)
    before = server.descriptors
    connections = await gather(count, lambda _: connect(server))

    async def drip():
        for byte in b"PUT /slow.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{":
            for _, writer in connections:
                writer.write(bytes([byte]))
            await asyncio.sleep(0.02)

    dripping = asyncio.create_task(drip())
    judge("slow senders", quiet, await latency(server))
    await dripping
    for _, writer in connections:
        writer.close()
    await no_leak(server, before)


async def too_large(server, quiet):
    count = int(5_000 * SCALE)
    print(f"{count} requests that are too large", flush=True)
    before, memory = server.descriptors, server.resident

    async def one(_):
        reader, writer = await connect(server)
        writer.write(b"PUT /big.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n" + b"1" * 9_000)
        status = (await asyncio.wait_for(reader.readline(), PATIENCE)).split()[1]
        writer.transport.abort()
        return status == b"413"

    flood = asyncio.create_task(gather(count, one, width=200))
    judge("413", quiet, await latency(server))
    require(all(await flood), "a request that is too large is not answered by 413")
    require(server.resident - memory < 256 << 20, "refused bodies take memory")
    await no_leak(server, before)


async def resume_storm(server, quiet):
    count = int(10_000 * SCALE)
    print(f"{count} streams that are cut and resume at the same moment", flush=True)
    before, memory = server.descriptors, server.resident
    writer = await connect(server)
    await ask(writer, "PUT", "/storm.json", b'{"number":0}')
    streams = await gather(count, lambda _: stream(server, "/storm"))
    firsts = await gather(count, lambda index: event(streams[index][0]), width=count)
    for _, connection in streams:
        connection.transport.abort()
    for number in range(1, 4):
        await ask(writer, "PUT", "/storm/number.json", str(number).encode())
    start = time.monotonic()

    async def resume(index):
        reader, connection = await stream(server, "/storm", last=firsts[index][1])
        heard = [json.loads((await event(reader))[2])["data"] for _ in range(3)]
        return heard == [1, 2, 3], connection

    storm = asyncio.create_task(gather(count, resume, width=count))
    loaded = await latency(server, seconds=1)
    results = await storm
    print(f"  all told after {time.monotonic() - start:.1f} s; {(server.resident - memory) >> 20} MB more", flush=True)
    require(all(is_right for is_right, _ in results), "a stream was not told what it had missed, once and in order")
    require(server.resident - memory < 1 << 30, "memory is not bounded")
    print(f"  others' writes meanwhile: p50 {loaded[0]:.2f} ms, p99 {loaded[1]:.2f} ms", flush=True)
    judge("after the storm", quiet, await latency(server))
    for _, connection in results:
        connection.transport.abort()
    await no_leak(server, before)


async def write_storm(server, quiet):
    count = int(64 * max(SCALE, 0.25))
    print(f"{count} writers on one database while another stays responsive", flush=True)
    running = True

    async def one(_):
        connection = await connect(server)
        done = 0
        while running:
            status, _, _ = await ask(connection, "POST", "/storm.json?ns=busy", b'{"text":"' + b"y" * 200 + b'"}')
            require(status == 200, f"a write of the storm is answered by {status}")
            done += 1
        connection[1].close()
        return done

    storm = asyncio.create_task(gather(count, one))
    loaded = await latency(server, "other")
    running = False
    print(f"  {sum(await storm)} writes of the storm", flush=True)
    # The generator shares the two cores with the server.
    judge("write storm", (quiet[0], max(quiet[1], 10)), loaded)


async def memory_shortage():
    limit = 96 << 20
    print("memory that runs short", flush=True)
    server = Server("--max-memory", "96MB")
    connection = await connect(server)
    body = json.dumps({f"k{number}": "z" * 100 for number in range(2_000)}).encode()
    written = 0
    while True:
        status, headers, _ = await ask(connection, "POST", "/heap.json", body)
        if status != 200:
            break
        written += 1
        require(written < 5_000, "memory is never short")
    require(status == 503 and "retry-after" in headers, f"a write without memory is answered by {status} {headers}")
    status, _, _ = await ask(connection, "GET", "/heap.json?shallow=true")
    require(status == 200, f"a read while memory is short is answered by {status}")
    peak = server.resident
    print(f"  {written} large writes, then 503; {peak >> 20} MB resident", flush=True)
    require(peak < limit * 3 // 2, "more memory is taken than was allowed")
    status, _, _ = await ask(connection, "DELETE", "/heap.json?print=silent")
    require(status == 204, f"making room is answered by {status}")
    connection[1].close()
    server.stop()


async def descriptor_shortage():
    print("descriptors that run out", flush=True)
    limit = 200
    server = Server(descriptors=limit)
    held = []
    for _ in range(400):
        held.append(await connect(server))
    # More are turned away than there are descriptors to spare.
    ends = [asyncio.create_task(reader.read(1)) for reader, _ in held]
    deadline = time.monotonic() + PATIENCE
    while (count := sum(end.done() for end in ends)) < len(held) - limit:
        require(time.monotonic() < deadline, f"only {count} of {len(held)} connections are turned away")
        await asyncio.sleep(0.01)
    for _, writer in held:
        writer.transport.abort()
    await asyncio.gather(*ends, return_exceptions=True)
    for _ in range(300):
        try:
            status, _, _ = await ask(await connect(server), "GET", "/probe.json")
            require(status == 200, f"answered by {status}")
            break
        except (ConnectionError, asyncio.IncompleteReadError):
            await asyncio.sleep(0.1)
    else:
        raise Broken("nobody is served after descriptors have run out")
    server.stop()


async def main():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    require(15_000 * SCALE + 1_000 < hard, f"{hard} descriptors are too few")
    beside_others = [many_connections, stubborn_reader, slow_senders, too_large, resume_storm, write_storm]
    alone = [memory_shortage, descriptor_shortage]
    names = [part.__name__ for part in beside_others + alone]
    require(set(CHOSEN) <= set(names), f"there are the parts {' '.join(names)}")
    server = Server("--max-body", "1MB")
    connection = await connect(server)
    for namespace in ["busy", "other"]:
        await ask(connection, "PUT", f"/x.json?ns={namespace}", b"1")
    quiet = await latency(server)
    print(f"quiet: p50 {quiet[0]:.2f} ms, p99 {quiet[1]:.2f} ms", flush=True)
    for part in beside_others:
        if not CHOSEN or part.__name__ in CHOSEN:
            await part(server, quiet)
    server.stop()
    for part in alone:
        if not CHOSEN or part.__name__ in CHOSEN:
            await part()
    print("overload: ok")


if IS_PROBE:
    probe(int(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
    sys.exit(0)

try:
    asyncio.run(main())
except Broken as what:
    print(f"overload: {what}")
    sys.exit(1)
