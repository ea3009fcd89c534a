"""Ways in. All of them speak to a room through the same door and the same app."""
