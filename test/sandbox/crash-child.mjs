// The child process that `killable.ts` starts: it runs the built sandbox.
import { startSandbox } from '../../dist/sandbox/sandbox.js';

const sandbox = await startSandbox({ port: 0, dataDir: process.argv[2] });
process.send({ url: sandbox.url });
// The process ends when the test that started it ends.
process.once('disconnect', () => process.exit());
