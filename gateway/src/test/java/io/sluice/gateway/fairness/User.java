package io.sluice.gateway.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.RawWebSocket;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jose4j.jwt.JwtClaims;

/** Client that runs operations on a thread of its own. */
final class User extends Thread implements AutoCloseable {
  static final TestKey KEY = TestKey.create("key", "ES256");

  /** Delay before a greedy user repeats what was refused. */
  private static final long REFUSED_NS = 200_000_000;

  private final Pool pool;
  private final TestNode node;
  private final String subject;
  private final String address;
  private final String name;
  private final long intervalNs;
  private final RawWebSocket client;
  private final List<Double> latenciesMs = Collections.synchronizedList(new ArrayList<>());
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile boolean stopped;
  private String token;

  /**
   * Connects.
   *
   * @param subject subject of the credential; empty if there is none
   * @param intervalNs between the starts of two operations, or 0 for a greedy user, who starts one
   *     after the other
   */
  User(Pool pool, TestNode node, String subject, String address, String name, long intervalNs) {
    super("user-" + name);
    this.pool = pool;
    this.node = node;
    this.subject = subject;
    this.address = address;
    this.name = name;
    this.intervalNs = intervalNs;
    this.client = open();
    connect(client, subject.isEmpty() ? "" : token());
    client.await("hello");
    pool.prepare(this);
    setDaemon(true);
  }

  RawWebSocket client() {
    return client;
  }

  TestNode node() {
    return node;
  }

  /** Returns the name of this client, without dots. */
  String name() {
    return name;
  }

  private RawWebSocket open() {
    return node.request().subprotocols(Encoding.JSON_SUBPROTOCOL).from(address).open();
  }

  private static void connect(RawWebSocket client, String token) {
    String credential = token.isEmpty() ? "" : ",\"token\":\"" + token + "\"";
    client.text("{\"type\":\"connect\",\"ref\":1" + credential + "}");
  }

  /** Returns a JWT of this user, signed once. */
  String token() {
    if (token == null) {
      token = signed();
    }
    return token;
  }

  private String signed() {
    JwtClaims claims = TestKey.claims();
    claims.setSubject(subject.isEmpty() ? name : subject);
    return KEY.sign(claims);
  }

  /** Connects once more. A greedy user may be refused. */
  void connectWith(String token) {
    try (RawWebSocket other = open()) {
      connect(other, token);
      JsonNode answer = other.readJson();
      boolean isEntered = answer.get("type").asText().equals("hello");
      if (!isEntered && intervalNs > 0) {
        throw new AssertionError("not admitted: " + answer);
      } else if (!isEntered) {
        LockSupport.parkNanos(REFUSED_NS);
      }
    }
  }

  /** Queries the admin port. A greedy user may be refused. */
  void query(String path) {
    HttpResponse<String> answer = node.admin(path);
    if (isGreedy() && answer.statusCode() == 503) {
      LockSupport.parkNanos(REFUSED_NS);
    } else if (answer.statusCode() != 200) {
      throw new AssertionError(answer.statusCode() + ": " + answer.body());
    }
  }

  boolean isGreedy() {
    return intervalNs == 0;
  }

  @Override
  public void run() {
    try {
      long dueNs = System.nanoTime() + (long) (Math.random() * intervalNs);
      for (int ref = 10; !stopped; ref += 10) {
        while (intervalNs > 0 && System.nanoTime() < dueNs) {
          LockSupport.parkNanos(dueNs - System.nanoTime());
        }
        long startNs = intervalNs > 0 ? dueNs : System.nanoTime();
        pool.operate(this, ref);
        latenciesMs.add((System.nanoTime() - startNs) / 1e6);
        pool.finish(this, ref + 5);
        dueNs += intervalNs;
      }
    } catch (RuntimeException | Error e) {
      failure.set(e);
    }
  }

  /** Returns the latencies since the last call, in milliseconds. */
  List<Double> takeLatencies() {
    assertThat(failure.get()).as(name).isNull();
    synchronized (latenciesMs) {
      List<Double> taken = new ArrayList<>(latenciesMs);
      latenciesMs.clear();
      return taken;
    }
  }

  @Override
  public void close() {
    stopped = true;
    client.close();
  }
}
