package io.sluice.cluster;

import static io.sluice.cluster.Nodes.eventually;
import static io.sluice.cluster.Nodes.ids;
import static io.sluice.cluster.Nodes.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cluster.peer.CertificateWriter;
import io.sluice.cluster.peer.PeerIdentity;
import io.sluice.cluster.peer.PeerTls;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jgroups.ObjectMessage;
import org.junit.jupiter.api.Test;

/** Test of the authentication of peers. */
final class PeersIT {
  /** Shorter than a node's timeout for the first data of a peer. */
  private static final int TIMEOUT_MS = 500;

  @Test
  void shouldAcceptOnlyPeersWithTheSecret() throws Exception {
    PeerIdentity right = new PeerIdentity.Secret("correct horse battery staple");
    PeerIdentity wrong = new PeerIdentity.Secret("correct horse battery stable");
    check("secret", right, right, wrong);
  }

  @Test
  void shouldAcceptOnlyPeersWithACertificateOfTheAuthority() throws Exception {
    Authority authority = new Authority("root");
    Authority other = new Authority("root");
    check(
        "certificates",
        authority.issue("one", authority.root),
        authority.issue("two", authority.root),
        other.issue("one", other.root));
  }

  @Test
  void shouldStayConnectedWithRenewedCertificatesOfAnotherAuthority() throws Exception {
    Authority before = new Authority("before");
    Authority after = new Authority("after");
    try (Nodes nodes = new Nodes("renewed", 4)) {
      JGroupsCluster first = nodes.start(0, node("node-0"), before.issue("node-0", before.root));
      JGroupsCluster second = nodes.start(1, node("node-1"), before.issue("node-1", before.root));
      eventually().until(() -> ids(first).size() == 2 && ids(second).size() == 2);

      first.renew(after.issue("node-0", before.root, after.root));
      second.renew(after.issue("node-1", before.root, after.root));
      Cluster third = nodes.start(2, node("node-2"), after.issue("node-2", after.root));
      eventually().until(() -> ids(third).equals(List.of("node-0", "node-1", "node-2")));
      first.announce(NodeState.UP); // over the existing connection
      eventually().until(() -> Nodes.seen(second, "node-0").state() == NodeState.UP);

      first.renew(after.issue("node-0", after.root));
      second.renew(after.issue("node-1", after.root));
      Cluster late = nodes.start(3, node("node-3"), before.issue("node-3", before.root));
      eventually().until(() -> first.counts().refused() + late.counts().refused() > 2);
      assertThat(ids(late)).containsExactly("node-3");
      assertThat(ids(first)).containsExactly("node-0", "node-1", "node-2");
    }
  }

  /** A resumed session would otherwise be accepted without a certificate. */
  @Test
  void shouldNotResumeTlsSessionsAfterARenewal() throws Exception {
    Authority before = new Authority("before");
    Authority after = new Authority("after");
    try (Nodes nodes = new Nodes("resumed", 1)) {
      JGroupsCluster node = nodes.start(0, node("node-0"), before.issue("node-0", before.root));
      PeerIdentity.Certified former = before.issue("former", before.root, after.root);
      PeerTls client = PeerTls.of(former, "resumed", new Incidents()).orElseThrow();
      assertThat(isLetIn(client, nodes.port(0))).isTrue();
      node.renew(after.issue("node-0", after.root));
      assertThat(isLetIn(client, nodes.port(0))).isFalse();
      eventually().until(() -> node.counts().refused() == 1);
    }
  }

  /** Its kernel accepts connections; JGroups opens no other one during the attempt. */
  @Test
  void shouldDiscoverOthersDespiteAnUnresponsivePeer() throws Exception {
    PeerIdentity secret = new PeerIdentity.Secret("correct horse battery staple");
    try (Nodes nodes = new Nodes("hangs", 3);
        ServerSocket hanging =
            new ServerSocket(nodes.port(0), 50, InetAddress.getLoopbackAddress())) {
      assertThat(hanging.isBound()).isTrue();
      Cluster first = nodes.start(1, node("node-1"), secret);
      Cluster second = nodes.start(2, node("node-2"), secret);
      eventually().until(() -> ids(first).equals(List.of("node-1", "node-2")));
      eventually().until(() -> ids(second).equals(List.of("node-1", "node-2")));
    }
  }

  @Test
  void shouldRenewOnlyCertificates() throws Exception {
    Authority authority = new Authority("root");
    try (Nodes nodes = new Nodes("open", 1)) {
      JGroupsCluster open = nodes.start(0);
      assertThatThrownBy(() -> open.renew(authority.issue("node-0", authority.root)))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  /**
   * Returns whether the node accepts the client's certificate. A node that does sends a session
   * ticket and waits. A refusal is an alert, or a reset that overtakes the alert while the client
   * still writes its handshake; a connection that cannot be made at all is neither.
   */
  private static boolean isLetIn(PeerTls client, int port) throws Exception {
    try (Socket socket = client.sockets().createSocket("test")) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      socket.setSoTimeout(TIMEOUT_MS);
      return socket.getInputStream().read() >= 0;
    } catch (SocketTimeoutException waits) {
      return true;
    } catch (ConnectException noNode) {
      throw noNode;
    } catch (SSLException | SocketException refused) {
      return false;
    }
  }

  /**
   * The unauthenticated node connects and is connected to; a plain node and a mute client connect
   * as well.
   */
  private static void check(String name, PeerIdentity one, PeerIdentity two, PeerIdentity stranger)
      throws Exception {
    try (Nodes nodes = new Nodes(name, 4)) {
      JGroupsCluster first = nodes.start(0, node("node-0"), one);
      Cluster refused = nodes.start(2, node("node-2"), stranger);
      Cluster plain = nodes.start(3, node("node-3"), Nodes.OPEN);
      try (Socket mute = new Socket(InetAddress.getLoopbackAddress(), nodes.port(0))) {
        assertThat(mute.isConnected()).isTrue();
        Cluster second = nodes.start(1, node("node-1"), two);
        eventually().until(() -> ids(first).equals(List.of("node-0", "node-1")));
        eventually().until(() -> ids(second).equals(List.of("node-0", "node-1")));
      }
      eventually().until(() -> first.counts().refused() + refused.counts().refused() > 2);
      first.announce(NodeState.UP);
      assertThat(refused.activeTopics(1).toCompletableFuture().get(60, TimeUnit.SECONDS)).isEmpty();
      assertThat(ids(first)).containsExactly("node-0", "node-1");
      assertThat(ids(refused)).containsExactly("node-2");
      assertThat(ids(plain)).containsExactly("node-3");
    }
  }

  @Test
  void shouldDiscardMalformedMessages() throws Exception {
    try (Nodes nodes = new Nodes("garbage", 2)) {
      JGroupsCluster first = nodes.start(0);
      JGroupsCluster second = nodes.start(1);
      eventually().until(() -> ids(first).size() == 2 && ids(second).size() == 2);
      awaitMalformed(first, second, () -> loose(new ObjectMessage(null, "a primitive")));
      // It closes the connection, and possibly changes the view.
      second.channel().send(loose(new ObjectMessage(null, new Gadget())));
      awaitMalformed(
          first, second, () -> new BytesMessage(null, new byte[] {Status.CHANNEL, 9, 9}));
      awaitMalformed(first, second, () -> new BytesMessage(null, new byte[Exchange.MAX_BYTES + 1]));
      assertThat(Gadget.BORN).hasValue(0);
      Load load = new Load(5, 5, 0, 0, 0);
      second.report(load);
      eventually().until(() -> Nodes.seen(first, "node-1").load().equals(load));
    }
  }

  /** Sends the message until one has arrived. */
  private static void awaitMalformed(
      JGroupsCluster to, JGroupsCluster from, Supplier<Message> message) {
    long before = to.counts().malformed();
    eventually()
        .until(
            () -> {
              from.channel().send(message.get());
              return to.counts().malformed() > before;
            });
  }

  /** Message that JGroups does not retransmit. */
  private static Message loose(Message message) {
    return message.setFlag(Message.Flag.NO_RELIABILITY, Message.Flag.OOB);
  }

  /** Object that must never be deserialized from another node's bytes. */
  private static final class Gadget implements Serializable {
    private static final long serialVersionUID = 1;
    private static final AtomicInteger BORN = new AtomicInteger();

    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
      in.defaultReadObject();
      BORN.incrementAndGet();
    }
  }

  /** Authority whose certificates identify nodes. */
  private static final class Authority {
    private final String name;
    private final KeyPair keys;
    final X509Certificate root;

    Authority(String name) throws GeneralSecurityException {
      this.name = name;
      this.keys = keys();
      this.root = CertificateWriter.write(name, keys.getPublic(), name, keys.getPrivate());
    }

    /** Returns an identity of a certificate and trusted authorities. */
    PeerIdentity.Certified issue(String subject, X509Certificate... trusted)
        throws GeneralSecurityException {
      KeyPair own = keys();
      X509Certificate certificate =
          CertificateWriter.write(subject, own.getPublic(), name, keys.getPrivate());
      return new PeerIdentity.Certified(own.getPrivate(), List.of(certificate), List.of(trusted));
    }

    private static KeyPair keys() throws GeneralSecurityException {
      return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    }
  }
}
