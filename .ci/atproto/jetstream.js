// Speaks the protocol of Jetstream (https://github.com/bluesky-social/jetstream) on 127.0.0.1, with the records of a PDS.
import { IdResolver } from '@atproto/identity';
import { lexToJson } from '@atproto/lexicon';
import { Firehose } from '@atproto/sync';
import { WebSocketServer } from 'ws';

/** Starts a server at `/subscribe`. Supports `wantedCollections` and `maxMessageSizeBytes`. */
export async function startJetstream({ pdsUrl, plcUrl }) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path: '/subscribe' });
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
  server.on('connection', (socket, request) => {
    const { searchParams } = new URL(request.url, 'http://localhost');
    socket.wanted = new Set(searchParams.getAll('wantedCollections'));
    socket.maxBytes = Number(searchParams.get('maxMessageSizeBytes')) || Number.POSITIVE_INFINITY;
  });
  const firehose = new Firehose({
    service: pdsUrl.replace(/^http/, 'ws'),
    idResolver: new IdResolver({ plcUrl }),
    unauthenticatedCommits: true,
    excludeIdentity: true,
    excludeAccount: true,
    excludeSync: true,
    handleEvent(commit) {
      const message = JSON.stringify(messageOf(commit));
      for (const socket of server.clients) {
        const isWanted = socket.wanted.size === 0 || socket.wanted.has(commit.collection);
        if (isWanted && Buffer.byteLength(message) <= socket.maxBytes) socket.send(message);
      }
    },
    onError(error) {
      process.stderr.write(`jetstream: ${error}\n`);
    },
  });
  firehose.start();
  return {
    url: `ws://127.0.0.1:${server.address().port}`,
    async close() {
      await firehose.destroy();
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}

function messageOf({ did, time, rev, event, collection, rkey, record, cid }) {
  const commit = { rev, operation: event, collection, rkey };
  if (record) Object.assign(commit, { record: lexToJson(record), cid: String(cid) });
  return { did, time_us: Date.parse(time) * 1_000, kind: 'commit', commit };
}
