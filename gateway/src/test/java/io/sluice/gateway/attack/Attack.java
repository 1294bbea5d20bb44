package io.sluice.gateway.attack;

import static io.sluice.gateway.attack.Site.GUARDED;
import static io.sluice.gateway.attack.Site.NARROW;
import static io.sluice.gateway.attack.Site.OPEN;
import static io.sluice.gateway.attack.Site.PROXIED;
import static io.sluice.gateway.attack.Site.TLS;

import java.util.function.Function;

/** Attacks with their scripts, sizes and the limits by which a node ends them. */
enum Attack {
  HALF_OPEN(
      "half-open handshakes: half of them part of a request, half of them nothing",
      OPEN,
      new Load(18_000, 6_000),
      new Load(300, 0),
      secret -> Scripts.halfOpen(),
      "cut",
      refused("timeout")),
  BURST(
      "handshakes that all wait, and end in the same moment, every three seconds",
      OPEN,
      new Load(6_000, 2_500),
      new Load(50, 0),
      secret -> Scripts.burst(),
      "101",
      "sluice_connections_opened_total"),
  SLOW_HANDSHAKE(
      "handshakes that send a byte a second",
      OPEN,
      new Load(2_000, 1_000),
      new Load(50, 0),
      secret -> Scripts.slowHandshake(),
      "408",
      refused("timeout")),
  SLOW_BODY(
      "requests for a stream whose body comes a byte a second",
      OPEN,
      new Load(2_000, 1_000),
      new Load(50, 0),
      secret -> Scripts.slowBody(),
      "408",
      refused("timeout")),
  CHURN(
      "connections that go as soon as they are WebSockets",
      OPEN,
      new Load(200, 300),
      new Load(5, 50),
      secret -> Scripts.churn(),
      "101",
      "sluice_connections_opened_total"),
  WRONG_ORIGIN(
      "handshakes of a foreign page",
      OPEN,
      new Load(200, 300),
      new Load(5, 50),
      secret -> Scripts.wrongOrigin(),
      "403",
      refused("403")),
  HUGE_HEADERS(
      "requests with 64 KiB of headers",
      OPEN,
      new Load(200, 300),
      new Load(5, 50),
      secret -> Scripts.hugeHeaders(),
      "431",
      refused("431")),
  JUNK(
      "512 bytes of noise",
      OPEN,
      new Load(200, 300),
      new Load(5, 50),
      secret -> Scripts.junk(),
      "400",
      refused("400")),
  PIPELINE(
      "pipelined requests for a page without reading the responses",
      OPEN,
      new Load(10, 100),
      new Load(5, 50),
      secret -> Scripts.pipeline(),
      "cut",
      refused("unread")),
  NEVER_READING(
      "subscribers to 32 KiB messages, ten a second, that read nothing",
      OPEN,
      new Load(100, 50),
      new Load(5, 50),
      secret -> Scripts.neverReading(),
      "cut",
      closed(4000)),
  PING_FLOOD(
      "pings, 4,000 a second from each of 10 clients",
      OPEN,
      new Load(10, 50),
      new Load(2, 50),
      secret -> Scripts.pings(),
      "close 4205",
      limit("frame-rate")),
  FRAGMENT_FLOOD(
      "empty fragments of one message, 20,000 a second from each of 10 clients",
      OPEN,
      new Load(10, 50),
      new Load(2, 50),
      secret -> Scripts.fragments(),
      "close 1009",
      closed(1009)),
  LINE_FLOOD(
      "pings in the bodies of four requests for streams a second, 60,000 in each",
      OPEN,
      new Load(10, 4),
      new Load(2, 50),
      secret -> Scripts.lines(),
      "close 4205",
      limit("frame-rate")),
  BOMB(
      "compressed messages that inflate to 16 MiB",
      OPEN,
      new Load(50, 100),
      new Load(5, 50),
      secret -> Scripts.bomb(),
      "close 1009",
      closed(1009)),
  COLLISION(
      "1,200 subscriptions to topics of one hash code, of ten clients a second",
      OPEN,
      new Load(10, 10),
      new Load(2, 50),
      secret -> Scripts.collisions(),
      "close 1000",
      "sluice_client_errors_total{code=\"too-many-subscriptions\"}"),
  SUBSCRIBE_FLOOD(
      "subscriptions to ever other topics and their ends, 2,000 a second from each of 5 clients",
      OPEN,
      new Load(5, 5),
      new Load(2, 50),
      secret -> Scripts.subscribes(),
      "close 4205",
      "sluice_client_errors_total{code=\"rate-limited\"}"),
  PUBLISH_FLOOD(
      "publishes, 2,000 a second from each of 10 clients",
      OPEN,
      new Load(10, 20),
      new Load(2, 50),
      secret -> Scripts.publishes(),
      "close 4205",
      "sluice_client_errors_total{code=\"rate-limited\"}"),
  BAD_TOKEN(
      "tokens that somebody else has signed",
      OPEN,
      new Load(200, 200),
      new Load(5, 50),
      Scripts::badToken,
      "close 4200",
      "sluice_authentication_failures_total{reason=\"refused\"}"),
  HALF_OPEN_TLS(
      "half-open TLS handshakes: nothing, part of a ClientHello, or all of one and no more",
      TLS,
      new Load(18_000, 3_000),
      new Load(300, 0),
      secret -> Scripts.halfOpenTls(),
      "cut",
      refused("timeout")),
  TLS_FLOOD(
      "whole TLS handshakes (RSA) and nothing behind them",
      TLS,
      new Load(100, 100),
      new Load(5, 50),
      secret -> Scripts.tlsHandshakes(),
      "left",
      null),
  PROXY_JUNK(
      "noise instead of the PROXY protocol's header, from the proxy's address",
      PROXIED,
      new Load(200, 300),
      new Load(5, 50),
      secret -> Scripts.junk(),
      "400",
      refused("proxy-protocol")),
  ONE_ADDRESS(
      "connections from one address that go as soon as they are WebSockets",
      GUARDED,
      new Load(200, 300),
      new Load(20, 100),
      secret -> Scripts.churn(),
      "429",
      limit("per-address.handshake-rate")),
  SILENCE(
      "connections from one address that say nothing, more than the node has places for",
      NARROW,
      new Load(3_000, 3_000),
      new Load(1_500, 0),
      secret -> Scripts.silence(),
      "cut",
      refused("too-many"));

  /** Number of connections at a time and new connections per second; 0: unlimited. */
  record Load(int connections, double opensPerSecond) {}

  private final String what;
  private final Site site;
  private final Load full;
  private final Load small;
  private final Function<String, Script> script;
  private final String outcome;
  private final String sample;

  Attack(
      String what,
      Site site,
      Load full,
      Load small,
      Function<String, Script> script,
      String outcome,
      String sample) {
    this.what = what;
    this.site = site;
    this.full = full;
    this.small = small;
    this.script = script;
    this.outcome = outcome;
    this.sample = sample;
  }

  private static String refused(String cause) {
    return "sluice_handshakes_refused_total{cause=\"" + cause + "\"}";
  }

  private static String closed(int code) {
    return "sluice_connections_closed_total{code=\"" + code + "\"}";
  }

  private static String limit(String key) {
    return "sluice_limits_reached_total{limit=\"limits." + key + "\"}";
  }

  /** Returns a description for people. */
  String what() {
    return what;
  }

  /** Returns the kind of node that is attacked. */
  Site site() {
    return site;
  }

  Load full() {
    return full;
  }

  Load small() {
    return small;
  }

  /**
   * Returns the script of one attacker.
   *
   * @param token that the node must reject
   */
  Script script(String token) {
    return script.apply(token);
  }

  /** Returns the outcome of its connections: see {@link Attackers#outcomes}. */
  String outcome() {
    return outcome;
  }

  /** Returns whether attackers detect their outcome; those that do not read may not. */
  boolean isSeen() {
    return script("").reads();
  }

  /** Returns the sample of the node's metrics that counts it, or null. */
  String sample() {
    return sample;
  }
}
