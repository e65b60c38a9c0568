# What is otherwise where the container is in a bucket (STORE=s3). Sourced by `run`, after the rows.

# Declares a row that can't be played in a bucket, and why.
not_in_a_bucket() { # ROW WHY
  reason[$1]="not in a bucket: $2"
}

not_in_a_bucket 25 "it tells nobody, so what arrives is asked for, and not there within 50 ms"
not_in_a_bucket 55 "it tells nobody, so an acceptance is asked for, and not seen within 250 ms"
not_in_a_bucket 70 "its daemons have sockets of the network, by which they reach it"
not_in_a_bucket 84 "it tells nobody, so what was written is asked for, and not there within 50 ms"
not_in_a_bucket 85 "it tells nobody, so a daemon asks, and doesn't sleep for long"
