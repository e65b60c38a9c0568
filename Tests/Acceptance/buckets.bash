# What is otherwise where the container is in a bucket (STORE=s3). Sourced by `run`, after the rows.
#
# A bucket tells nobody of anything: what others wrote is asked for, or told by wake-ups, of which a
# device sends another one at most one a second. All rows are played; where one is about time, that is
# what it takes there, in microseconds:

# From an edit to both others, who listen: a datagram, and four or five requests.
edit_reaches_within=100000
# From a write to its arrival, where the next one follows at once: it waits for the next question.
write_arrives_within=300000
# The slowest but one of thirty: it waits for the next wake-up, or the next bell.
slow_write_arrives_within=1500000
# Milliseconds from a change of a share to its participant, where one follows the other at once.
share_change_reaches_within=1500
# A daemon asks the less the longer nothing came, and each question takes it less than a millisecond.
quiet_ticks=4
