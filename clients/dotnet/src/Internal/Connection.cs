using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;

namespace Sluice.Internal
{
    /// <summary>One connection to a node: its hello, and the calls that wait for answers.</summary>
    internal sealed class Connection
    {
        private readonly FrameSocket _socket;
        private readonly Signal _progress;
        private readonly Dictionary<long, TaskCompletionSource<Frame>> _answers =
            new Dictionary<long, TaskCompletionSource<Frame>>();
        private readonly Stopwatch _sinceHello = new Stopwatch();
        private readonly HashSet<string> _features = new HashSet<string>();
        private readonly CancellationTokenSource _lifetime = new CancellationTokenSource();
        private long _nodeTime;

        private Connection(string url, FrameSocket socket, Signal progress)
        {
            Url = url;
            _socket = socket;
            _progress = progress;
        }

        internal string Url { get; }

        /// <summary>Cancelled when the connection has ended.</summary>
        internal CancellationToken Lifetime => _lifetime.Token;

        internal bool IsEnded { get; private set; }

        /// <summary>Whether the client has closed the connection to resume at another node.</summary>
        internal bool IsMoved { get; set; }

        internal bool HasHello => Hello != null;

        internal Frame Hello { get; private set; }

        internal TimeSpan PingInterval { get; private set; }

        internal long Overlap { get; private set; }

        /// <summary>Whether no call is unanswered.</summary>
        internal bool IsIdle => _answers.Count == 0;

        internal TimeSpan Uptime => _sinceHello.Elapsed;

        /// <summary>Time of the node in milliseconds, estimated from its hello.</summary>
        internal double NodeTime => _nodeTime + Uptime.TotalMilliseconds;

        internal static async Task<Connection> OpenAsync(
            string url, SluiceOptions options, Signal progress, CancellationToken token)
        {
            return new Connection(url, await FrameSocket.OpenAsync(url, options, token), progress);
        }

        internal void SetHello(Frame hello)
        {
            PingInterval = TimeSpan.FromMilliseconds(Math.Max(1, hello.Number("pingInterval")));
            Overlap = hello.Object("limits").Number("overlap");
            _nodeTime = hello.Number("time");
            foreach (JToken feature in hello.List("features"))
            {
                _features.Add(feature.ToString());
            }
            Hello = hello;
            _sinceHello.Start();
        }

        internal bool HasFeature(string name)
        {
            return _features.Contains(name);
        }

        /// <summary>Returns the text of the next frame.</summary>
        internal Task<string> ReceiveAsync()
        {
            return _socket.ReceiveAsync();
        }

        /// <summary>Sends pings while nothing arrives; ends the connection after two intervals without a frame.</summary>
        internal async Task WatchAsync()
        {
            TimeSpan half = TimeSpan.FromTicks(PingInterval.Ticks / 2);
            while (!IsEnded)
            {
                await Task.Delay(half, Lifetime);
                TimeSpan idle = _socket.Idle;
                if (idle >= PingInterval + PingInterval)
                {
                    Abort("nothing arrived within two ping intervals");
                    return;
                }
                if (idle >= half && !IsEnded)
                {
                    // The send may wait for a node that does not read.
                    Loop.Ignore(SendQuietlyAsync(new JObject { ["type"] = "ping", ["ref"] = 0 }));
                }
            }
        }

        internal async Task SendAsync(JObject frame, CancellationToken token = default(CancellationToken))
        {
            try
            {
                await _socket.SendAsync(frame.ToString(Newtonsoft.Json.Formatting.None), token);
            }
            catch (ClosedException)
            {
                throw SluiceException.Lost();
            }
        }

        /// <summary>Sends a frame that is repeated, or not needed, on the next connection.</summary>
        internal async Task SendQuietlyAsync(JObject frame)
        {
            try
            {
                await SendAsync(frame);
            }
            catch (SluiceException)
            {
                // The connection has ended, and with it everything that the frame concerned.
            }
        }

        /// <summary>Sends a frame and returns the task of its answer.</summary>
        internal async Task<Task<Frame>> StartCallAsync(long reference, JObject frame, CancellationToken token)
        {
            if (IsEnded)
            {
                throw SluiceException.Lost();
            }
            TaskCompletionSource<Frame> answer = Loop.NewSource<Frame>();
            _answers[reference] = answer;
            _progress.Notify();
            Task<Frame> result = AwaitAnswerAsync(reference, answer.Task, token);
            JObject copy = new JObject(frame) { ["ref"] = reference };
            try
            {
                await SendAsync(copy, token);
            }
            catch (OperationCanceledException)
            {
                // The task of the answer ends with the same token.
            }
            catch (SluiceException e)
            {
                answer.TrySetException(e);
            }
            return result;
        }

        internal async Task<Frame> CallAsync(long reference, JObject frame, CancellationToken token)
        {
            return await await StartCallAsync(reference, frame, token);
        }

        private async Task<Frame> AwaitAnswerAsync(long reference, Task<Frame> answer, CancellationToken token)
        {
            try
            {
                return await Loop.WithCancellation(answer, token);
            }
            finally
            {
                _answers.Remove(reference);
            }
        }

        /// <summary>Passes an answer to its call; returns false if the frame is none.</summary>
        internal bool OnAnswer(Frame frame)
        {
            long? reference = frame.OptionalNumber("ref");
            if (reference == null || !_answers.TryGetValue(reference.Value, out TaskCompletionSource<Frame> answer))
            {
                return false;
            }
            if (frame.Kind == "error")
            {
                answer.TrySetException(Members.ErrorOf(frame));
            }
            else
            {
                answer.TrySetResult(frame);
            }
            return true;
        }

        /// <summary>Ends the socket, which ends a pending receive; any thread may call it.</summary>
        internal void Abort(string reason)
        {
            _socket.Abort(reason);
        }

        /// <summary>Ends the socket, and the calls without an answer.</summary>
        internal void End()
        {
            IsEnded = true;
            _socket.Abort("the connection was ended");
            foreach (TaskCompletionSource<Frame> answer in _answers.Values.ToList())
            {
                answer.TrySetException(SluiceException.Lost());
            }
            _progress.Notify();
            // Cancel would continue the waiting tasks within this call.
            _lifetime.CancelAfter(TimeSpan.Zero);
        }

        /// <summary>Closes the connection with 1000.</summary>
        internal Task CloseAsync()
        {
            return _socket.CloseAsync();
        }
    }
}
