import { EventEmitter } from 'node:events';
import { stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { readJsonBody } from '../../../src/api/http/json-body.ts';

/**
 * The bits of a deflate block with dynamic Huffman codes that holds nothing (RFC 1951, section 3.2.7). Its header makes zlib build two tables.
 * Code lengths have the symbols 1 and 18, which repeats zeros; only the end of the block (256) and one distance have codes.
 */
const symbolOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1];
const bits = (value: number, count: number) => Array.from({ length: count }, (_, i) => (value >> i) & 1);
const emptyBlock = [
  ...[0, 0, 1, ...bits(0, 5), ...bits(0, 5), ...bits(symbolOrder.length - 4, 4)],
  ...symbolOrder.flatMap((symbol) => bits(symbol === 1 || symbol === 18 ? 1 : 0, 3)),
  ...[1, ...bits(138 - 11, 7), 1, ...bits(118 - 11, 7), 0, 0, 0],
];
/** Eight blocks end at a byte. */
const emptyBlocks = Buffer.alloc(emptyBlock.length);
for (const [i, bit] of Array(8).fill(emptyBlock).flat().entries()) {
  emptyBlocks[i >> 3] = (emptyBlocks[i >> 3] ?? 0) | (bit << (i & 7));
}
const emptyBody = Buffer.concat([Buffer.of(0x78, 0x9c), Buffer.alloc(1024 * 1024, emptyBlocks)]);

function requestOf(body: Buffer) {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'deflate', 'transfer-encoding': 'chunked' };
  const socket = Object.assign(new EventEmitter(), { destroyed: false });
  return { socket, request: Object.assign(Readable.from([body]), { headers, socket }) as unknown as IncomingMessage };
}

const options = { limitBytes: 24 * 1024 * 1024, compressed: true };

describe('compressed body that takes long', () => {
  test('leaves the threads of libuv to others in between', async () => {
    const ended: string[] = [];
    const bodies = Array.from({ length: 8 }, async () => {
      await expect(readJsonBody(requestOf(emptyBody).request, options)).rejects.toThrow(/^The body could not be read/);
      ended.push('body');
    });
    // The bodies are read and their decompression begins.
    for (let i = 0; i < 50; i++) await nextTurn();
    for (let i = 0; i < 5; i++) await stat('.');
    ended.push('file');
    await Promise.all(bodies);
    expect(ended).toEqual(['file', ...Array(8).fill('body')]);
  });

  test('is not decompressed further when the client disconnects', async () => {
    const { socket, request } = requestOf(emptyBody);
    const body = readJsonBody(request, options);
    for (let i = 0; i < 50; i++) await nextTurn();
    socket.emit('close');
    await expect(body).rejects.toThrow('The body could not be read, because it is incomplete');
    expect(socket.listenerCount('close')).toBe(0);
  });
});
