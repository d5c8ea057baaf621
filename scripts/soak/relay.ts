// A TCP relay, which makes its target unreachable when it is killed. Usage: relay.js HOST:PORT [PORT of its own]
import { connect, createServer } from 'node:net';

const [target, port = '0'] = process.argv.slice(2);
const { hostname, port: targetPort } = new URL(`tcp://${target}`);

const server = createServer({ noDelay: true }, (client) => {
  const behind = connect({ host: hostname, port: Number(targetPort), noDelay: true });
  client.pipe(behind).pipe(client);
  for (const [one, other] of [
    [client, behind],
    [behind, client],
  ]) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
});
server.listen(Number(port), '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`);
});
