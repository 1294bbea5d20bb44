using System;
using System.Threading.Tasks;

namespace Sluice.Internal
{
    /// <summary>Calls callbacks of the application one after the other, on the thread pool.</summary>
    internal sealed class CallbackQueue
    {
        private readonly object _lock = new object();
        private readonly Action<SluiceException> _onError;
        private Task _last = Task.CompletedTask;

        internal CallbackQueue(Action<SluiceException> onError)
        {
            _onError = onError;
        }

        /// <summary>Completes after the callbacks that wait now.</summary>
        internal Task Called
        {
            get
            {
                lock (_lock)
                {
                    return _last;
                }
            }
        }

        internal void Report(SluiceException error)
        {
            Post(_onError, error);
        }

        internal void Post<T>(Action<T> callback, T value)
        {
            if (callback == null)
            {
                return;
            }
            lock (_lock)
            {
                _last = _last.ContinueWith(
                    _ => Call(callback, value),
                    System.Threading.CancellationToken.None,
                    TaskContinuationOptions.DenyChildAttach,
                    TaskScheduler.Default);
            }
        }

        private void Call<T>(Action<T> callback, T value)
        {
            try
            {
                callback(value);
            }
            catch (Exception e)
            {
                // A failure of the callback for errors cannot be reported anywhere.
                if (!ReferenceEquals(callback, _onError))
                {
                    Report(new SluiceException("handler-failed", "a callback has failed: " + e.Message, e));
                }
            }
        }
    }
}
