"""`python -m embanon` is the command `embanon`."""

import sys

from embanon.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
