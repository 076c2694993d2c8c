"""asyncio with a cancelled task and a timeout, both expected."""

import asyncio


async def slow():
    await asyncio.sleep(60)


async def main():
    task = asyncio.create_task(slow())
    try:
        await asyncio.wait_for(slow(), 0.05)
    except asyncio.TimeoutError:
        task.cancel()
    print(await asyncio.gather(task, return_exceptions=True))


asyncio.run(main())
