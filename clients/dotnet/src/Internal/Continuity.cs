using System;
using System.Collections.Generic;

namespace Sluice.Internal
{
    /// <summary>
    /// Position, gap detection and duplicate detection of one subscription: section 8 of the protocol.
    /// It performs no I/O: its methods record frames and return what the application has to receive.
    /// </summary>
    internal sealed class Continuity
    {
        internal const string NotRecovered = "not-recovered";
        internal const string SnapshotCut = "snapshot-cut";
        private const long MinOverlap = 16;
        private const long MaxOffset = 1L << 53;

        private readonly RecentIds _recent = new RecentIds();
        private readonly PositionIds _ids = new PositionIds();

        /// <summary>Start of the next request, until messages of this connection supersede it.</summary>
        private StartFrom _resumeFrom;

        /// <summary>Epoch of the node's answer on this connection; null before it.</summary>
        private string _epoch;
        private long _answerOffset;
        private long _offset;
        private long? _since;
        private long? _time;
        private long _overlap = MinOverlap;

        /// <summary>Messages between the last two caught-up frames, and since the last one.</summary>
        private long _countBefore;
        private long _countSince;
        private long _replayLeft;

        /// <summary>Whether a position was recovered, so that no replayed message precedes it.</summary>
        private bool _isRecovered;

        /// <summary>Whether a message of this connection's replay has arrived, or there is no replay.</summary>
        private bool _hasReplayStarted;
        private bool _inSnapshot;

        /// <summary>Whether the application has received a message or a gap.</summary>
        private bool _hasNotified;

        internal Continuity(StartFrom from)
        {
            _resumeFrom = from;
            // The identities of a stored position are not among the recent ones yet.
            foreach (string id in from.Position?.Ids ?? Array.Empty<string>())
            {
                _recent.Add(id, long.MaxValue);
            }
        }

        internal bool IsAnswered => _epoch != null;

        /// <summary>Current position; null while there is none from which to resume.</summary>
        internal Position Position => Next().Position;

        /// <summary>Records a new request; returns its start.</summary>
        internal StartFrom Subscribe()
        {
            _resumeFrom = Next();
            _epoch = null;
            return _resumeFrom;
        }

        /// <summary>Records the answer; returns the reason if messages may be missing, otherwise null.</summary>
        internal string Subscribed(Frame answer, long overlap)
        {
            string epoch = answer.Text("epoch");
            long offset = answer.Number("offset");
            List<string> ids = answer.Ids();
            Position position = _resumeFrom.Position;
            _isRecovered = position != null && answer.Flag("recovered");
            bool isLost = position != null && !_isRecovered;
            bool isCut = position == null && _hasNotified;
            _overlap = Math.Max(_overlap, overlap);
            if (isLost || isCut)
            {
                _recent.Clear();
            }
            _inSnapshot = isLost || _resumeFrom == StartFrom.Snapshot;
            _epoch = epoch;
            _offset = _answerOffset = offset;
            _replayLeft = answer.OptionalNumber("replay") ?? 0;
            _hasReplayStarted = _replayLeft == 0;
            if (_isRecovered)
            {
                _since = position.Since;
                _time = position.Time;
            }
            else
            {
                StartStream(answer.OptionalNumber("time"));
            }
            _ids.Reset(_isRecovered ? position.Ids : ids, answer.Has("ids"));
            return isLost ? NotRecovered : isCut ? SnapshotCut : null;
        }

        private void StartStream(long? since)
        {
            _since = since;
            _time = null;
            _countBefore = 0;
            _countSince = 0;
        }

        /// <summary>Records a message; returns whether it is new to the application.</summary>
        internal bool Message(Frame message)
        {
            string id = message.Id();
            _offset = message.Number("offset");
            bool isNew = Remember(id);
            if (_replayLeft > 0)
            {
                _hasReplayStarted = true;
                _replayLeft--;
                if (_replayLeft == 0)
                {
                    _offset = _answerOffset;
                }
            }
            _countSince++;
            _hasNotified |= isNew;
            return isNew;
        }

        /// <summary>Records an unreadable message: the position passes it.</summary>
        internal void Unreadable(Frame frame)
        {
            long offset = frame.Integer("offset") ?? -1;
            string id = frame.ReadableId();
            if (id != null)
            {
                Remember(id);
            }
            bool isLast = _replayLeft == 1;
            _replayLeft = Math.Max(0, _replayLeft - 1);
            if (isLast)
            {
                _offset = _answerOffset;
                _hasReplayStarted = true;
            }
            else if (offset >= 0 && offset < MaxOffset)
            {
                _offset = offset;
                _hasReplayStarted = true;
            }
            else if (_hasReplayStarted)
            {
                _offset++;
            }
            _countSince++;
            _hasNotified = true;
        }

        /// <summary>
        /// Records a gap of the node, which ends a pending replay. With an epoch, another stream
        /// begins. Returns its reason.
        /// </summary>
        internal string Gap(Frame gap)
        {
            string reason = gap.Text("reason");
            long offset = gap.Number("offset");
            long time = gap.Number("time");
            if (gap.Has("epoch"))
            {
                string epoch = gap.Text("epoch");
                _ids.Reset(gap.Ids(), true);
                _epoch = epoch;
            }
            StartStream(time);
            _offset = offset;
            _replayLeft = 0;
            _hasReplayStarted = true;
            _hasNotified = true;
            return reason;
        }

        /// <summary>Records a caught-up, which does not apply before the answer or during a replay.</summary>
        internal void CaughtUp(long time)
        {
            if (_epoch == null || _replayLeft > 0)
            {
                return;
            }
            _time = time;
            _countBefore = _countSince;
            _countSince = 0;
        }

        private StartFrom Next()
        {
            if (_epoch != null && _replayLeft > 0 && _inSnapshot)
            {
                return StartFrom.Snapshot;
            }
            if (_epoch == null || !_hasReplayStarted)
            {
                return _resumeFrom;
            }
            // Otherwise more messages could be repeated than are remembered.
            bool hasTime = 2 * (_countBefore + _countSince) <= _overlap;
            return StartFrom.At(
                new Position(_epoch, _offset, _ids.ToArray(), _since, hasTime ? _time : null));
        }

        private bool Remember(string id)
        {
            bool isLater = _ids.Raise(id);
            if (_ids.IsOrdered) // a replay without a recovered position precedes the ids of its answer
            {
                return isLater || (_replayLeft > 0 && !_isRecovered);
            }
            return _recent.Add(id, _overlap);
        }
    }
}
