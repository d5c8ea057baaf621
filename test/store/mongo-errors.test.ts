import { MongoNetworkError, MongoServerError } from 'mongodb';
import { expect, test } from 'vitest';
import { translateMongoError } from '../../src/store/mongo/errors.ts';
import { StoreUnavailableError } from '../../src/store/port.ts';

test.each([
  ['the driver', new MongoNetworkError('read ECONNRESET')],
  [
    'Node, through the driver',
    Object.assign(new Error('write ECONNRESET'), { errno: -104, code: 'ECONNRESET', syscall: 'write' }),
  ],
])('a connection that %s reports as broken means that the store is away', (_, error) => {
  expect(translateMongoError(error)).toBeInstanceOf(StoreUnavailableError);
});

test.each([
  ['a mistake of ours', new TypeError('x is not a function')],
  ['a duplicate', new MongoServerError({ message: 'E11000', code: 11_000 })],
])('%s stays what it is', (_, error) => {
  expect(translateMongoError(error)).toBe(error);
});
