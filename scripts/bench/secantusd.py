# Starts SecantusDB so that it does not become slower with time. It remembers writes, in case they are repeated, and looks at all of them for
# each write; a MongoDB finds them by their session. It remembers 1,000 here instead of 10,000. Takes the arguments of secantusd-py.
import sys

from secantus import cli, transactions

assert isinstance(transactions._RETRYABLE_RECORD_MAX, int)
transactions._RETRYABLE_RECORD_MAX = 1_000
sys.exit(cli.main())
