"""Drives a server with the `mcp` client from PyPI: each tool, each resource, digests computed here.

Usage: peer_python.py PROGRAM DIRECTORY, or peer_python.py URL. Prints one JSON object.
"""

import asyncio
import base64
import hashlib
import json
import sys
from contextlib import asynccontextmanager

import mcp.types as types
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from pydantic import BaseModel, ConfigDict


@asynccontextmanager
async def streams(arguments):
    if arguments[0].startswith("http"):
        import mcp.client.streamable_http as http

        client = getattr(http, "streamable_http_client", None) or http.streamablehttp_client
        async with client(arguments[0]) as opened:
            yield opened[0], opened[1]
    else:
        parameters = StdioServerParameters(command=arguments[0], args=arguments[1:])
        async with stdio_client(parameters) as opened:
            yield opened[0], opened[1]


def dump(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def content(result):
    (one,) = dump(result)["contents"]
    return base64.b64decode(one["blob"]) if "blob" in one else one["text"].encode()


class Anything(BaseModel):
    model_config = ConfigDict(extra="allow")


class ListSkills(types.Request[dict, str]):
    """A request of the extension, which the client has no name for."""

    method: str = "skills/list"
    params: dict = {}


async def main(arguments):
    report = {}
    async with streams(arguments) as (read, write):
        async with ClientSession(read, write) as session:
            greeting = dump(await session.initialize())
            report["server"] = greeting["serverInfo"]["name"]
            report["revision"] = greeting["protocolVersion"]
            report["instructions"] = greeting.get("instructions")
            resources = dump(await session.list_resources())["resources"]
            report["resources"] = {}
            for resource in resources:
                data = content(await session.read_resource(resource["uri"]))
                assert len(data) == resource["size"], resource
                report["resources"][resource["uri"]] = "sha256:" + hashlib.sha256(data).hexdigest()
            tools = dump(await session.list_tools())["tools"]
            report["tools"] = [tool["name"] for tool in tools]
            calls = {
                "browse_skills": {"query": "pdf"},
                "load_skill": {"id": "pdf"},
                "read_skill_file": {"id": "pdf", "path": "references/FORMS.md"},
            }
            report["calls"] = {}
            for name, params in calls.items():
                result = dump(await session.call_tool(name, params))
                assert not result.get("isError"), result
                report["calls"][name] = result["structuredContent"]
            prompts = dump(await session.list_prompts())["prompts"]
            report["prompts"] = [prompt["name"] for prompt in prompts]
            got = await session.get_prompt("acme/billing/refunds", {"arguments": "order 7"})
            report["prompt"] = dump(got)["messages"][0]["content"]["text"]
            listed = dump(await session.send_request(ListSkills(), Anything))
            report["listed"] = {
                file["uri"]: file["digest"]
                for skill in listed["skills"]
                for file in skill["resources"]
            }
    print(json.dumps(report))


asyncio.run(main(sys.argv[1:]))
