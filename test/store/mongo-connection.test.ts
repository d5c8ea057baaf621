import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeClient } from '../../src/store/mongo/client.ts';
import { useMongo } from '../support/use-mongo.ts';

const server = await useMongo({ own: true });
const megabyte = 1024 * 1024;

describe.skipIf(server.isMissing)('a MongoDB driver operation', () => {
  const sockets = new Set<Socket>();
  const see = (message: unknown) => {
    sockets.add((message as { socket: Socket }).socket);
  };
  let client: MongoClient;

  beforeEach(async () => {
    subscribe('net.client.socket', see);
    client = makeClient(server.url('connection')).client;
    await documents().insertOne({});
  });
  afterEach(async () => {
    unsubscribe('net.client.socket', see);
    sockets.clear();
    server.resume();
    await client.close();
  });

  const documents = () => client.db().collection('documents');

  test('ends if it begins while its connection closes', async () => {
    for (const socket of sockets) socket.destroy();
    const session = client.startSession();
    session.startTransaction();
    // In a transaction, the driver does not repeat it.
    await expect(documents().insertOne({}, { session })).rejects.toThrow('closed');
    await session.endSession();
  });

  test('ends if the server does not accept it in time', async () => {
    server.pause();
    const large = Array.from({ length: 30 }, () => ({ text: 'x'.repeat(megabyte) }));
    await expect(documents().insertMany(large)).rejects.toThrow();
  });
});
