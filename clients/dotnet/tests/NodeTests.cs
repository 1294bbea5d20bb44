using System;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;

namespace Sluice.Tests
{
    /// <summary>
    /// Calls of the client with a real node, which permits the topics "chat.&gt;" and "orders.&gt;" and the
    /// queues "orders" and "fills".
    /// </summary>
    internal static class NodeTests
    {
        internal static void Run(string url)
        {
            ShouldPublishAndReceiveEachKindOfPayload(url);
            ShouldResumeAtAStoredPosition(url);
            ShouldSettleByTheOutcomeOfTheHandler(url);
            ShouldAcknowledgeInATransaction(url);
            ShouldRespondToRequests(url);
            ShouldConsumeDurableSubscriptionsAndDeleteThem(url);
            ShouldReportRefusals(url);
        }

        private static void ShouldPublishAndReceiveEachKindOfPayload(string url)
        {
            using (Scene scene = new Scene())
            {
                SluiceClient client = Connect(scene, url);
                client.Subscribe(
                    "chat.>", message => scene.Add(message.Topic + " " + message.Payload.Json()["a"]), scene.Recording());
                scene.Expect("Live");
                PublishOptions once = new PublishOptions { Id = Guid.NewGuid().ToString() };
                Scene.Await(client.PublishAsync("chat.1", "{\"a\":1}", once));
                Scene.Await(client.PublishAsync("chat.1", "{\"a\":1}", once));
                Scene.Await(client.PublishAsync("chat.2", new byte[] { 123, 34, 97, 34, 58, 50, 125 }));
                Scene.Await(client.PublishAsync("chat.3", Payload.FromJson(new JObject { ["a"] = 3 })));
                scene.Expect("chat.1 1", "chat.2 2", "chat.3 3");
            }
        }

        private static void ShouldResumeAtAStoredPosition(string url)
        {
            using (Scene scene = new Scene())
            {
                SluiceClient publisher = Connect(scene, url);
                SluiceClient first = Connect(scene, url);
                Subscription subscription =
                    first.Subscribe("chat.4", message => scene.Add(message.Text), scene.Recording());
                scene.Expect("Live");
                Scene.Await(publisher.PublishAsync("chat.4", "1"));
                scene.Expect("1");
                string stored = subscription.Position.ToJson();
                Scene.Await(first.CloseAsync());
                scene.Expect("Closed");
                Scene.Await(publisher.PublishAsync("chat.4", "2"));
                Connect(scene, url).Subscribe(
                    "chat.4",
                    message => scene.Add(message.Text),
                    scene.Recording(StartFrom.At(Position.Parse(stored))));
                scene.Expect("Live", "2");
            }
        }

        private static void ShouldSettleByTheOutcomeOfTheHandler(string url)
        {
            using (Scene scene = new Scene())
            {
                SluiceClient client = Connect(scene, url);
                Consumer consumer = client.Queue("orders").Consume(
                    delivery =>
                    {
                        bool isAgain = delivery.IsRedelivered && !delivery.IsRedeliveryUnknown;
                        scene.Add(delivery.Text + (isAgain ? " again" : ""));
                        if (!isAgain)
                        {
                            throw new InvalidOperationException("first attempt");
                        }
                    });
                Scene.Await(client.Queue("orders").PublishAsync("1"));
                scene.Expect("1", "1 again");
                Scene.Await(consumer.CloseAsync());
                Scene.Await(client.Queue("orders").PublishAsync("2"));
                // The queue contains only the message that was not acknowledged.
                Consumer next = client.Queue("orders").Consume(delivery => scene.Add(delivery.Text));
                scene.Expect("2");
                Scene.Await(next.CloseAsync());
            }
        }

        private static void ShouldAcknowledgeInATransaction(string url)
        {
            using (Scene scene = new Scene())
            {
                SluiceClient client = Connect(scene, url);
                Consumer mover = client.Queue("orders").Consume(
                    delivery => client.TransactionAsync(
                        transaction => transaction.Publish(Destination.Queue("fills"), delivery.Text).Ack(delivery)));
                client.Queue("fills").Consume(delivery => scene.Add("fill " + delivery.Text));
                Scene.Await(client.Queue("orders").PublishAsync("1"));
                Scene.Await(client.Queue("orders").PublishAsync("2"));
                scene.Expect("fill 1", "fill 2");
                Scene.Await(mover.CloseAsync());
            }
        }

        private static void ShouldRespondToRequests(string url)
        {
            using (Scene scene = new Scene())
            {
                SluiceClient client = Connect(scene, url);
                client.Queue("orders").Consume(delivery => delivery.RespondAsync("re: " + delivery.Text));
                Task<Reply> requesting = client.Queue("orders").RequestAsync("EURUSD", TimeSpan.FromSeconds(20));
                Scene.Await(requesting);
                Check.Equal("re: EURUSD", requesting.Result.Text);
            }
        }

        private static void ShouldConsumeDurableSubscriptionsAndDeleteThem(string url)
        {
            using (Scene scene = new Scene())
            {
                SluiceClient client = Connect(scene, url);
                ConsumeOptions options = new ConsumeOptions { OnState = state => scene.Add(state.ToString()) };
                DurableSubscription durable = client.Durable("orders.>", "desk-1");
                Consumer first = durable.Consume(delivery => scene.Add(delivery.Text), options);
                scene.Expect("Consuming");
                Scene.Await(first.CloseAsync());
                scene.Expect("Closed");
                Scene.Await(client.PublishAsync("orders.eu", "1"));
                Consumer second = durable.Consume(delivery => scene.Add(delivery.Topic + " " + delivery.Text));
                scene.Expect("orders.eu 1");
                Scene.Await(second.CloseAsync());
                Scene.Await(durable.DeleteAsync());
            }
        }

        private static void ShouldReportRefusals(string url)
        {
            using (Scene scene = new Scene())
            {
                SluiceClient client = Connect(scene, url);
                Scene.Fails("forbidden", () => client.Queue("others").PublishAsync("1"));
                client.Subscribe("a..b", message => { }, scene.Recording());
                scene.Expect("refused invalid-topic", "Closed");
            }
        }

        private static SluiceClient Connect(Scene scene, string url)
        {
            return scene.Connect(options => options.Urls = new[] { url });
        }
    }
}
