package io.sluice.gateway.fairness;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.TestNode;
import io.sluice.testkit.RawWebSocket;

/** Shared pool of a node, with the operation of a client that uses it. */
enum Pool {
  PUBLISHING_LANES {
    @Override
    void operate(RawWebSocket client, String name, int ref) {
      // A new destination, which costs a query.
      String topic = "'topic':'published." + name + "." + ref + "'";
      ask(client, ref, "published", "'type':'publish','payload':'x'," + topic);
    }
  },
  CONSUMER_OPENERS {
    @Override
    void operate(RawWebSocket client, String name, int ref) {
      String topic = "fair." + name + "." + ref;
      ask(client, ref, "subscribed", "'type':'subscribe','topic':'" + topic + "'");
      ask(client, ref, "unsubscribed", "'type':'unsubscribe','topic':'" + topic + "'");
    }
  },
  QUEUE_OPENERS {
    @Override
    void operate(RawWebSocket client, String name, int ref) {
      String queue = "'queue':'fair." + name + "'";
      ask(client, ref, "consuming", "'type':'consume','credit':0," + queue);
      ask(client, ref + 1, "unsubscribed", "'type':'unsubscribe','subscription':" + ref);
    }
  },
  QUEUE_SETTLEMENTS {
    @Override
    void prepare(RawWebSocket client, String name) {
      ask(
          client,
          CONSUMER,
          "consuming",
          "'type':'consume','credit':1000,'queue':'work." + name + "'");
    }

    @Override
    void operate(RawWebSocket client, String name, int ref) {
      send(client, ref, "'type':'publish','payload':'x','queue':'work." + name + "'");
      JsonNode delivery = await(client, "delivery");
      ask(
          client,
          ref + 1,
          "settled",
          "'type':'ack','subscription':" + CONSUMER + ",'tag':" + delivery.get("tag"));
    }
  },
  TRANSACTIONS {
    @Override
    void operate(RawWebSocket client, String name, int ref) {
      ask(
          client,
          ref,
          "committed",
          "'type':'transaction','publish':[{'topic':'committed." + name + "','payload':'x'}]");
    }
  },
  BROWSERS {
    @Override
    long intervalMs() {
      return 1_000;
    }

    @Override
    void operate(RawWebSocket client, String name, int ref) {
      ask(client, ref, "browsed", "'type':'browse','queue':'full','where':'region = 1'");
    }
  },
  SUBSCRIPTION_LISTS {
    @Override
    long intervalMs() {
      return 2_000;
    }

    @Override
    void operate(RawWebSocket client, String name, int ref) {
      ask(client, ref, "listed", "'type':'list'");
    }
  },
  REQUESTS {
    @Override
    void operate(RawWebSocket client, String name, int ref) {
      ask(client, ref, "reply", "'type':'request','queue':'asked','payload':'x'");
    }
  },
  PRESENCE {
    @Override
    void operate(RawWebSocket client, String name, int ref) {
      String topic = "'topic':'fair." + name + "'";
      ask(client, ref, "present", "'type':'presence','enter':true,'key':'0123456789'," + topic);
      ask(client, ref + 1, "left", "'type':'leave'," + topic);
    }
  },
  HISTORY_MEMORY {
    @Override
    int flood() { // enough to exceed the memory
      return 16;
    }

    @Override
    void operate(RawWebSocket client, String name, int ref) {
      String topic = "kept." + name;
      send(client, ref, "'type':'subscribe','topic':'" + topic + "'");
      JsonNode first = await(client, "subscribed");
      send(client, ref + 1, "'type':'publish','topic':'%s','payload':'%s'".formatted(topic, LARGE));
      await(client, "message");
      ask(client, ref + 2, "unsubscribed", "'type':'unsubscribe','topic':'" + topic + "'");
      send(
          client,
          ref + 3,
          "'type':'subscribe','topic':'%s','from':{'epoch':%s,'offset':%s}"
              .formatted(topic, first.get("epoch"), first.get("offset")));
      JsonNode resumed = await(client, "subscribed");
      if (!resumed.path("recovered").asBoolean() || resumed.path("replay").asInt() != 1) {
        throw new AssertionError("not recovered: " + resumed);
      }
      ask(client, ref + 4, "unsubscribed", "'type':'unsubscribe','topic':'" + topic + "'");
    }
  },
  ADMIN_QUERIES {
    @Override
    void operate(RawWebSocket client, TestNode node, String name, int ref) {
      int status = node.admin("/clients?subject=" + name).statusCode();
      if (status != 200) {
        throw new AssertionError("status " + status);
      }
    }
  };

  /** Four times the threads of the largest pool. */
  private static final int FLOOD = 128;

  private static final long INTERVAL_MS = 200;
  private static final int CONSUMER = 1;
  private static final String LARGE = "x".repeat(10_000);

  /** Returns the number of operations that the greedy user runs at a time. */
  int flood() {
    return FLOOD;
  }

  /** Returns the time between two operations of each other user, for a tenth of the capacity. */
  long intervalMs() {
    return INTERVAL_MS;
  }

  /** Prepares a client before its first operation. */
  void prepare(RawWebSocket client, String name) {
    // Most operations need nothing.
  }

  /**
   * Runs one operation and waits for its answer.
   *
   * @param name of the client, without dots
   * @param ref free from here on, for ten frames
   * @throws AssertionError if the answer is an error
   */
  void operate(RawWebSocket client, String name, int ref) {
    throw new UnsupportedOperationException(name());
  }

  /** The same, for operations that need the node. */
  void operate(RawWebSocket client, TestNode node, String name, int ref) {
    operate(client, name, ref);
  }

  private static void ask(RawWebSocket client, int ref, String answer, String members) {
    send(client, ref, members);
    await(client, answer);
  }

  private static JsonNode await(RawWebSocket client, String type) {
    JsonNode frame = client.readJson();
    while (!frame.get("type").asText().equals(type)) {
      if (frame.get("type").asText().equals("error")) {
        throw new AssertionError("not " + type + ": " + frame);
      }
      frame = client.readJson();
    }
    return frame;
  }

  private static void send(RawWebSocket client, int ref, String members) {
    client.text(("{'ref':" + ref + "," + members + "}").replace('\'', '"'));
  }
}
