#!/usr/bin/env python3
"""Tells what happens on a device, until it ends or ^C: watch.py ADDRESS [TOPIC…]"""

import asyncio
import contextlib
import sys

from mynah_client import AsyncClient


async def main(address: str, *topics: str) -> None:
    async with await AsyncClient.connect(address) as client:
        state = await client.panel.state()
        print(f"Mynah {client.info['version']}: {state['mode']}, {state['takes']} takes", flush=True)
        async with await client.subscribe(*topics) as events:
            async for event in events:
                members = " ".join(f"{name}={value}" for name, value in event.data.items())
                print(f"{event.t:.3f} {event.topic} {members}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main(*sys.argv[1:]))
