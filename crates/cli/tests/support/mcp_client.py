"""Loads a skill with code over MCP, calls its tool and its workflow, and prints what happened as JSON.

Usage: mcp_client.py DECISION PROGRAM ARGUMENT...; without elicitation if the decision is `none`.
"""

import asyncio
import json
import sys

import mcp.types as types
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(decision, program, *arguments):
    questions = []
    notifications = []

    async def answer(context, params):
        questions.append(params.message)
        if decision == "decline":
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content={"decision": decision})

    async def hear(message):
        name = type(getattr(message, "root", message)).__name__
        if name.endswith("Notification"):
            notifications.append(name)

    def text(result):
        return "\n".join(one.text for one in result.content)

    async def names():
        return [tool.name for tool in (await session.list_tools()).tools]

    parameters = StdioServerParameters(command=program, args=list(arguments))
    callback = None if decision == "none" else answer
    report = {}
    async with stdio_client(parameters) as (read, write):
        async with ClientSession(
            read, write, elicitation_callback=callback, message_handler=hear
        ) as session:
            await session.initialize()
            report["before"] = await names()
            loaded = await session.call_tool("load_skill", {"id": "csv-summary"})
            report["loaded"] = text(loaded)
            report["after"] = await names()
            if "summarise_csv" in report["after"]:
                called = await session.call_tool("summarise_csv", {"path": "people.csv"})
                report["called"] = text(called)
                wrong = await session.call_tool("summarise_csv", {"file": "people.csv"})
                report["wrong"] = text(wrong)
                workflow = {"id": "csv-summary", "workflow": "report", "input": {"path": "people.csv"}}
                ran = await session.call_tool("run_skill_workflow", workflow)
                report["workflow"] = text(ran)
    report["questions"] = questions
    report["notifications"] = sorted(set(notifications))
    print(json.dumps(report))


asyncio.run(main(*sys.argv[1:]))
