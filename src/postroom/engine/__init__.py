"""Who runs what, where. In this version: this process, with slots per tree."""
