"""An agent with skills: `prowess serve` beside it, any model with the OpenAI API behind it."""
import json, os, sys, httpx

skills = httpx.Client(base_url=os.environ.get("PROWESS_URL", "http://127.0.0.1:7777") + "/api")
key = {"authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
model = httpx.Client(base_url=os.environ["OPENAI_BASE_URL"], headers=key, timeout=300)
session = skills.post("/sessions", json={}).raise_for_status().json()
here = f"/sessions/{session['id']}"
functions = [{"name": it["name"], "description": it["description"], "parameters": it["input_schema"]} for it in session["tools"]]
tools = [{"type": "function", "function": it} for it in functions]
messages = [{"role": "system", "content": session["prompt"]}]
for line in sys.stdin:
    content = skills.post(f"{here}/turn", json={"message": line.strip()}).raise_for_status().json()["content"]
    if content is None:
        print(f"{line.strip()} is active", flush=True)
        continue
    messages.append({"role": "user", "content": content})
    while messages[-1]["role"] != "assistant":
        body = {"model": os.environ["MODEL"], "messages": messages, "tools": tools}
        answer = model.post("/chat/completions", json=body).raise_for_status().json()["choices"][0]["message"]
        messages.append(answer)
        for call in answer.get("tool_calls") or []:
            asked = {"tool": call["function"]["name"], "arguments": json.loads(call["function"]["arguments"])}
            result = skills.post(f"{here}/call", json=asked).raise_for_status().json()
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(result["content"])})
    print(messages[-1]["content"], flush=True)
