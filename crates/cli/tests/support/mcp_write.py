"""Writes a file with the built-in tools over MCP, and prints what was asked and answered as JSON.

Usage: mcp_write.py DECISIONS PATH PROGRAM ARGUMENT...; the decisions are separated by commas.
"""

import asyncio
import json
import sys

import mcp.types as types
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(decisions, path, program, *arguments):
    left = decisions.split(",")
    questions = []

    async def answer(context, params):
        questions.append(params.message)
        return types.ElicitResult(action="accept", content={"decision": left.pop(0)})

    parameters = StdioServerParameters(command=program, args=list(arguments))
    async with stdio_client(parameters) as (read, write):
        async with ClientSession(read, write, elicitation_callback=answer) as session:
            await session.initialize()
            await session.call_tool("load_skill", {"id": "core-tools"})
            input = {"path": path, "content": "evil\n"}
            result = await session.call_tool("write_file", input)
    answer = "\n".join(one.text for one in result.content)
    print(json.dumps({"questions": questions, "answer": answer}))


asyncio.run(main(*sys.argv[1:]))
