// Runs the built sandbox in a process of its own, so that a test can kill it.
import { startSandbox } from '../../dist/sandbox/sandbox.js';

const sandbox = await startSandbox({ port: 0, dataDir: process.argv[2] });
process.send({ url: sandbox.url });
// It does not outlive the test that started it.
process.once('disconnect', () => process.exit());
