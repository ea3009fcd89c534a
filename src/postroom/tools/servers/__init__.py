"""Tools of other programs: servers of the Model Context Protocol, as a `Kit`.

Only `kit` may be imported where no server is configured: the rest loads the SDK.
"""
