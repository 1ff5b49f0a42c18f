"""The app: screens over the rooms below. It holds no rule of the game and reads no pixel."""
