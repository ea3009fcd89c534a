"""What a scenario file may expect: each file looks at one kind of thing and says what differs."""
