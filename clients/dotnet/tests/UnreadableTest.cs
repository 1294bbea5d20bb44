using System;
using System.IO;
using System.Linq;
using Newtonsoft.Json.Linq;
using Sluice.Internal;

namespace Sluice.Tests
{
    /// <summary>Plays the text frames of docs/protocol/unreadable.json.</summary>
    internal static class UnreadableTest
    {
        private static readonly string[] Topics = { "stocks.7", "news.>" };

        internal static void Run(string file)
        {
            JObject cases = Frame.ParseObject(File.ReadAllText(file), "cases");
            Play(cases["cases"], Isolate);
            Play(cases["deliveries"], Reject);
        }

        private static void Play(JToken cases, Action<Scene, JToken> play)
        {
            foreach (JToken one in cases.Where(each => each["text"] != null))
            {
                using (Scene scene = new Scene())
                {
                    try
                    {
                        play(scene, one);
                    }
                    catch (Exception e)
                    {
                        throw new InvalidOperationException("case \"" + one["name"] + "\": " + e.Message, e);
                    }
                }
            }
        }

        /// <summary>Connects with a subscription to each topic and a consumer; returns its number.</summary>
        private static long Open(Scene scene, out SluiceClient client, out Session session)
        {
            client = scene.Connect();
            foreach (string topic in Topics)
            {
                SubscribeOptions options = new SubscribeOptions
                {
                    OnGap = gap => scene.Add(gap.Topic + " " + gap.Reason)
                };
                client.Subscribe(topic, message => scene.Add(topic + " " + message.Offset), options);
            }
            client.Queue("orders").Consume(delivery => scene.Add(delivery.Text));
            session = scene.Node.Welcome();
            long consumer = 0;
            for (int i = 0; i <= Topics.Length; i++)
            {
                JObject request = session.Receive("subscribe", "consume");
                bool isConsume = (string)request["type"] == "consume";
                consumer = isConsume ? (long)request["ref"] : consumer;
                JObject answer = new JObject { ["type"] = isConsume ? "consuming" : "subscribed" };
                answer["ref"] = request["ref"];
                answer["topic"] = request["topic"];
                answer["epoch"] = "e";
                answer["offset"] = 41;
                session.Send(answer);
            }
            return consumer;
        }

        private static void Isolate(Scene scene, JToken one)
        {
            Open(scene, out SluiceClient client, out Session session);
            session.SendText((string)one["text"]);
            string message = "{\"type\":\"message\",\"offset\":43,\"id\":\"0000000000000043\",\"time\":1,\"payload\":\"\",";
            session.SendText(message + "\"topic\":\"stocks.7\"}");
            session.SendText(message + "\"topic\":\"news.eu\",\"pattern\":\"news.>\"}");
            string gap = (string)one["gap"];
            string[] gaps = Topics.Where(topic => gap == null || topic == gap).Select(topic => topic + " unreadable").ToArray();
            scene.ExpectInAnyOrder(
                new[] { "error bad-answer", "stocks.7 43", "news.> 43" }.Concat(gaps).ToArray());
            Check.Equal(ConnectionState.Open, client.State);
            scene.ExpectNothing();
        }

        private static void Reject(Scene scene, JToken one)
        {
            long consumer = Open(scene, out SluiceClient client, out Session session);
            session.SendText(((string)one["text"]).Replace("$ref", consumer.ToString()));
            JObject reject = session.Receive("reject");
            Check.Equal(consumer, (long)reject["subscription"]);
            Check.Equal(1L, (long)reject["tag"]);
            session.Deliver(consumer, 2, "two");
            Check.Equal(2L, (long)session.Receive("ack")["tag"]);
            scene.ExpectInAnyOrder("error bad-answer", "two");
            Check.Equal(ConnectionState.Open, client.State);
            scene.ExpectNothing();
        }
    }
}
