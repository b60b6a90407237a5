#!/bin/sh
# Anything that speaks HTTP can ask: it is held for the answer for up to five minutes.
curl --silent --fail "$SAYSO_URL/api/asks" -H "Authorization: Bearer $SAYSO_TOKEN" -H "Prefer: wait=300" \
  --json '{"kind": "choose", "title": "Which region?", "options": ["eu", "us"], "asker": {"client": "curl"}}'
