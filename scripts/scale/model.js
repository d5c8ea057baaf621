// The model of a gateway that predicts its capacity from measurements with one caller.
//
// A call of kind k costs `callMs` of processor time, and each turn of the event loop costs `turnMs`, which the calls of the turn share: a turn
// asks the kernel for readable sockets, wakes the thread of the store, begins and commits one transaction, and wakes the main thread. One
// caller that sends one request at a time pays a whole turn for each call; one that sends bursts of n shares it among n. Two such runs give
// both costs. Under load a turn takes all calls that have arrived, so its share is `turnMs` divided by the number of callers.

/** The least cost in milliseconds. The processor time is known in steps of 10 ms, so that of few calls may be 0. */
const leastMs = 0.01;

/** Returns the costs of a call from its processor time in bursts of one and of `size`. */
export function costsOf({ one, burst, size }) {
  const turnMs = Math.max(0, (one.cpuMs - burst.cpuMs) / (1 - 1 / size));
  return {
    callMs: Math.max(leastMs, one.cpuMs - turnMs),
    turnMs,
    waitMs: Math.max(0, one.p50 - one.cpuMs),
    commits: one.commits,
  };
}

/**
 * Returns the costs of one call of a mix: the mean of its kinds. `shares` add up to 1, except that of events, which are not calls: its share
 * is the number of events for each call.
 */
export function costsOfMix(shares, costs) {
  const sum = (figure) =>
    Object.entries(shares).reduce((total, [kind, share]) => total + share * costs[kind][figure], 0);
  return { callMs: sum('callMs'), turnMs: sum('turnMs'), waitMs: sum('waitMs'), commits: sum('commits') };
}

/** Returns the calls per second of one core, of which `restCpu` is used without calls, with this number of concurrent callers. */
export function capacityOf({ callMs, turnMs }, { callers, restCpu }) {
  return ((1 - restCpu) * 1_000) / (callMs + turnMs / callers);
}

/** The share of a core that a gateway uses in a plan, so that it can take the calls of another one, and a peak. */
export const plannedShare = 0.6;

/**
 * The documents that MongoDB writes and deletes again later: for a charged read, for a charged write (src/store/mongo/commit.ts), and for an
 * event that comes alone and is delivered once (append.ts, deliveries.ts).
 */
export const documentsWritten = { read: 5, write: 11, event: 8 };

/** Returns the gateways and shards that `perSecond` calls need. `shardWrites` is the number of documents that a shard writes per second. */
export function planOf(perSecond, { costs, writes, events, restCpu, shardWrites }) {
  const perGateway = capacityOf(costs, { callers: 1, restCpu }) * plannedShare;
  const { read, write, event } = documentsWritten;
  const documents = perSecond * ((1 - writes) * read + writes * write + events * event);
  return {
    perSecond,
    gateways: Math.ceil(perSecond / perGateway),
    commits: perSecond * (1 + writes),
    documents,
    shards: Math.ceil(documents / (shardWrites * plannedShare)),
    // The outcomes of commits are stored for an hour.
    outcomes: perSecond * (1 + writes) * 3_600,
  };
}
