"""The HTTP API of the daemon. Its OpenAPI document is the contract with every client."""
