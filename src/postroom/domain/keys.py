"""Integer keys of stored rows. Public ids are text and are stored once, beside the key."""

from typing import Final, NewType

SessionKey = NewType("SessionKey", int)
BranchKey = NewType("BranchKey", int)
NodeKey = NewType("NodeKey", int)
TurnKey = NewType("TurnKey", int)
CallKey = NewType("CallKey", int)
MessageKey = NewType("MessageKey", int)
DeliveryKey = NewType("DeliveryKey", int)
ChainKey = NewType("ChainKey", int)
ProducerKey = NewType("ProducerKey", int)
TimerKey = NewType("TimerKey", int)
AskKey = NewType("AskKey", int)
GrantKey = NewType("GrantKey", int)
GoalKey = NewType("GoalKey", int)
TodoKey = NewType("TodoKey", int)
PolicyKey = NewType("PolicyKey", int)
BusKey = NewType("BusKey", int)
ReaderKey = NewType("ReaderKey", int)
TokenKey = NewType("TokenKey", int)
NEWEST: Final = 1 << 60
"""Behind every key, every position and every time."""
