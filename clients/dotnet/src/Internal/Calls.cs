using System;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;

namespace Sluice.Internal
{
    /// <summary>Publishes, requests and other frames that wait for a connection and for an answer.</summary>
    internal sealed class Calls
    {
        /// <summary>Pause before a publish is repeated, until the end of its connection is recorded.</summary>
        private static readonly TimeSpan RepeatPause = TimeSpan.FromMilliseconds(20);

        private readonly SluiceClient _client;
        private readonly SluiceOptions _options;

        /// <summary>Frames are sent in the order of the calls, also those that wait for a connection.</summary>
        private readonly SemaphoreSlim _turn = new SemaphoreSlim(1);
        private TaskCompletionSource<bool> _opened = Loop.NewSource<bool>();
        private int _unanswered;

        internal Calls(SluiceClient client, SluiceOptions options)
        {
            _client = client;
            _options = options;
        }

        internal void OnOpen()
        {
            _opened.TrySetResult(true);
        }

        /// <summary>Lets calls wait for the next connection.</summary>
        internal void Pause()
        {
            if (_opened.Task.IsCompleted && !_client.IsClosed)
            {
                _opened = Loop.NewSource<bool>();
            }
        }

        internal async Task<Frame> SendAsync(
            JObject frame, bool isRepeatable, TimeSpan limit, string code, CancellationToken token)
        {
            _client.RequireOpen();
            if (_unanswered >= _options.MaxPublishes)
            {
                throw new SluiceException(
                    "publish-queue-full", "MaxPublishes (" + _options.MaxPublishes + ") calls are unanswered");
            }
            _unanswered++;
            using (CancellationTokenSource end = CancellationTokenSource.CreateLinkedTokenSource(token))
            {
                end.CancelAfter(limit);
                try
                {
                    return await TransmitAsync(frame, isRepeatable, end.Token);
                }
                catch (OperationCanceledException) when (!token.IsCancellationRequested)
                {
                    throw new SluiceException(code, "no answer within " + limit.TotalSeconds + " s");
                }
                finally
                {
                    _unanswered--;
                }
            }
        }

        private async Task<Frame> TransmitAsync(JObject frame, bool isRepeatable, CancellationToken token)
        {
            while (true)
            {
                try
                {
                    Task<Frame> answer = await StartAsync(frame, isRepeatable, token);
                    return await answer;
                }
                catch (SluiceException e) when (e.Code == "connection-lost")
                {
                    _client.RequireOpen();
                    if (!isRepeatable)
                    {
                        throw;
                    }
                }
                await Task.Delay(RepeatPause, token);
            }
        }

        private async Task<Task<Frame>> StartAsync(JObject frame, bool isRepeatable, CancellationToken token)
        {
            await _turn.WaitAsync(token);
            try
            {
                Connection connection = await ConnectionAsync(token);
                if (isRepeatable && !connection.HasFeature("publish-id"))
                {
                    throw new SluiceException("unsupported", "the node does not support the option id");
                }
                return await connection.StartCallAsync(_client.NextRef(), frame, token);
            }
            finally
            {
                _turn.Release();
            }
        }

        private async Task<Connection> ConnectionAsync(CancellationToken token)
        {
            do
            {
                await Loop.WithCancellation(_opened.Task, token);
                _client.RequireOpen();
                // The calls may be paused again before this continues.
            }
            while (!_opened.Task.IsCompleted);
            return _client.Connection ?? throw SluiceException.Lost();
        }
    }
}
