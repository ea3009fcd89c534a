"""`python -m postroom` is the command line."""

import sys

from postroom.frontends.cli import main

sys.exit(main())
