#!/bin/bash
source .env
curl -sS -X POST "$API_URL/items" -H "Authorization: Bearer $API_TOKEN" -H "Content-Type: application/json" -d @item.json
