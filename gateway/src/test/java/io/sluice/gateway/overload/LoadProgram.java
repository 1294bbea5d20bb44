package io.sluice.gateway.overload;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.sluice.gateway.SourcePublisher;
import io.sluice.gateway.attack.Loops;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Publishers of hot and quiet topics and the clients of two nodes, in a separate process.
 * Arguments: kind of source, its URL, port of the node with clients of all topics, port of the node
 * with clients of quiet topics only, number of quiet clients. Each line of standard input is
 * answered by one line. {@code read} returns the figures since the previous {@code read}. {@code
 * hot TOPICS RATE} sets the rate of this many hot topics, in messages per second each, and returns
 * {@code ok}.
 */
public final class LoadProgram {
  static final int HOT_TOPICS = 3;
  private static final int QUIET_TOPICS = 50;
  private static final long QUIET_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final int HOT_CHARACTERS = 32 * 1024;
  private static final int AT_ONCE = 50;
  private static final int CONTROL_SHARE = 10;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String kind;
  private final String url;
  private final EventLoopGroup loop = Loops.one("clients");
  private final LoadTally quiet = new LoadTally();
  private final LoadTally control = new LoadTally();
  private final LoadTally hot = new LoadTally();
  private final HotPublisher[] publishers = new HotPublisher[HOT_TOPICS];
  private long reportedSent;

  private LoadProgram(String kind, String url) {
    this.kind = kind;
    this.url = url;
  }

  public static void main(String[] args) throws Exception {
    LoadProgram load = new LoadProgram(args[0], args[1]);
    int port = Integer.parseInt(args[2]);
    int controlPort = Integer.parseInt(args[3]);
    int clients = Integer.parseInt(args[4]);
    load.connect(port, clients, load.quiet);
    load.connect(controlPort, clients / CONTROL_SHARE, load.control);
    load.connectHot(port);
    load.start();
    System.out.println("ready");
    load.serve();
    System.exit(0);
  }

  private void connect(int port, int clients, LoadTally tally) {
    List<CompletableFuture<Void>> some = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      some.add(open(port, new LoadClient(quietTopic(i % QUIET_TOPICS), false, tally)));
      if (some.size() == AT_ONCE || i == clients - 1) {
        join(some);
      }
    }
  }

  private static void join(List<CompletableFuture<Void>> some) {
    CompletableFuture.allOf(some.toArray(CompletableFuture<?>[]::new))
        .orTimeout(1, TimeUnit.MINUTES)
        .join();
    some.clear();
  }

  private void connectHot(int port) {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < HOT_TOPICS; i++) {
      all.add(open(port, new LoadClient(hotTopic(i), true, hot)));
    }
    join(all);
  }

  private CompletableFuture<Void> open(int port, LoadClient client) {
    Loops.bootstrap(loop)
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                channel.pipeline().addLast(client);
              }
            })
        .connect(new InetSocketAddress("127.0.0.1", port));
    return client.subscribed();
  }

  /** Returns all topics. */
  static List<String> topics() {
    return Stream.concat(
            IntStream.range(0, QUIET_TOPICS).mapToObj(LoadProgram::quietTopic),
            IntStream.range(0, HOT_TOPICS).mapToObj(LoadProgram::hotTopic))
        .toList();
  }

  static String quietTopic(int number) {
    return "hot-test.quiet." + number;
  }

  static String hotTopic(int number) {
    return "hot-test.hot." + number;
  }

  private void start() throws Exception {
    for (int i = 0; i < HOT_TOPICS; i++) {
      publishers[i] = new HotPublisher(hotTopic(i));
      daemon(publishers[i]);
    }
    SourcePublisher publisher = SourcePublisher.open(kind, url);
    daemon(() -> publishQuiet(publisher));
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "publisher");
    thread.setDaemon(true);
    thread.start();
  }

  private static void publishQuiet(SourcePublisher publisher) {
    try {
      long dueNs = System.nanoTime();
      for (long i = 0; true; i++) {
        dueNs += QUIET_INTERVAL_NS;
        awaitTime(dueNs);
        int topic = (int) (i % QUIET_TOPICS);
        publisher.text(
            quietTopic(topic), "SEQ=" + (i / QUIET_TOPICS + 1) + " NS=" + System.nanoTime() + " ");
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitTime(long dueNs) {
    for (long left = dueNs - System.nanoTime(); left > 0; left = dueNs - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** Publisher of one hot topic with a separate connection. */
  private final class HotPublisher implements Runnable {
    private static final long IDLE_NS = 1_000_000;

    private final String topic;
    private final String filler = filler();
    private final SourcePublisher publisher = SourcePublisher.open(kind, url);
    private volatile double rate;
    private volatile long sent;

    HotPublisher(String topic) throws Exception {
      this.topic = topic;
    }

    @Override
    public void run() {
      try {
        long dueNs = System.nanoTime();
        while (true) {
          double now = rate;
          if (now <= 0) {
            LockSupport.parkNanos(IDLE_NS);
            dueNs = System.nanoTime();
            continue;
          }
          // Messages that the broker does not accept in time are skipped.
          dueNs = Math.max(dueNs, System.nanoTime() - IDLE_NS) + (long) (1e9 / now);
          awaitTime(dueNs);
          publisher.text(topic, "SEQ=" + ++sent + " NS=" + System.nanoTime() + filler);
        }
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    /** Returns text like JSON that compresses about as well. */
    private static String filler() {
      Random random = new Random(1);
      StringBuilder text = new StringBuilder(" ");
      while (text.length() < HOT_CHARACTERS) {
        text.append("{\"instrument\":\"").append(random.nextInt(10_000));
        text.append("\",\"price\":").append(random.nextDouble()).append("},");
      }
      return text.toString();
    }
  }

  private void serve() throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ");
      if (words[0].equals("read")) {
        System.out.println(report());
      } else {
        int topics = Integer.parseInt(words[1]);
        for (int i = 0; i < HOT_TOPICS; i++) {
          publishers[i].rate = i < topics ? Double.parseDouble(words[2]) : 0;
        }
        System.out.println("ok");
      }
    }
  }

  private ObjectNode report() {
    ObjectNode report = JSON.createObjectNode();
    report.set("quiet", quiet.take());
    report.set("control", control.take());
    report.set("hot", hot.take());
    long sent = 0;
    for (HotPublisher publisher : publishers) {
      sent += publisher.sent;
    }
    report.put("hotSent", sent - reportedSent);
    reportedSent = sent;
    return report;
  }
}
