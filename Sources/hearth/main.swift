// The one call that runs the program: code at top level is main-actor isolated, functions are not.

import Glibc

exit(Program.run())
