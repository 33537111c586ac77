"""A WebSocket server by python3-websockets: ws_peer.py [CERTIFICATE KEY]

Prints its port. The path says what it does. Ends when its input does.
"""

import asyncio
import ssl
import sys

import websockets


async def peer(socket, path):
    if path == "/echo":
        async for message in socket:
            await socket.send(message)
    elif path == "/fragments":
        await socket.send(["a", "bc", "d"])
        await socket.send([b"\x01", b"", b"\x02\x03"])
        await socket.wait_closed()
    elif path == "/count":
        for number in range(200):
            await socket.send(str(number))
        await socket.wait_closed()
    elif path == "/large":
        await socket.send(bytes(100_001))
        await socket.wait_closed()
    elif path == "/large-fragments":
        await socket.send(bytes(10_000) for _ in range(20))
        await socket.wait_closed()
    elif path == "/who":
        await socket.send(socket.request_headers.get("Authorization", "nobody"))
        await socket.wait_closed()
    elif path == "/ping":
        pong = await socket.ping(b"are you there")
        await pong
        await socket.send("pong")
        await socket.wait_closed()
    elif path.startswith("/close/"):
        await socket.send("last words")
        await socket.close(int(path[7:]), "gone")
    elif path == "/code":
        # Tells the next one how this one ended.
        await socket.wait_closed()
        codes.append(str(socket.close_code))
    elif path == "/codes":
        while not codes:
            await asyncio.sleep(0.01)
        await socket.send(codes.pop())


codes = []


async def quiet_peer(socket, path):
    """Clients that go without a word are what some tests are about: no news for the log."""
    try:
        await peer(socket, path)
    except websockets.ConnectionClosed:
        pass


async def main():
    context = None
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
    async with websockets.serve(
        quiet_peer, "127.0.0.1", 0, ssl=context, max_size=1 << 26, subprotocols=["dub.1"], compression="deflate",
        ping_interval=None,
    ) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


asyncio.run(main())
