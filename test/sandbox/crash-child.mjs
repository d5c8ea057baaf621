// Runs the built sandbox in its own process, so that a test can kill it.
import { startSandbox } from '../../dist/sandbox/sandbox.js';

const sandbox = await startSandbox({ port: 0, dataDir: process.argv[2] });
process.send({ url: sandbox.url });
// The process ends when the test that started it ends.
process.once('disconnect', () => process.exit());
