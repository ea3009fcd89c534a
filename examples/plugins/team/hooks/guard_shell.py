"""A shell hook: reads a call as JSON, denies what deletes, and makes `ls` show hidden files too.

Exit code 0 lets the call through, and JSON on standard output may change its arguments; exit code 2 denies
it, with the reason on standard error. Anything else is a failure: `on_failure` says what that means.
"""

import json
import re
import sys

call = json.load(sys.stdin)["call"]
command = call["arguments"].get("command", "")

if re.search(r"(^|[;&|\s])(rm|rmdir|shred)\s", command):
    print("nothing is deleted here; move it to old/ instead", file=sys.stderr)
    sys.exit(2)
if command == "ls":
    print(json.dumps({"arguments": {**call["arguments"], "command": "ls -A"}}))
