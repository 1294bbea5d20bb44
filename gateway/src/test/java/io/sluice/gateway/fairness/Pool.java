package io.sluice.gateway.fairness;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Shared pool of a node, with the operation of a client that uses it. */
enum Pool {
  PUBLISHING_LANES(true, "sluice-publisher") {
    @Override
    long intervalMs() {
      return 1_000;
    }

    @Override
    void operate(User user, int ref) {
      // A new destination, which costs a query.
      String topic = "'topic':'published." + user.name() + "." + ref + "'";
      ask(user, ref, "published", "'type':'publish','payload':'x'," + topic);
    }
  },
  CONSUMER_OPENERS(true, "sluice-opener", "sluice-closer") {
    @Override
    void operate(User user, int ref) {
      String topic = "fair." + user.name() + "." + ref;
      ask(user, ref, "subscribed", "'type':'subscribe','topic':'" + topic + "'");
      ask(user, ref, "unsubscribed", "'type':'unsubscribe','topic':'" + topic + "'");
    }
  },
  QUEUE_OPENERS(true, "sluice-queue-open", "sluice-queue-close") {
    @Override
    long intervalMs() {
      return 1_000;
    }

    @Override
    void operate(User user, int ref) {
      String queue = "'queue':'fair." + user.name() + "'";
      ask(user, ref, "consuming", "'type':'consume','credit':0," + queue);
      ask(user, ref + 1, "unsubscribed", "'type':'unsubscribe','subscription':" + ref);
    }
  },
  QUEUE_SETTLEMENTS(true, "sluice-queue-settle", "sluice-queue-step") {
    @Override
    void prepare(User user) {
      consume(user, "work.");
    }

    @Override
    void operate(User user, int ref) {
      settle(user, ref, "work.", "ack");
    }
  },
  REJECTIONS(true, "sluice-queue-send") {
    @Override
    void prepare(User user) {
      consume(user, "rejected.");
    }

    @Override
    void operate(User user, int ref) {
      settle(user, ref, "rejected.", "reject");
    }
  },
  QUEUE_LISTENERS(true, "sluice-queue-listener") {
    @Override
    int flood() {
      return 32;
    }

    @Override
    long intervalMs() {
      return 2_000;
    }

    @Override
    void prepare(User user) {
      consume(user, "large.", 0);
      finish(user, CONSUMER + 1);
    }

    @Override
    void operate(User user, int ref) {
      send(user, ref, "'type':'credit','credit':1,'subscription':" + CONSUMER);
      settle(user, ref + 1, "ack");
    }

    @Override
    void finish(User user, int ref) {
      ask(
          user,
          ref,
          "published",
          "'type':'publish','payload':'" + LARGE + "'," + queue(user, "large."));
    }
  },
  TRANSACTIONS(true, "sluice-transaction") {
    @Override
    void operate(User user, int ref) {
      ask(
          user,
          ref,
          "committed",
          "'type':'transaction','publish':[{'topic':'committed."
              + user.name()
              + "','payload':'x'}]");
    }
  },
  BROWSERS(true, "sluice-queue-browse") {
    @Override
    long intervalMs() {
      return 2_000;
    }

    @Override
    void operate(User user, int ref) {
      ask(user, ref, "browsed", "'type':'browse','queue':'full','where':'region = 1'");
    }
  },
  SUBSCRIPTION_LISTS(true, "sluice-queue-request") {
    @Override
    long intervalMs() {
      return 2_000;
    }

    @Override
    void operate(User user, int ref) {
      ask(user, ref, "listed", "'type':'list'");
    }
  },
  REQUESTS(true, "sluice-requests") {
    @Override
    void operate(User user, int ref) {
      ask(user, ref, "reply", "'type':'request','queue':'asked','payload':'x'");
    }
  },
  PRESENCE(false, "sluice-presence") {
    @Override
    void operate(User user, int ref) {
      String topic = "'topic':'fair." + user.name() + "'";
      ask(user, ref, "present", "'type':'presence','enter':true,'key':'0123456789'," + topic);
      ask(user, ref + 1, "left", "'type':'leave'," + topic);
    }
  },
  HISTORY_MEMORY(false) {
    @Override
    int flood() { // enough to exceed the memory
      return 16;
    }

    @Override
    void operate(User user, int ref) {
      String topic = "kept." + user.name();
      send(user, ref, "'type':'subscribe','topic':'" + topic + "'");
      JsonNode first = await(user, "subscribed");
      send(user, ref + 1, "'type':'publish','topic':'%s','payload':'%s'".formatted(topic, KEPT));
      await(user, "message");
      ask(user, ref + 2, "unsubscribed", "'type':'unsubscribe','topic':'" + topic + "'");
      send(
          user,
          ref + 3,
          "'type':'subscribe','topic':'%s','from':{'epoch':%s,'offset':%s}"
              .formatted(topic, first.get("epoch"), first.get("offset")));
      JsonNode resumed = await(user, "subscribed");
      if (!resumed.path("recovered").asBoolean() || resumed.path("replay").asInt() != 1) {
        throw new AssertionError("not recovered: " + resumed);
      }
      ask(user, ref + 4, "unsubscribed", "'type':'unsubscribe','topic':'" + topic + "'");
    }
  },
  ADMIN_QUERIES(false) {
    @Override
    int flood() {
      return 16;
    }

    @Override
    void operate(User user, int ref) {
      user.query("/clients?search=" + user.name());
    }
  },
  CREDENTIAL_CHECKS(false, "sluice-auth") {
    @Override
    int flood() {
      return 32;
    }

    @Override
    long intervalMs() {
      return 1_000;
    }

    @Override
    boolean isOfAddresses() {
      return true;
    }

    @Override
    void operate(User user, int ref) {
      user.connectWith(user.token());
    }
  },
  INTROSPECTION(false, "sluice-auth-http") {
    @Override
    int flood() {
      return 4 * IN_FLIGHT;
    }

    @Override
    long intervalMs() {
      return 1_000;
    }

    @Override
    boolean isOfAddresses() {
      return true;
    }

    @Override
    void operate(User user, int ref) {
      user.connectWith("opaque-" + user.name() + "-" + ref);
    }
  },
  AUDIT_LOG(false, "sluice-audit") {
    @Override
    int flood() {
      return 16;
    }

    @Override
    void operate(User user, int ref) {
      String topic = FORBIDDEN + user.name() + "." + ref;
      send(user, ref, "'type':'publish','payload':'x','topic':'" + topic + "'");
      user.client().await("error");
      while (!user.isGreedy()
          && !user.node().admin("/audit?search=" + topic).body().contains(topic)) {
        LockSupport.parkNanos(20_000_000); // an operator has a share of such queries
      }
    }
  };

  /** Requests for introspection that a node sends at a time. */
  static final int IN_FLIGHT = 20;

  /** Duration of such a request, which makes them a hundred a second. */
  static final long INTROSPECTION_MS = 200;

  /** Part of the topics to which clients may not publish. */
  static final String FORBIDDEN = "forbidden.";

  /** Four times the threads of the largest pool. */
  private static final int FLOOD = 128;

  private static final long INTERVAL_MS = 200;
  private static final int CONSUMER = 1;
  private static final String KEPT = "x".repeat(10_000);

  /** Bytes of messages from which Artemis' client reads them while a listener runs. */
  static final int LARGE_BYTES = 30_000;

  /** A large message, of two bytes per character. */
  private static final String LARGE = "x".repeat(LARGE_BYTES * 2 / 3);

  private final boolean atBroker;
  private final List<String> threads;

  /**
   * @param atBroker whether brokers differ in it
   * @param threads names of its threads, if it has its own
   */
  Pool(boolean atBroker, String... threads) {
    this.atBroker = atBroker;
    this.threads = List.of(threads);
  }

  boolean isAtBroker() {
    return atBroker;
  }

  List<String> threads() {
    return threads;
  }

  /** Returns whether it distinguishes only addresses, because it serves unknown users. */
  boolean isOfAddresses() {
    return false;
  }

  /** Returns the number of operations that the greedy user runs at a time. */
  int flood() {
    return FLOOD;
  }

  /** Returns the time between two operations of each other user, for a tenth of the capacity. */
  long intervalMs() {
    return INTERVAL_MS;
  }

  /** Prepares a client before its first operation. */
  void prepare(User user) {
    // Most operations need nothing.
  }

  /**
   * Runs one operation and waits for its answer.
   *
   * @param ref free from here on, for five frames
   * @throws AssertionError if the answer is an error
   */
  void operate(User user, int ref) {
    throw new UnsupportedOperationException(name());
  }

  /** Prepares the next operation. This belongs to no operation, and is not measured. */
  void finish(User user, int ref) {
    // Most operations need nothing.
  }

  private static String queue(User user, String queues) {
    return "'queue':'" + queues + user.name() + "'";
  }

  private static void consume(User user, String queues) {
    consume(user, queues, 1_000);
  }

  private static void consume(User user, String queues, int credit) {
    ask(
        user,
        CONSUMER,
        "consuming",
        "'type':'consume','credit':" + credit + "," + queue(user, queues));
  }

  /** Sends a message to a user's queue, and settles its delivery. */
  private static void settle(User user, int ref, String queues, String how) {
    send(user, ref, "'type':'publish','payload':'x'," + queue(user, queues));
    settle(user, ref + 1, how);
  }

  private static void settle(User user, int ref, String how) {
    String delivered =
        "'subscription':" + CONSUMER + ",'tag':" + await(user, "delivery").get("tag");
    ask(user, ref, "settled", "'type':'" + how + "'," + delivered);
  }

  private static void ask(User user, int ref, String answer, String members) {
    send(user, ref, members);
    await(user, answer);
  }

  private static JsonNode await(User user, String type) {
    JsonNode frame = user.client().readJson();
    while (!frame.get("type").asText().equals(type)) {
      if (frame.get("type").asText().equals("error")) {
        throw new AssertionError("not " + type + ": " + frame);
      }
      frame = user.client().readJson();
    }
    return frame;
  }

  private static void send(User user, int ref, String members) {
    user.client().text(("{'ref':" + ref + "," + members + "}").replace('\'', '"'));
  }
}
