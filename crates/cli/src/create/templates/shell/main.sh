#!/bin/sh
# {{name}}: one JSON-RPC 2.0 request a line on standard input, one answer a line on standard output.
set -eu

registration='{
{{if tool}}
  "tools": [{
    "name": "hello",
    "description": "Greets a person.",
    "input_schema": {
      "type": "object",
      "properties": {"name": {"type": "string", "description": "name of the person"}}
    }
  }],
{{end}}
{{if workflow}}
  "workflows": ["hello"],
{{end}}
{{if security-rule}}
  "scanners": ["unfinished"],
{{end}}
{{if transform}}
  "hooks": ["OnAfterResponse"],
{{end}}
  "version": 1
}'

# Each of these reads the parameters of a request and writes its result.
{{if tool workflow}}
hello() {
    jq -c '{content: "Hello, \(.input.name // "world")!"}'
}

{{end}}
{{if security-rule}}
unfinished() {
    jq -c '{findings: [
        .files[] | .path as $file | .text | split("\n") | to_entries[] | select(.value | contains("TODO"))
        | {rule: "unfinished", severity: "info", file: $file, line: (.key + 1),
           message: "unfinished work"}
    ]}'
}

{{end}}
{{if transform}}
tidy() {
    jq -c '.data.response | split("\n") | map(sub("[ \t]+$"; "")) | join("\n") | {modified: {response: .}}'
}

{{end}}
# answer ID RESULT
answer() {
    jq -cn --argjson id "$1" --argjson result "$2" '{jsonrpc: "2.0", id: $id, result: $result}'
}

# refuse ID MESSAGE
refuse() {
    jq -cn --argjson id "$1" --arg message "$2" '{jsonrpc: "2.0", id: $id, error: {code: -32000, message: $message}}'
}

while IFS= read -r line; do
    id=$(printf '%s\n' "$line" | jq -c .id)
    params=$(printf '%s\n' "$line" | jq -c '.params // {}')
    wanted=$(printf '%s\n' "$line" | jq -r '[.method, .params.name // .params.phase // empty] | join(" ")')
    case $wanted in
    initialize*) answer "$id" "$registration" ;;
{{if tool}}
    "tool/execute hello") answer "$id" "$(printf '%s\n' "$params" | hello)" ;;
{{end}}
{{if workflow}}
    "workflow/run hello") answer "$id" "$(printf '%s\n' "$params" | hello)" ;;
{{end}}
{{if security-rule}}
    "scanner/run unfinished") answer "$id" "$(printf '%s\n' "$params" | unfinished)" ;;
{{end}}
{{if transform}}
    "hook/handle OnAfterResponse") answer "$id" "$(printf '%s\n' "$params" | tidy)" ;;
{{end}}
    shutdown)
        answer "$id" null
        exit 0
        ;;
    *) refuse "$id" "unknown method $wanted" ;;
    esac
done
