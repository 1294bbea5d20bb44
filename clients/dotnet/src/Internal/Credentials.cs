using System;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;

namespace Sluice.Internal
{
    /// <summary>Credentials from the application, and their renewal on a connection.</summary>
    internal sealed class Credentials
    {
        private static readonly TimeSpan MinWait = TimeSpan.FromSeconds(1);
        private static readonly TimeSpan MaxWait = TimeSpan.FromDays(1);

        private readonly SluiceClient _client;
        private readonly Func<CancellationToken, Task<string>> _supplier;

        internal Credentials(SluiceClient client, Func<CancellationToken, Task<string>> supplier)
        {
            _client = client;
            _supplier = supplier;
        }

        internal bool Exist => _supplier != null;

        internal async Task<string> NextAsync(CancellationToken token)
        {
            try
            {
                string next = await Loop.WithCancellation(Task.Run(() => _supplier(token)), token);
                return next ?? throw new SluiceException("no-token", "the supplier of tokens has returned null");
            }
            catch (Exception e) when (!(e is SluiceException) && !token.IsCancellationRequested)
            {
                throw new SluiceException("no-token", "the supplier of tokens has failed: " + e.Message, e);
            }
        }

        /// <summary>Renews the credential before it expires, and repeats that after failures.</summary>
        internal async Task RefreshAsync(Connection connection)
        {
            long? expires = connection.Hello.OptionalNumber("expires");
            int failures = 0;
            while (_supplier != null && expires != null)
            {
                await Task.Delay(Wait(expires.Value - connection.NodeTime, failures), connection.Lifetime);
                if (connection != _client.Connection)
                {
                    return;
                }
                try
                {
                    expires = await RenewAsync(connection);
                    failures = 0;
                }
                catch (Exception e) when (e is SluiceException || e is BadFrameException)
                {
                    failures++;
                    _client.Report(e as SluiceException ?? SluiceException.BadAnswer(e));
                }
            }
        }

        private async Task<long?> RenewAsync(Connection connection)
        {
            string token = await NextAsync(connection.Lifetime);
            JObject frame = new JObject { ["type"] = "refresh", ["token"] = token };
            Frame answer = await connection.CallAsync(_client.NextRef(), frame, connection.Lifetime);
            return answer.OptionalNumber("expires");
        }

        private TimeSpan Wait(double leftMs, int failures)
        {
            if (failures > 0)
            {
                return MinWait + _client.Options.Backoff(failures);
            }
            double part = 0.8 + 0.1 * CloseCodes.NextDouble();
            double wait = Math.Max(MinWait.TotalMilliseconds, leftMs * part);
            return TimeSpan.FromMilliseconds(Math.Min(wait, MaxWait.TotalMilliseconds));
        }
    }
}
