#!/bin/sh
# Prints the size of each removable module of an unpacked archive in MB, with the libraries that no
# other module uses, as a Markdown list. Usage: archive-sizes.sh FOLDER
set -eu
cd "${1:?FOLDER of an unpacked archive is missing}/lib"

size() { cat "$@" | wc -c; }

row() {
  module=$1
  shift
  bytes=$(size "$@")
  rest=$((rest - bytes))
  LC_ALL=C awk -v module="$module" -v bytes="$bytes" 'BEGIN { printf "- %s, %.1f\n", module, bytes / 1e6 }'
}

rest=$(size ./*.jar)
row source-jms sluice-source-jms-*.jar sluice-jms-providers-*.jar artemis-core-client-*.jar artemis-jakarta-client-*.jar \
  activemq-client-*.jar hawtbuf-*.jar
row source-kafka sluice-source-kafka-*.jar kafka-clients-*.jar lz4-java-*.jar snappy-java-*.jar zstd-jni-*.jar
row kafka-registry sluice-kafka-registry-*.jar avro-*.jar protobuf-java-*.jar jackson-databind-*.jar \
  jackson-annotations-*.jar
row source-nats sluice-source-nats-*.jar jnats-*.jar bcprov-*.jar
row source-node sluice-source-node-*.jar
row queues sluice-queues-*.jar
row node-queues sluice-node-queues-*.jar
row node-multicast sluice-node-multicast-*.jar aeron-client-*.jar aeron-driver-*.jar agrona-*.jar
row provider-kit sluice-provider-kit-*.jar
row durable sluice-durable-*.jar sqlite-jdbc-*.jar
row audit sluice-audit-*.jar
row presence sluice-presence-*.jar
row membership sluice-membership-*.jar sluice-cluster-*.jar jgroups-*.jar
row operator-cli sluice-operator-cli-*.jar
row admin sluice-admin-*.jar sluice-console-*.jar
LC_ALL=C awk -v bytes="$rest" 'BEGIN { printf "- all others, %.1f\n", bytes / 1e6 }'
