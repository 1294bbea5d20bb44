using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;

namespace Sluice.Tests
{
    /// <summary>Publishes, requests and consumers with a scripted node.</summary>
    internal static class CallTests
    {
        internal static void ShouldRepeatOnlyPublishesWithAnId(Scene scene)
        {
            SluiceClient client = scene.Connect();
            Task once = client.PublishAsync("a", "1");
            Dictionary<string, object> properties = new Dictionary<string, object> { ["p"] = 1 };
            Task again = client.PublishAsync("a", "2", new PublishOptions { Id = "x", Properties = properties });
            Session first = scene.Node.Welcome();
            Check.Equal("1", (string)first.Receive("publish")["payload"]);
            first.Receive("publish");
            first.Close(1011);
            Scene.Fails("connection-lost", () => once);
            Session second = scene.Node.Welcome();
            JObject publish = second.Receive("publish");
            Check.Equal("2", (string)publish["payload"]);
            Check.Equal(JObject.Parse("{\"p\":1}"), publish["properties"]);
            second.Answer(publish, "published");
            Scene.Await(again);
        }

        internal static void ShouldSendPublishesInTheirOrder(Scene scene)
        {
            SluiceClient client = scene.Connect();
            List<Task> publishes = new List<Task>();
            for (int i = 0; i < 500; i++)
            {
                publishes.Add(client.PublishAsync("a", i.ToString()));
            }
            Session session = scene.Node.Welcome();
            for (int i = 500; i < 1000; i++)
            {
                publishes.Add(client.PublishAsync("a", i.ToString()));
            }
            for (int i = 0; i < 1000; i++)
            {
                JObject publish = session.Receive("publish");
                Check.Equal(i.ToString(), (string)publish["payload"]);
                session.Answer(publish, "published");
            }
            Scene.Await(Task.WhenAll(publishes));
        }

        internal static void ShouldLimitUnansweredPublishesAndTheirTime(Scene scene)
        {
            SluiceClient client = scene.Connect(
                options =>
                {
                    options.Urls = new List<string> { "ws://127.0.0.1:1/ws" };
                    options.MaxPublishes = 1;
                    options.PublishTimeout = TimeSpan.FromMilliseconds(300);
                });
            Task first = client.PublishAsync("a", "1");
            Scene.Fails("publish-queue-full", () => client.PublishAsync("a", "2"));
            Scene.Fails("publish-timeout", () => first);
        }

        internal static void ShouldCancelAPublish(Scene scene)
        {
            SluiceClient client = scene.Connect(options => options.MaxPublishes = 1);
            using (CancellationTokenSource cancellation = new CancellationTokenSource())
            {
                Task publishing = client.PublishAsync("a", "1", null, cancellation.Token);
                cancellation.Cancel();
                try
                {
                    Scene.Await(publishing);
                }
                catch (AggregateException)
                {
                    Check.True(publishing.IsCanceled, "the publish is cancelled");
                }
            }
            // The cancelled one counts no longer, and is not sent.
            Task second = client.PublishAsync("a", "2");
            Session session = scene.Node.Welcome();
            JObject publish = session.Receive("publish");
            Check.Equal("2", (string)publish["payload"]);
            session.Answer(publish, "published");
            Scene.Await(second);
        }

        internal static void ShouldLimitTheTimeOfPublishesWhileTheNodeDoesNotRead(Scene scene)
        {
            SluiceClient client = scene.Connect(options => options.PublishTimeout = TimeSpan.FromSeconds(2));
            Session session = scene.Node.Welcome();
            // More than the buffers of the sockets.
            string large = new string('x', 32 * 1024 * 1024);
            Task first = client.PublishAsync("a", large);
            Task second = client.PublishAsync("a", "2");
            Scene.Fails("publish-timeout", () => first);
            Scene.Fails("publish-timeout", () => second);
            Check.Equal(large.Length, ((string)session.Receive("publish")["payload"]).Length);
            Task third = client.PublishAsync("a", "3");
            JObject publish = session.Receive("publish");
            Check.Equal("3", (string)publish["payload"]);
            session.Answer(publish, "published");
            Scene.Await(third);
        }

        internal static void ShouldReportRefusedPublishes(Scene scene)
        {
            SluiceClient client = scene.Connect();
            Task publishing = client.PublishAsync("a", "1");
            Session session = scene.Node.Welcome();
            JObject publish = session.Receive("publish");
            session.Refuse(publish, "forbidden");
            Scene.Fails("forbidden", () => publishing);
        }

        internal static void ShouldSendRequests(Scene scene)
        {
            SluiceClient client = scene.Connect();
            Task<Reply> requesting = client.Queue("q").RequestAsync("?", TimeSpan.FromSeconds(2));
            Session session = scene.Node.Welcome();
            JObject request = session.Receive("request");
            Check.Equal("q", (string)request["queue"]);
            Check.Equal(2000, (int)request["timeout"]);
            JObject reply = JObject.Parse(
                "{\"type\":\"reply\",\"id\":\"0000000000000000\",\"time\":1,\"encoding\":\"json\",\"payload\":{\"a\":1}}");
            reply["ref"] = request["ref"];
            session.Send(reply);
            Scene.Await(requesting);
            Check.Equal(JObject.Parse("{\"a\":1}"), requesting.Result.Payload.Json());
            Scene.Fails("invalid-argument", () => client.RequestAsync("a", "?", TimeSpan.Zero));
        }

        internal static void ShouldSettleByTheOutcomeOfTheHandler(Scene scene)
        {
            ConsumeOptions options = Recording(scene);
            options.Credit = 3;
            Consumer consumer = scene.Connect().Queue("q").Consume(HandleAsync, options);
            Session session = scene.Node.Welcome();
            JObject consume = session.Receive("consume");
            Check.Equal(3, (int)consume["credit"]);
            long reference = (long)consume["ref"];
            session.Answer(consume, "consuming");
            session.Deliver(reference, 1, "good");
            session.Deliver(reference, 2, "bad");
            session.Deliver(reference, 3, "mine");
            string[] settlements = { "ack", "release", "reject" };
            for (int i = 0; i < settlements.Length; i++)
            {
                JObject settlement = session.Receive(settlements[i]);
                Check.Equal(i + 1, (int)settlement["tag"]);
                session.Answer(settlement, "settled");
            }
            scene.Expect("Consuming", "handler-failed");
            Scene.Await(Task.WhenAll(consumer.CloseAsync(), consumer.CloseAsync()));
            Check.Equal(0, (int)session.Receive("credit")["credit"]);
            Check.Equal(reference, (long)session.Receive("unsubscribe")["subscription"]);
            scene.Expect("Closed");
        }

        private static Task HandleAsync(Delivery delivery)
        {
            if (delivery.Text == "bad")
            {
                throw new InvalidOperationException("bad");
            }
            return delivery.Text == "mine" ? delivery.RejectAsync() : Task.CompletedTask;
        }

        private static ConsumeOptions Recording(Scene scene)
        {
            return new ConsumeOptions
            {
                OnState = state => scene.Add(state.ToString()),
                OnError = error => scene.Add(error.Code)
            };
        }

        internal static void ShouldSettleManually(Scene scene)
        {
            ConsumeOptions options = Recording(scene);
            options.ManualAck = true;
            Delivery received = null;
            scene.Connect().Durable("a.>", "d").Consume(
                delivery =>
                {
                    received = delivery;
                    scene.Add(delivery.Text);
                },
                options);
            Session session = scene.Node.Welcome();
            JObject consume = session.Receive("consume");
            Check.Equal("a.> d", consume["topic"] + " " + consume["durable"]);
            session.Deliver((long)consume["ref"], 1, "1");
            scene.Expect("1");
            Task settling = received.AckAsync();
            session.Answer(session.Receive("ack"), "settled");
            Scene.Await(settling);
            Scene.Fails("not-pending", () => received.AckAsync());
        }

        internal static void ShouldAcknowledgeInATransaction(Scene scene)
        {
            SluiceClient client = scene.Connect();
            client.Queue("q").Consume(
                delivery => client.TransactionAsync(
                    transaction => transaction
                        .Publish(Destination.Queue("fills"), new byte[] { 7 })
                        .Ack(delivery)));
            Session session = scene.Node.Welcome();
            JObject consume = session.Receive("consume");
            session.Deliver((long)consume["ref"], 1, "1");
            JObject frame = session.Receive("transaction");
            JObject ack = new JObject { ["subscription"] = consume["ref"], ["tag"] = 1 };
            Check.Equal(new JArray(ack), frame["ack"]);
            Check.Equal(
                JArray.Parse("[{\"queue\":\"fills\",\"encoding\":\"base64\",\"payload\":\"Bw==\"}]"),
                frame["publish"]);
            session.Answer(frame, "committed");
            // The next frame shows that the message is not acknowledged twice.
            session.Deliver((long)consume["ref"], 2, "2");
            Check.Equal(2, (int)session.Receive("transaction")["ack"][0]["tag"]);
        }

        internal static void ShouldForgetDeliveriesThatHaveReturned(Scene scene)
        {
            SemaphoreSlim permits = new SemaphoreSlim(0);
            scene.Connect().Queue("q").Consume(
                async delivery =>
                {
                    scene.Add(delivery.Text);
                    await permits.WaitAsync();
                },
                Recording(scene));
            Session session = scene.Node.Welcome();
            JObject consume = session.Receive("consume");
            session.Deliver((long)consume["ref"], 1, "1");
            scene.Expect("1");
            JObject released = new JObject
            {
                ["type"] = "released", ["ref"] = consume["ref"], ["tag"] = 1, ["reason"] = "timeout"
            };
            session.Send(released);
            session.Answer(consume, "consuming");
            scene.Expect("Consuming");
            session.Deliver((long)consume["ref"], 2, "1");
            permits.Release(2);
            scene.Expect("1");
            Check.Equal(2, (int)session.Receive("ack")["tag"]);
        }

        internal static void ShouldConsumeAgainAfterALostConnection(Scene scene)
        {
            Consumer consumer = scene.Connect().Queue("q").Consume(delivery => scene.Add(delivery.Text), Recording(scene));
            Session first = scene.Node.Welcome();
            first.Answer(first.Receive("consume"), "consuming");
            scene.Expect("Consuming");
            Scene.Await(consumer.SetCreditAsync(5));
            Check.Equal(5, (int)first.Receive("credit")["credit"]);
            first.Cut();
            Session second = scene.Node.Welcome();
            JObject consume = second.Receive("consume");
            Check.Equal(5, (int)consume["credit"]);
            second.Answer(consume, "consuming");
            second.Deliver((long)consume["ref"], 1, "1");
            scene.Expect("Pending");
            scene.ExpectInAnyOrder("Consuming", "1");
        }

        internal static void ShouldLetAHandlerCloseItsConsumerAndTheClient(Scene scene)
        {
            SluiceClient client = scene.Connect();
            Consumer consumer = null;
            consumer = client.Queue("q").Consume(delivery => consumer.CloseAsync());
            Session session = scene.Node.Welcome();
            session.Deliver((long)session.Receive("consume")["ref"], 1, "1");
            // The acknowledgement can precede the pause of the consumer.
            JObject first = session.Receive("credit", "ack");
            JObject second = session.Receive("credit", "ack");
            session.Answer((string)first["type"] == "ack" ? first : second, "settled");
            session.Receive("unsubscribe");
            client.Queue("q").Consume(delivery => client.Dispose());
            session.Deliver((long)session.Receive("consume")["ref"], 1, "1");
            Check.Equal(1000, (int)session.Receive("closed")["code"]);
            Check.Equal(ConnectionState.Closed, client.State);
        }
    }
}
