package io.sluice.gateway.attack;

import static io.sluice.gateway.attack.Site.GUARDED;
import static io.sluice.gateway.attack.Site.ISSUED;
import static io.sluice.gateway.attack.Site.NARROW;
import static io.sluice.gateway.attack.Site.OPEN;
import static io.sluice.gateway.attack.Site.PROXIED;
import static io.sluice.gateway.attack.Site.RULED;
import static io.sluice.gateway.attack.Site.TLS;

import java.util.Map;
import java.util.function.Function;

/** Attacks with their scripts, sizes and the limits by which a node ends them. */
enum Attack {
  HALF_OPEN(
      "half-open handshakes: half of them part of a request, half of them nothing",
      OPEN,
      new Load(18_000, 6_000),
      new Load(300, 0),
      tokens -> Scripts.halfOpen(),
      "cut",
      refused("timeout")),
  BURST(
      "handshakes that all wait, and end in the same moment, every three seconds",
      OPEN,
      new Load(6_000, 2_500),
      new Load(50, 0),
      tokens -> Scripts.burst(),
      "101",
      "sluice_connections_opened_total"),
  SLOW_HANDSHAKE(
      "handshakes that send a byte a second",
      OPEN,
      new Load(2_000, 1_000),
      new Load(50, 0),
      tokens -> Scripts.slowHandshake(),
      "408",
      refused("timeout")),
  SLOW_BODY(
      "requests for a stream whose body comes a byte a second",
      OPEN,
      new Load(2_000, 1_000),
      new Load(50, 0),
      tokens -> Scripts.slowBody(),
      "408",
      refused("timeout")),
  CHURN(
      "connections that go as soon as they are WebSockets",
      OPEN,
      new Load(200, 300),
      new Load(5, 50),
      tokens -> Scripts.churn(),
      "101",
      "sluice_connections_opened_total"),
  WRONG_ORIGIN(
      "handshakes of a foreign page",
      OPEN,
      new Load(200, 300),
      new Load(5, 50),
      tokens -> Scripts.wrongOrigin(),
      "403",
      refused("403")),
  HUGE_HEADERS(
      "requests with 64 KiB of headers",
      OPEN,
      new Load(200, 300),
      new Load(5, 50),
      tokens -> Scripts.hugeHeaders(),
      "431",
      refused("431")),
  JUNK(
      "512 bytes of noise",
      OPEN,
      new Load(200, 300),
      new Load(5, 50),
      tokens -> Scripts.junk(),
      "400",
      refused("400")),
  PIPELINE(
      "pipelined requests for a page without reading the responses",
      OPEN,
      new Load(10, 100),
      new Load(5, 50),
      tokens -> Scripts.pipeline(),
      "cut",
      refused("unread")),
  NEVER_READING(
      "subscribers to 32 KiB messages, ten a second, that read nothing",
      OPEN,
      new Load(100, 50),
      new Load(5, 50),
      tokens -> Scripts.neverReading(),
      "cut",
      closed(4000)),
  PING_FLOOD(
      "pings, 4,000 a second from each of 10 clients",
      OPEN,
      new Load(10, 50),
      new Load(2, 50),
      tokens -> Scripts.pings(),
      "close 4205",
      limit("frame-rate")),
  FRAGMENT_FLOOD(
      "empty fragments of one message, 20,000 a second from each of 10 clients",
      OPEN,
      new Load(10, 50),
      new Load(2, 50),
      tokens -> Scripts.fragments(),
      "close 1009",
      closed(1009)),
  LINE_FLOOD(
      "pings in the bodies of four requests for streams a second, 60,000 in each",
      OPEN,
      new Load(10, 4),
      new Load(2, 50),
      tokens -> Scripts.lines(),
      "close 4205",
      limit("frame-rate")),
  BOMB(
      "compressed messages that inflate to 16 MiB",
      OPEN,
      new Load(50, 100),
      new Load(5, 50),
      tokens -> Scripts.bomb(),
      "close 1009",
      closed(1009)),
  COLLISION(
      "1,200 subscriptions to topics of one hash code, of ten clients a second",
      OPEN,
      new Load(10, 10),
      new Load(2, 50),
      tokens -> Scripts.collisions(),
      "close 1000",
      error("too-many-subscriptions")),
  SUBSCRIBE_FLOOD(
      "subscriptions to ever other topics and their ends, 2,000 a second from each of 5 clients",
      OPEN,
      new Load(5, 5),
      new Load(2, 50),
      tokens -> Scripts.subscribes(),
      "close 4205",
      error("rate-limited")),
  PUBLISH_FLOOD(
      "publishes, 2,000 a second from each of 10 clients",
      OPEN,
      new Load(10, 20),
      new Load(2, 50),
      tokens -> Scripts.publishes(),
      "close 4205",
      error("rate-limited")),
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
      tokens -> Scripts.halfOpenTls(),
      "cut",
      refused("timeout")),
  TLS_FLOOD(
      "whole TLS handshakes (RSA) and nothing behind them",
      TLS,
      new Load(100, 100),
      new Load(5, 50),
      tokens -> Scripts.tlsHandshakes(),
      "left",
      null),
  PROXY_JUNK(
      "noise instead of the PROXY protocol's header, from the proxy's address",
      PROXIED,
      new Load(200, 300),
      new Load(5, 50),
      tokens -> Scripts.junk(),
      "400",
      refused("proxy-protocol")),
  ONE_ADDRESS(
      "connections from one address that go as soon as they are WebSockets",
      GUARDED,
      new Load(200, 300),
      new Load(20, 100),
      tokens -> Scripts.churn(),
      "429",
      limit("per-address.handshake-rate")),
  SILENCE(
      "connections from one address that say nothing, more than the node has places for",
      NARROW,
      new Load(3_000, 3_000),
      new Load(1_500, 0),
      tokens -> Scripts.silence(),
      "cut",
      refused("too-many")),
  OWN_HOST(
      "handshakes of a page of the node's host without TLS, through a proxy with TLS",
      OPEN,
      new Load(200, 300),
      new Load(5, 50),
      tokens -> UserScripts.ownHost(),
      "403",
      refused("403")),
  SELECTORS(
      "12,000 subscriptions of 200 clients to ten topics, each with another selector",
      OPEN,
      new Load(200, 20),
      new Load(10, 20),
      tokens -> UserScripts.selectors(),
      "error too-many-subscriptions",
      error("too-many-subscriptions")),
  DEEP_SELECTORS(
      "selectors with thousands of wildcards, parentheses, NOT and OR, 100 a second per client",
      RULED,
      new Load(10, 50),
      new Load(2, 50),
      UserScripts::deepSelectors,
      "error invalid-selector",
      error("invalid-selector")),
  NEW_NAMES(
      "maps of 4,000 new names each before the token is checked, 160 a second",
      RULED,
      new Load(20, 20),
      new Load(5, 50),
      UserScripts::newNames,
      "close 4200",
      "sluice_authentication_failures_total{reason=\"refused\"}"),
  MALFORMED(
      "JSON with 20,000 levels and with repeated members",
      RULED,
      new Load(20, 50),
      new Load(5, 50),
      tokens -> UserScripts.malformed(),
      "close 4203",
      closed(4203)),
  FORGED_REPLY(
      "requests whose replies go to a topic on which the client may not publish, and replies",
      RULED,
      new Load(10, 50),
      new Load(2, 50),
      UserScripts::forgedReply,
      "error forbidden",
      error("forbidden")),
  REPEATED_REPLY(
      "twenty replies a second to one message",
      RULED,
      new Load(10, 50),
      new Load(2, 50),
      UserScripts::repeatedReply,
      "error no-recipient",
      error("no-recipient")),
  WITHDRAWN(
      "WebSockets and streams whose permission a reload removes, and which come again",
      RULED,
      new Load(100, 100),
      new Load(10, 50),
      UserScripts::withdrawn,
      "message",
      error("forbidden")),
  PARENT_TOPIC(
      "shared subscriptions of a pattern whose parent topic is published as well",
      RULED,
      new Load(10, 50),
      new Load(2, 50),
      UserScripts::parentTopic,
      "delivery",
      "sluice_queue_deliveries_total"),
  AUDIT_FLOOD(
      "publishes to 12,000 forbidden topics by each client; one of five is refused once only",
      RULED,
      new Load(20, 5),
      new Load(10, 50),
      UserScripts::auditFlood,
      "close 4205",
      limit("frame-rate")),
  OTHER_SUBJECT(
      "sessions that present the token of another user",
      RULED,
      new Load(50, 100),
      new Load(5, 50),
      UserScripts::otherSubject,
      "close 4200",
      closed(4200)),
  INTERNAL_NAMES(
      "management addresses of the broker, by clients with permission for all names",
      RULED,
      new Load(10, 50),
      new Load(2, 50),
      UserScripts::internalNames,
      "error forbidden",
      error("forbidden")),
  SAME_NAME(
      "deletions of a user's durable subscription by another user of this name",
      RULED,
      new Load(50, 50),
      new Load(6, 50),
      UserScripts::sameName,
      "error unknown-subscription",
      error("unknown-subscription")),
  INVALID_TOKENS(
      "opaque tokens from one address, which the issuer checks one by one",
      ISSUED,
      new Load(200, 500),
      new Load(20, 50),
      tokens -> UserScripts.invalidTokens(),
      "close 4002",
      "sluice_authentication_failures_total{reason=\"unavailable\"}"),
  STREAM_BODIES(
      "incomplete requests of 1 MB for streams from one address",
      ISSUED,
      new Load(300, 100),
      new Load(150, 0),
      tokens -> UserScripts.streamBodies(),
      "503",
      refused("503"));

  /** Number of connections at a time and new connections per second; 0: unlimited. */
  record Load(int connections, double opensPerSecond) {}

  private final String what;
  private final Site site;
  private final Load full;
  private final Load small;
  private final Function<Tokens, Script> script;
  private final String outcome;
  private final String sample;

  Attack(
      String what,
      Site site,
      Load full,
      Load small,
      Function<Tokens, Script> script,
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

  private static String error(String code) {
    return "sluice_client_errors_total{code=\"" + code + "\"}";
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
   * @param tokens those of {@link Users}, and one that the node must reject
   */
  Script script(Tokens tokens) {
    return script.apply(tokens);
  }

  /** Returns the outcome of its connections: see {@link Attackers#outcomes}. */
  String outcome() {
    return outcome;
  }

  /** Returns whether attackers detect their outcome; those that do not read may not. */
  boolean isSeen() {
    return script(new Tokens(Map.of())).reads();
  }

  /** Returns the user whose refusals must be in the audit log, or null. */
  String audited() {
    return this == AUDIT_FLOOD ? Users.WITNESS : null;
  }

  /** Returns the sample of the node's metrics that counts it, or null. */
  String sample() {
    return sample;
  }
}
