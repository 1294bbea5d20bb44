using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;
using Sluice.Internal;

namespace Sluice
{
    /// <summary>
    /// Messages to publish and deliveries to acknowledge, all of them or nothing. Only the function that
    /// receives it may use it.
    /// </summary>
    public sealed class Transaction
    {
        private readonly JArray _publishes = new JArray();
        private readonly List<Delivery> _deliveries = new List<Delivery>();

        internal Transaction()
        {
        }

        /// <summary>Publishes a message at the commit.</summary>
        public Transaction Publish(Destination destination, Payload payload, PublishOptions options = null)
        {
            JObject publication = SluiceClient.Publication(destination, payload);
            Members.AddAll(publication, (options ?? PublishOptions.None).ToMembers("id"));
            _publishes.Add(publication);
            return this;
        }

        /// <summary>Acknowledges a message at the commit; all belong to one consumer.</summary>
        public Transaction Ack(Delivery delivery)
        {
            SluiceClient.RequireNotNull(nameof(delivery), delivery);
            _deliveries.Add(delivery);
            return this;
        }

        /// <summary>Commits on the loop; does nothing if the transaction is empty.</summary>
        internal async Task CommitAsync(SluiceClient client, CancellationToken token)
        {
            JObject frame = new JObject { ["type"] = "transaction", ["publish"] = _publishes };
            if (_deliveries.Count > 0)
            {
                frame["ack"] = new JArray(_deliveries.Select(delivery => delivery.Reference()).ToArray<object>());
                await CallAsync(client, frame, token);
            }
            else if (_publishes.Count > 0)
            {
                await client.SendAsync(frame, false, null, "timeout", token);
            }
        }

        private async Task CallAsync(SluiceClient client, JObject frame, CancellationToken token)
        {
            if (_deliveries.Any(delivery => delivery.IsSettled))
            {
                throw Delivery.NotPending();
            }
            await _deliveries[0].Connection.CallAsync(client.NextRef(), frame, token);
            foreach (Delivery delivery in _deliveries)
            {
                delivery.MarkSettled();
            }
        }
    }
}
