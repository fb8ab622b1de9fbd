"""An agent with skills: `prowess serve` beside it, any model with the OpenAI API behind it."""
import json, os, sys, httpx

skills = httpx.Client(base_url=os.environ.get("PROWESS_URL", "http://127.0.0.1:7777") + "/api")
key = {"authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
model = httpx.Client(base_url=os.environ["OPENAI_BASE_URL"], headers=key, timeout=300)
post = lambda client, path, **body: client.post(path, json=body).raise_for_status().json()
session = post(skills, "/sessions")
here, messages = f"/sessions/{session['id']}", [{"role": "system", "content": session["prompt"]}]
tools = [{"type": "function", "function": {"name": it["name"], "description": it["description"], "parameters": it["input_schema"]}} for it in session["tools"]]
for line in map(str.strip, sys.stdin):
    content = post(skills, f"{here}/turn", message=line)["content"]
    if content is None:
        print(f"{line} is active", flush=True)
        continue
    messages.append({"role": "user", "content": content})
    while messages[-1]["role"] != "assistant":
        messages.append(post(model, "/chat/completions", model=os.environ["MODEL"], messages=messages, tools=tools)["choices"][0]["message"])
        for call in messages[-1].get("tool_calls") or []:
            result = post(skills, f"{here}/call", tool=call["function"]["name"], arguments=json.loads(call["function"]["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(result["content"])})
    print(messages[-1]["content"], flush=True)
