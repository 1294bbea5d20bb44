# Settings of the measurement. A variable of the environment takes precedence.

# Traffic and objective.
: "${CLIENTS:=100000}" # clients in total
: "${TOPICS:=100}"     # topics; each client subscribes to one
: "${RATE:=10}"        # messages per second and topic
: "${SIZE:=512}"       # bytes per message
: "${P99:=25}"         # limit of the 99th percentile of the latency, in ms

# Measurement on this machine.
: "${FROM:=2000}" "${TO:=14000}" "${STEP:=2000}" # clients of the steps
: "${WARMUP:=15}" "${DURATION:=60}"              # seconds per step
: "${BROKER_PORT:=61616}" "${PORT:=8080}" "${ADMIN_PORT:=9090}"
: "${FOLDER:=loadtest/target/measurements}"        # measurements and reports
